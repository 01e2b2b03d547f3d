import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../../src/errors.js'
import type { VaultStore } from '../../../src/index.js'
import { createEncryptedStore, type EncryptedStore } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { utf8 } from '../../support/bytes.js'
import { createKeys, encryptStore, overwriteInner } from '../../support/stores/encrypted-stores.js'

const ref = { collection: 'items/v1', id: 'a' }

async function filled(): Promise<{ readonly inner: VaultStore; readonly store: EncryptedStore }> {
  const inner = createMemoryStore()
  const store = encryptStore(inner)
  for (const vault of ['v1', 'v2'])
    await store.records.put({ ...ref, collection: `items/${vault}` }, { body: utf8('x') }, 0)
  return { inner, store }
}

async function ringsIn(inner: VaultStore): Promise<string[]> {
  const rows = await inner.records.list('keys', { limit: 100 })
  return rows.map(({ id, version }) => `${id} ${version}`)
}

describe('parseScopes', () => {
  it.each<[string, unknown]>([
    ['a string', 'v1'],
    ['an empty string', ''],
    ['null', null],
    ['false', false],
    ['a number', 1],
    ['an object', { v1: true }],
    ['a list of numbers', [1]],
  ])(
    'throws a TypeError when scopes is %s, and no ring is changed or created',
    async (_, given) => {
      const { inner, store } = await filled()
      const options = { scopes: given as string[] }
      for (const call of [store.rotateDataKeys, store.rewrapKeys, store.reencrypt])
        await expect(call(options)).rejects.toThrow(
          new TypeError('options.scopes must be a list of strings'),
        )
      expect(await ringsIn(inner)).toEqual(['v1 1', 'v2 1'])
    },
  )
})

describe('updateRing', () => {
  it('creates no ring and rejects with a RangeError when a listed scope has no keys', async () => {
    const { inner, store } = await filled()
    const options = { scopes: ['typo', 'v1'] }
    for (const call of [store.rotateDataKeys, store.rewrapKeys])
      await expect(call(options)).rejects.toThrow(
        new RangeError('scopes must contain only scopes that have keys'),
      )
    expect(await store.reencrypt({ scopes: ['typo'] })).toEqual({
      records: 0,
      blobs: 0,
      unreadable: 0,
    })
    expect(await ringsIn(inner)).toEqual(['v1 2', 'v2 1'])
  })
})

describe('reencrypt', () => {
  it('creates no ring when a scope without keys contains a plaintext record', async () => {
    const { inner, store } = await filled()
    await overwriteInner(inner, { collection: 'items/v3', id: 'a' }, { body: utf8('{}') })
    expect(await store.reencrypt({ scopes: ['v3'] })).toEqual({
      records: 0,
      blobs: 0,
      unreadable: 1,
    })
    expect(await ringsIn(inner)).toEqual(['v1 1', 'v2 1'])
  })
})

describe('countScopes', () => {
  it('processes the other scopes and rejects with the first error when a ring is damaged', async () => {
    const { inner, store } = await filled()
    await overwriteInner(inner, { collection: 'keys', id: '0' }, { body: new Uint8Array(3) })
    await expect(store.rotateDataKeys()).rejects.toThrow(DecryptionError)
    await expect(store.rewrapKeys()).rejects.toThrow(DecryptionError)
    expect(await ringsIn(inner)).toEqual(['0 1', 'v1 2', 'v2 2'])
  })
})

describe('createEncryptedStore', () => {
  it.each([null, 0, 'yes', {}])(
    'throws a TypeError when acceptsPlaintext is %j',
    (acceptsPlaintext) => {
      const options = { keys: createKeys(), acceptsPlaintext } as never
      expect(() => createEncryptedStore(createMemoryStore(), options)).toThrow(
        new TypeError('options.acceptsPlaintext must be a boolean'),
      )
    },
  )

  it.each([undefined, null, {}, { currentKekId: 'a', kekIds: ['a'], wrap: () => {} }])(
    'throws a TypeError when keys is %j',
    (keys) => {
      expect(() => createEncryptedStore(createMemoryStore(), { keys } as never)).toThrow(
        new TypeError('options.keys must be a key provider with wrap and unwrap'),
      )
    },
  )
})
