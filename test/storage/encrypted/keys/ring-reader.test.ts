import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DecryptionError, StorageError, type VaultStore } from '../../../../src/index.js'
import { decodeRing, vaultRings } from '../../../../src/storage/encrypted/keys/key-ring.js'
import { authenticateRing } from '../../../../src/storage/encrypted/keys/key-ring-mac.js'
import { createRingOpener } from '../../../../src/storage/encrypted/keys/ring-opener.js'
import { createRingStore } from '../../../../src/storage/encrypted/keys/ring-store.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type EncryptedStore,
  type KeyProvider,
} from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { utf8 } from '../../../support/bytes.js'
import { ringMac } from '../../../support/stores/encrypted-reader.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'

const key = { collection: 'items/v1', id: 'a' }
const ringKey = { collection: 'keys', id: 'v1' }

interface Entry {
  readonly id: unknown
  readonly made: unknown
}

/** A stored ring, with its members in order. */
interface Ring {
  readonly format: number
  readonly shifted: unknown
  readonly next: unknown
  readonly kekId: string
  readonly secret: string
  readonly keys: readonly Entry[]
  readonly sealed: string
  readonly mac: unknown
}

let inner: VaultStore
let provider: KeyProvider
/**
 * Returns rings of a scope with one, two and three keys. Each is valid as the version of that
 * number.
 */
let rings: Ring[]

function restarted(): EncryptedStore {
  return createEncryptedStore(inner, { keys: provider })
}

async function ringNow(): Promise<Ring> {
  return JSON.parse(new TextDecoder().decode((await inner.records.get(ringKey))?.body))
}

/** Opens a stored ring, like an attacker who has its keys. */
function openRing(ring: unknown, version: number) {
  const opener = createRingOpener(createRingStore(vaultRings, inner.records), provider)
  return opener.open('v1', decodeRing({ version, body: utf8(JSON.stringify(ring)) }, vaultRings))
}

function plantRing(ring: unknown, version = 3, id = 'v1'): Promise<void> {
  return overwriteInner(inner, { ...ringKey, id }, { body: utf8(JSON.stringify(ring)) }, version)
}

/** Expects every call that reads the ring to reject, and to leave ring and records unchanged. */
async function expectRejected(store: EncryptedStore, error: unknown): Promise<void> {
  const [ring, record] = [await inner.records.get(ringKey), await inner.records.get(key)]
  const calls = [
    () => store.records.get(key),
    () => store.records.put(key, { body: utf8('y') }, 1),
    () => store.records.put({ ...key, id: 'new' }, { body: utf8('y') }, 0),
    () => store.records.delete(key, 1),
    () => store.records.list(key.collection, { limit: 9, indexKey: 'mail' }),
    () => store.blobs.write('v1/new', new Blob(['y']).stream()),
    () => store.rotateDataKeys({ scopes: ['v1'] }),
    () => store.rewrapKeys({ scopes: ['v1'] }),
  ]
  for (const call of calls) await expect(call()).rejects.toThrow(error as Error)
  expect(await inner.records.get(ringKey)).toEqual(ring)
  expect(await inner.records.get(key)).toEqual(record)
  expect(await inner.records.get({ ...key, id: 'new' })).toBeUndefined()
}

beforeEach(async () => {
  inner = createMemoryStore()
  provider = createKeys()
  const store = restarted()
  await store.records.put(key, { body: utf8('x'), indexKey: 'mail' }, 0)
  rings = [await ringNow()]
  for (let rotation = 0; rotation < 2; rotation++) {
    await store.rotateDataKeys()
    rings.push(await ringNow())
  }
})

afterEach(() => {
  vi.useRealTimers()
})

describe('createRingReader with a ring that was written without the KEK', () => {
  const changedKeys =
    (change: (keys: readonly Entry[]) => readonly unknown[]) =>
    ([, , ring]: readonly Ring[]): unknown => ({ ...ring, keys: change(ring?.keys ?? []) })
  const withFirst = (change: object) =>
    changedKeys(([first, ...rest]) => [{ ...first, ...change }, ...rest])

  it.each<[string, (rings: readonly Ring[]) => unknown]>([
    ['without its last key', changedKeys((keys) => keys.slice(0, -1))],
    ['without its first key', changedKeys((keys) => keys.slice(1))],
    ['with a key twice', changedKeys(([first, ...rest]) => [first, first, ...rest])],
    ['in another order', changedKeys((keys) => keys.toReversed())],
    [
      'with keys renumbered',
      changedKeys((keys) => keys.map((entry, at) => ({ ...entry, id: at + 2 }))),
    ],
    ['with shifted set to true', ([, , ring]) => ({ ...ring, shifted: true })],
    ['with an invalid shifted', ([, , ring]) => ({ ...ring, shifted: 'no' })],
    ['with next set to true', ([, , ring]) => ({ ...ring, next: true })],
    ['whose first key was made at another time', withFirst({ made: 1 })],
    ['whose first key was made at no time', withFirst({ made: undefined })],
    ['whose first key was made before 1970', withFirst({ made: -1 })],
    ['of an older version', ([, older]) => older],
    ['with the MAC of an older version', ([, older, ring]) => ({ ...ring, mac: older?.mac })],
    ['without a MAC', ([, , ring]) => ({ ...ring, mac: undefined })],
    ['with an empty MAC', ([, , ring]) => ({ ...ring, mac: '' })],
    ['with more members', ([, , ring]) => ({ ...ring, more: 1 })],
    ['whose first key has more members', withFirst({ more: 1 })],
    ['whose first key has the id 0', withFirst({ id: 0 })],
    ['whose first key has the id 0.5', withFirst({ id: 0.5 })],
    ['whose first key has the id "1"', withFirst({ id: '1' })],
    ['whose last key has the id 65,536', changedKeys(([a, b, c]) => [a, b, { ...c, id: 65_536 }])],
    ['with a KEK without an id', ([, , ring]) => ({ ...ring, kekId: '' })],
    ['with the KEK __proto__', ([, , ring]) => ({ ...ring, kekId: '__proto__' })],
    ['with a KEK of 2,049 characters', ([, , ring]) => ({ ...ring, kekId: 'k'.repeat(2049) })],
    ['with an empty secret', ([, , ring]) => ({ ...ring, secret: '' })],
    ['with a secret of 8,193 characters', ([, , ring]) => ({ ...ring, secret: 'A'.repeat(8193) })],
    ['with the secret of an older ring', ([, old, ring]) => ({ ...ring, secret: old?.secret })],
    [
      'with the encrypted keys of an older ring',
      ([, old, ring]) => ({ ...ring, sealed: old?.sealed }),
    ],
    ['without encrypted keys', ([, , ring]) => ({ ...ring, sealed: '' })],
    ['whose keys are not a list', ([, , ring]) => ({ ...ring, keys: { length: 1 } })],
    ['that is a list', () => []],
    ['that is null', () => null],
  ])('rejects a ring %s', async (_, forge) => {
    await plantRing(forge(rings))
    await expectRejected(restarted(), DecryptionError)
  })

  it('rejects a ring under another version, and for another scope', async () => {
    for (const version of [1, 2, 4]) {
      await plantRing(rings[2], version)
      await expectRejected(restarted(), DecryptionError)
    }
    await plantRing(rings[2], 3, 'v2')
    const ref = { collection: 'items/v2', id: 'a' }
    await expect(restarted().records.put(ref, { body: utf8('x') }, 0)).rejects.toThrow(
      DecryptionError,
    )
    await plantRing(rings[2])
    expect((await restarted().records.get(key))?.body).toEqual(utf8('x'))
  })

  it('rejects a ring of more than 1 MiB', async () => {
    const padding = ' '.repeat(1024 * 1024)
    await overwriteInner(inner, ringKey, { body: utf8(`${JSON.stringify(rings[2])}${padding}`) }, 3)
    await expect(restarted().records.get(key)).rejects.toThrow(DecryptionError)
  })

  it('rejects a ring when any byte was changed, added or removed', async () => {
    const body = (await inner.records.get(ringKey))?.body ?? utf8('')
    const change = fc.record({
      at: fc.nat({ max: body.length - 1 }),
      bytes: fc.uint8Array({ maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ at, bytes }) => {
        const changed = new Uint8Array([
          ...body.subarray(0, at),
          ...bytes,
          ...body.subarray(at + 1),
        ])
        fc.pre(!Buffer.from(changed).equals(Buffer.from(body)))
        await overwriteInner(inner, ringKey, { body: changed }, 3)
        await expect(restarted().records.get(key)).rejects.toThrow(DecryptionError)
      }),
    )
  })

  it('rejects a ring whose MAC was made with other keys than its own', async () => {
    const { material } = await openRing(rings[2], 3)
    const content = decodeRing({ version: 3, body: utf8(JSON.stringify(rings[2])) }, vaultRings)
    for (const ringKey of [new Uint8Array(32), material.slice(0, 32), material.slice(32, 64)]) {
      const { body } = await authenticateRing(ringKey, 'v1', 3, content)
      await overwriteInner(inner, { collection: 'keys', id: 'v1' }, { body }, 3)
      await expect(restarted().records.get(key)).rejects.toThrow(DecryptionError)
    }
  })
})

describe('createRingReader in a process that has read a ring', () => {
  let store: EncryptedStore

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    store = restarted()
    await store.records.get(key)
  })

  it('rejects an older ring, and keeps the rotated key', async () => {
    await plantRing(rings[1], 2)
    await store.records.put({ ...key, id: 'b' }, { body: utf8('x') }, 0)
    expect((await inner.records.get({ ...key, id: 'b' }))?.body[3]).toBe(3)
    vi.advanceTimersByTime(60_000)
    const older = 'the encryption keys of v1 are older than those that were seen before'
    await expectRejected(store, older)
    await expectRejected(store, StorageError)
    await plantRing(rings[1], 4)
    await expectRejected(store, DecryptionError)
    await plantRing(rings[2], 3)
    expect((await store.records.get(key))?.body).toEqual(utf8('x'))
  })

  it('rejects a ring with a valid MAC that lacks the current key', async () => {
    const ring = rings[0]
    const { ringKey: leaked } = await openRing(ring, 1)
    const content = decodeRing({ version: 1, body: utf8(JSON.stringify(ring)) }, vaultRings)
    const { body } = await authenticateRing(leaked, 'v1', 9, content)
    await overwriteInner(inner, ringKey, { body }, 9)
    vi.advanceTimersByTime(60_000)
    await expectRejected(store, StorageError)
  })

  it('creates no ring when it was deleted, and rejects one that another process has created', async () => {
    await inner.records.delete(ringKey, 3)
    vi.advanceTimersByTime(60_000)
    await expectRejected(
      store,
      'the encryption keys of v1 are missing from the store: restore them from a backup',
    )
    const other = restarted()
    await other.records.put({ ...key, id: 'b' }, { body: utf8('x') }, 0)
    await expectRejected(store, StorageError)
    for (let version = 1; version < 5; version++) await other.rotateDataKeys()
    await expectRejected(store, DecryptionError)
    await expectRejected(store, DecryptionError)
  })

  it('accepts a ring when its read was overtaken by a later one', async () => {
    const late = Promise.withResolvers<void>()
    let reads = 0
    const slow: VaultStore = {
      ...inner,
      records: {
        ...inner.records,
        async get(ref) {
          const found = await inner.records.get(ref)
          if (ref.collection === 'keys' && ++reads === 2) await late.promise
          return found
        },
      },
    }
    const reader = createEncryptedStore(slow, { keys: provider })
    await reader.records.get(key)
    const scopes = ['v1']
    const overtaken = reader.rotateDataKeys({ scopes })
    expect(await reader.rotateDataKeys({ scopes })).toBe(1)
    late.resolve()
    expect(await overtaken).toBe(1)
    expect((await ringNow()).keys.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('createRingReader', () => {
  it('rejects a ring whose last key is the next one, although its MAC is valid', async () => {
    const [, , ring] = rings as [Ring, Ring, Ring]
    const { material } = await openRing(ring, 3)
    for (const next of [false, true]) {
      const changed = { ...ring, next } as Parameters<typeof ringMac>[3]
      const mac = ringMac(material, 'v1', 3, changed).toString('base64')
      await plantRing({ ...changed, mac })
      if (next) await expectRejected(restarted(), DecryptionError)
      else expect((await restarted().records.get(key))?.body).toEqual(utf8('x'))
    }
  })

  it('rejects a ring under a KEK that the provider does not have, and names both', async () => {
    const [old, now] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const before = createLocalKeyProvider({ key: old })
    inner = createMemoryStore()
    await createEncryptedStore(inner, { keys: before }).records.put(key, { body: utf8('x') }, 0)
    provider = createLocalKeyProvider({ key: now })
    await expectRejected(
      restarted(),
      `the encryption keys of v1 are wrapped with the KEK ${before.currentKekId}, but the key provider has only ${provider.currentKekId}`,
    )
    await expectRejected(restarted(), DecryptionError)
  })
})
