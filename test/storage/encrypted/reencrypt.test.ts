import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createVaultService,
  DecryptionError,
  type RecordKey,
  type StoredRecord,
  type VaultStore,
} from '../../../src/index.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type EncryptedStore,
} from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import {
  copyWrites,
  createKeys,
  encryptStore,
  overwriteInner,
} from '../../support/stores/encrypted-stores.js'

const key = { collection: 'items/v1', id: 'a' }

/** Returns the id of the data key that a record of the inner store is encrypted with. */
async function keyIdOf(inner: VaultStore, id = 'a'): Promise<number | undefined> {
  return (await inner.records.get({ ...key, id }))?.body[3]
}

async function filled(store: VaultStore, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const ref = { ...key, id: `id-${String(index).padStart(4, '0')}` }
    await store.records.put(ref, { body: utf8(`${index}`), indexKey: `key ${index % 7}` }, 0)
  }
}

async function bodiesOf(store: VaultStore): Promise<string[]> {
  const rows = await store.records.list(key.collection, { limit: 1000 })
  return rows.map(({ id, version, body }) => `${id} ${version} ${new TextDecoder().decode(body)}`)
}

describe('rotateDataKeys', () => {
  it('encrypts later writes with a new key, and keeps stored data readable', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await store.records.put(key, { body: utf8('old'), indexKey: 'mail' }, 0)
    await store.blobs.write('v1/x', streamOf([utf8('old content')]))
    expect(await store.rotateDataKeys()).toBe(1)
    await store.records.put({ ...key, id: 'b' }, { body: utf8('new'), indexKey: 'mail' }, 0)
    expect(await Promise.all(['a', 'b'].map((id) => keyIdOf(inner, id)))).toEqual([1, 2])
    expect(await bodiesOf(store)).toEqual(['a 1 old', 'b 1 new'])
    const found = await store.records.list(key.collection, { indexKey: 'mail', limit: 9 })
    expect(found.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await readBytes((await store.blobs.read('v1/x')) ?? streamOf([]))).toEqual(
      utf8('old content'),
    )
  })

  it('rotates the listed scopes, or all that have keys when none are listed', async () => {
    const store = encryptStore()
    for (const collection of ['items/v1', 'items/v2', 'vaults'])
      await store.records.put({ collection, id: 'a' }, { body: utf8('x') }, 0)
    expect(await store.rotateDataKeys({ scopes: ['v1'] })).toBe(1)
    expect(await store.rotateDataKeys()).toBe(3)
  })
})

describe('rewrapKeys', () => {
  it('wraps all data keys with the current KEK, leaves records unchanged, and returns 0 the second time', async () => {
    const inner = createMemoryStore()
    const [first, second] = [1, 2].map((byte) => new Uint8Array(32).fill(byte))
    const keys = { first: first ?? key.id, second: second ?? key.id } as Record<string, Uint8Array>
    const before = createEncryptedStore(inner, {
      keys: createLocalKeyProvider({ keys, keyId: 'first' }),
    })
    await before.records.put(key, { body: utf8('x'), indexKey: 'mail' }, 0)
    await before.rotateDataKeys()
    await before.records.put({ ...key, id: 'b' }, { body: utf8('y') }, 0)
    const stored = await inner.records.get(key)
    const after = createEncryptedStore(inner, {
      keys: createLocalKeyProvider({ keys, keyId: 'second' }),
    })
    expect(await after.rewrapKeys()).toBe(1)
    expect(await after.rewrapKeys()).toBe(0)
    expect(await inner.records.get(key)).toEqual(stored)
    const onlySecond = createLocalKeyProvider({
      keys: { second: keys['second'] ?? first ?? new Uint8Array() },
      keyId: 'second',
    })
    const later = createEncryptedStore(inner, { keys: onlySecond })
    expect(await bodiesOf(later)).toEqual(['a 1 x', 'b 1 y'])
    expect(await later.records.list(key.collection, { indexKey: 'mail', limit: 9 })).toHaveLength(1)
  })
})

describe('reencrypt', () => {
  it('encrypts all records with the current key, and keeps versions, index keys and order', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await filled(store, 250)
    await store.records.put(
      { ...key, id: 'id-0003' },
      { body: utf8('changed'), indexKey: 'key 3' },
      1,
    )
    const before = await bodiesOf(store)
    await store.rotateDataKeys()
    expect(await store.reencrypt()).toEqual({ records: 250, blobs: 0, unreadable: 0 })
    expect(await store.reencrypt()).toEqual({ records: 0, blobs: 0, unreadable: 0 })
    expect(await bodiesOf(store)).toEqual(before)
    const keyIds = (await inner.records.list(key.collection, { limit: 1000 })).map(
      ({ body }) => body[3],
    )
    expect(new Set(keyIds)).toEqual(new Set([2]))
    const found = await store.records.list(key.collection, { indexKey: 'key 3', limit: 1000 })
    expect(found.map(({ id }) => Number(id.slice(3)) % 7)).toEqual(new Array(36).fill(3))
  })

  it('changes nothing when no key was rotated', async () => {
    const inner = copyWrites(createMemoryStore())
    const store = encryptStore(inner)
    await filled(store, 3)
    const puts = inner.written.length
    expect(await store.reencrypt()).toEqual({ records: 0, blobs: 0, unreadable: 0 })
    expect(inner.written).toHaveLength(puts)
  })

  it('changes no result of any operation of a vault service', async () => {
    const inner = createMemoryStore()
    const provider = createKeys()
    const [one, other] = [1, 2].map(() => createEncryptedStore(inner, { keys: provider })) as [
      EncryptedStore,
      EncryptedStore,
    ]
    const caller = createCaller({ id: 'wendy', vaults: '*' })
    const service = createVaultService({ store: one, history: { maxVersions: 3 } })
    const vault = await service.createVault(caller, { name: 'Home' })
    const item = {
      category: 'LOGIN',
      vault,
      title: 'mail',
      fields: [{ id: 'f', value: '0' }],
    } as const
    const { id: itemId } = await service.createItem(caller, { vaultId: vault.id, item })
    const ref = { vaultId: vault.id, itemId }
    const value = async (): Promise<string | undefined> =>
      (await service.getItem(caller, ref)).fields?.[0]?.value
    for (let version = 1; version < 12; version++) {
      const patch = [{ op: 'replace', path: '/fields/f/value', value: `${version}` }] as const
      await service.patchItem(caller, { ...ref, patch, ifVersion: version })
      if (version % 3 === 0) await one.rotateDataKeys()
      if (version % 3 === 1) await other.reencrypt()
      expect((await service.getItem(caller, ref)).version).toBe(version + 1)
      expect(await value()).toBe(`${version}`)
    }
    const versions = await service.listVersions(caller, ref)
    expect(versions.map(({ version }) => version)).toEqual(expect.arrayContaining([11, 10, 9]))
    await service.restoreVersion(caller, { ...ref, version: 9 })
    expect(await value()).toBe('8')
    await service.deleteItem(caller, { ...ref, ifVersion: 13 })
    expect(await one.records.list(`items/${vault.id}`, { limit: 9 })).toEqual([])
    expect(await one.records.list(`versions/${vault.id}`, { limit: 9 })).toEqual([])
    expect(await one.records.list(`pending-blobs/${vault.id}`, { limit: 9 })).toEqual([])
  })

  it('loses no change when others write at the same time, in this process and in another', async () => {
    const inner = createMemoryStore()
    const provider = createKeys()
    const stores = [1, 2, 3].map(() => createEncryptedStore(inner, { keys: provider }))
    const [first] = stores as [EncryptedStore]
    const ids = Array.from({ length: 20 }, (_, index) => `id-${index}`)
    for (const id of ids) await first.records.put({ ...key, id }, { body: utf8('0') }, 0)
    let working = true
    const increment = async (store: EncryptedStore, id: string): Promise<void> => {
      for (;;) {
        const found = await store.records.get({ ...key, id })
        const next = utf8(String(Number(new TextDecoder().decode(found?.body)) + 1))
        if (await store.records.put({ ...key, id }, { body: next }, found?.version ?? 0)) return
      }
    }
    const writers = stores.flatMap((store) =>
      ids.map(async (id) => {
        for (let change = 0; change < 20; change++) await increment(store, id)
      }),
    )
    const reencrypting = (async () => {
      while (working) {
        await first.rotateDataKeys()
        await first.reencrypt()
      }
    })()
    await Promise.all(writers)
    working = false
    await reencrypting
    const expected = ids.map((id) => `${id} 61 60`).sort()
    for (const store of stores) expect((await bodiesOf(store)).sort()).toEqual(expected)
  })

  it('is seen by a process that has cached the key ring before', async () => {
    const inner = createMemoryStore()
    const provider = createKeys()
    const [one, other] = [1, 2].map(() => createEncryptedStore(inner, { keys: provider })) as [
      EncryptedStore,
      EncryptedStore,
    ]
    for (const id of ['a', 'b', 'c']) await one.records.put({ ...key, id }, { body: utf8('1') }, 0)
    await other.records.put({ ...key, id: 'd' }, { body: utf8('1') }, 0)
    await one.rotateDataKeys()
    await one.reencrypt()
    expect(await other.records.put(key, { body: utf8('2') }, 1)).toBe(true)
    expect(await other.records.delete({ ...key, id: 'b' }, 1)).toBe(true)
    expect(await one.records.get(key)).toEqual({ version: 2, body: utf8('2') })
    expect(await one.records.put(key, { body: utf8('3') }, 1)).toBe(false)
    expect(await one.records.put({ ...key, id: 'c' }, { body: utf8('2') }, 2)).toBe(false)
    expect(await one.records.delete({ ...key, id: 'c' }, 2)).toBe(false)
    expect(await one.reencrypt()).toEqual({ records: 1, blobs: 0, unreadable: 0 })
    expect(await bodiesOf(other)).toEqual(['a 2 2', 'c 1 1', 'd 1 1'])
  })

  it('stops when the signal is aborted, and continues when it is called again', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await filled(store, 200)
    const before = await bodiesOf(store)
    await store.rotateDataKeys()
    const stopping = new AbortController()
    let puts = 0
    const original = inner.records.put
    inner.records.put = (...parameters) => {
      if (++puts === 50) stopping.abort(new Error('enough'))
      return original(...parameters)
    }
    await expect(store.reencrypt({ signal: stopping.signal })).rejects.toThrow('enough')
    expect(await bodiesOf(store)).toEqual(before)
    const { records } = await store.reencrypt()
    expect(records).toBeGreaterThan(100)
    expect(records).toBeLessThan(200)
    expect(await bodiesOf(store)).toEqual(before)
  })

  it('counts records that cannot be decrypted, and leaves them unchanged', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await filled(store, 3)
    await overwriteInner(inner, { ...key, id: 'id-0001' }, { body: utf8('{"planted":true}') })
    await store.rotateDataKeys()
    expect(await store.reencrypt()).toEqual({ records: 2, blobs: 0, unreadable: 1 })
    expect((await inner.records.get({ ...key, id: 'id-0001' }))?.body).toEqual(
      utf8('{"planted":true}'),
    )
  })

  it('replaces, removes and re-encrypts no record when its re-encryption count is not authentic', async () => {
    const memory = createMemoryStore()
    const maxCount = 2 ** 32 - 1
    let planted: StoredRecord | undefined
    const writes: number[] = []
    const isPlanted = (ref: RecordKey): boolean => planted !== undefined && ref.id === 'a'
    const inner: VaultStore = {
      ...memory,
      records: {
        ...memory.records,
        get: async (ref) => (isPlanted(ref) ? planted : memory.records.get(ref)),
        async put(ref, record, expectedVersion) {
          if (!isPlanted(ref)) return memory.records.put(ref, record, expectedVersion)
          if (expectedVersion === planted?.version) writes.push(expectedVersion)
          return expectedVersion === planted?.version
        },
        async delete(ref, expectedVersion) {
          if (!isPlanted(ref)) return memory.records.delete(ref, expectedVersion)
          if (expectedVersion === planted?.version) writes.push(expectedVersion)
          return expectedVersion === planted?.version
        },
        list: async (collection, page) =>
          collection === key.collection && planted !== undefined
            ? [{ id: 'a', ...planted }]
            : memory.records.list(collection, page),
      },
    }
    const store = encryptStore(inner)
    await store.records.put(key, { body: utf8('x') }, 0)
    const body = new Uint8Array((await memory.records.get(key))?.body ?? utf8(''))
    new DataView(body.buffer).setUint32(4, maxCount)
    planted = { version: maxCount + 1, body }
    expect(await store.records.put(key, { body: utf8('y') }, 1)).toBe(false)
    expect(await store.records.delete(key, 1)).toBe(false)
    await store.rotateDataKeys()
    expect(await store.reencrypt({ scopes: ['v1'] })).toMatchObject({ records: 0, unreadable: 1 })
    expect(writes).toEqual([])
  })

  it('rejects a record when its re-encryption count or its stored version was changed', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await store.records.put(key, { body: utf8('1') }, 0)
    const old = (await inner.records.get(key))?.body ?? utf8('')
    await store.rotateDataKeys()
    await store.reencrypt()
    const reencrypted = (await inner.records.get(key))?.body ?? utf8('')
    await overwriteInner(inner, key, { body: old }, 2)
    await expect(store.records.get(key)).rejects.toThrow(DecryptionError)
    const withoutCount = reencrypted.slice()
    withoutCount[7] = 0
    await overwriteInner(inner, key, { body: withoutCount }, 2)
    await expect(store.records.get(key)).rejects.toThrow(DecryptionError)
    const withGreaterCount = reencrypted.slice()
    withGreaterCount[7] = 2
    await overwriteInner(inner, key, { body: withGreaterCount }, 2)
    await expect(store.records.get(key)).rejects.toThrow(DecryptionError)
  })

  it('re-encrypts every collection that a vault service writes', async () => {
    const inner = copyWrites(createMemoryStore())
    const store = encryptStore(inner)
    const service = createVaultService({ store, history: { maxVersions: 2 } })
    const caller = createCaller({ id: 'wendy', vaults: '*' })
    const vault = await service.createVault(caller, { name: 'Home' })
    const ref = { vaultId: vault.id }
    const { id: itemId } = await service.createItem(caller, {
      ...ref,
      item: { category: 'LOGIN', vault },
    })
    await service.attachFile(caller, { ...ref, itemId, name: 'a', content: utf8('x') })
    const collections = new Set(inner.written.map(({ collection }) => collection))
    expect([...collections].sort()).toEqual(
      [
        'keys',
        'vaults',
        `items/${vault.id}`,
        `pending-blobs/${vault.id}`,
        `versions/${vault.id}`,
      ].sort(),
    )
    const record = { body: utf8('{}') }
    for (const collection of collections)
      if (collection !== 'keys') await store.records.put({ collection, id: 'one-more' }, record, 0)
    await store.rotateDataKeys()
    await store.reencrypt()
    for (const collection of collections) {
      if (collection === 'keys') continue
      const rows = await inner.records.list(collection, { limit: 99 })
      expect(new Set(rows.map(({ body }) => body[3]))).toEqual(new Set([2]))
    }
  })
})
