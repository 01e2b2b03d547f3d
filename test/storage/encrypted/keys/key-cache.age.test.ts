import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { undecryptableError } from '../../../../src/base/fixed-errors.js'
import { DecryptionError, type VaultStore } from '../../../../src/index.js'
import type { OpenRing } from '../../../../src/storage/encrypted/keys/key-cache.js'
import { vaultRings } from '../../../../src/storage/encrypted/keys/key-ring.js'
import { createKeyStore } from '../../../../src/storage/encrypted/keys/key-store.js'
import { createRingStore } from '../../../../src/storage/encrypted/keys/ring-store.js'
import { createEncryptedStore } from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { readBytes, streamOf, utf8 } from '../../../support/bytes.js'
import { createDenyingKms, pass } from '../../../support/stores/denying-kms.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'
import { createHangingStore } from '../../../support/stores/hanging-store.js'

const maxKeyAgeMs = 600_000
const body = utf8('x')
const itemOf = (scope: string) => ({ collection: `items/${scope}`, id: 'a' })

async function openStore() {
  const kms = createDenyingKms()
  const inner = createMemoryStore()
  const setUp = createEncryptedStore(inner, { keys: kms.provider })
  for (const scope of ['v1', 'v2']) {
    await setUp.records.put(itemOf(scope), { body, indexKey: 'mail' }, 0)
    await setUp.blobs.write(`${scope}/f`, streamOf([new Uint8Array(fileLength)]))
  }
  const store = createEncryptedStore(inner, { keys: kms.provider, maxKeyAgeMs })
  const read = async (scope: string): Promise<string> =>
    store.records.get(itemOf(scope)).then(
      () => 'read',
      ({ status }) => String(status),
    )
  await read('v1')
  await read('v2')
  kms.unwrapped.length = 0
  return { ...kms, inner, store, read }
}

const fileLength = 300_000

/** Opens the file of a vault, and reads its first chunk. */
async function openFile({ blobs }: VaultStore) {
  const content = await blobs.read('v1/f')
  if (content === undefined || content instanceof Uint8Array) throw new Error('no chunks')
  const chunks = content[Symbol.asyncIterator]()
  let length = 0
  const readChunk = async () => {
    const { value } = await chunks.next()
    length += value?.length ?? 0
    return value?.length
  }
  await readChunk()
  return {
    readChunk,
    async readRest() {
      while ((await readChunk()) !== undefined);
      return length
    },
  }
}

/** A content whose parts arrive over twice the maximum age of a key. */
function slowFile(): ReadableStream<Uint8Array> {
  let part = 0
  return new ReadableStream({
    async pull(controller) {
      if (part === 3) return controller.close()
      await new Promise((resolve) => setTimeout(resolve, maxKeyAgeMs * (part++ > 0 ? 0.9 : 0)))
      controller.enqueue(new Uint8Array(fileLength / 3))
    },
  })
}

/** Reads both vaults every 10 s for this time, and returns the different outcomes. */
async function readFor(ms: number, read: (scope: string) => Promise<string>) {
  const outcomes = { v1: new Set<string>(), v2: new Set<string>() }
  for (let passed = 0; passed < ms; passed += 10_000) {
    await pass(10_000)
    outcomes.v1.add(await read('v1'))
    outcomes.v2.add(await read('v2'))
  }
  return { v1: [...outcomes.v1], v2: [...outcomes.v2] }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('maxKeyAgeMs', () => {
  it('refuses reads at most that long after the KEK was revoked, of that vault only', async () => {
    const { denied, read } = await openStore()
    await readFor(1_000_000, read)
    denied.add('v1')
    expect(await readFor(maxKeyAgeMs / 2 - 20_000, read)).toEqual({ v1: ['read'], v2: ['read'] })
    await readFor(maxKeyAgeMs / 2 + 20_000, read)
    expect(await readFor(3 * maxKeyAgeMs, read)).toEqual({ v1: ['503'], v2: ['read'] })
    denied.clear()
    expect(await read('v1')).toBe('read')
  })

  it('asks for keys in use ahead of their age, so that no read waits for the provider', async () => {
    const { read, unwrapped, provider } = await openStore()
    const { unwrap } = provider
    let inCall = 0
    Object.assign(provider, {
      async unwrap(...args: Parameters<typeof unwrap>) {
        inCall++
        await new Promise((resolve) => setTimeout(resolve, 5_000))
        inCall--
        return unwrap(...args)
      },
    })
    let readDuringCalls = 0
    for (let passed = 0; passed < 5 * maxKeyAgeMs; passed += 2_500) {
      await pass(2_500)
      expect([await read('v1'), await read('v2')]).toEqual(['read', 'read'])
      if (inCall > 0) readDuringCalls++
    }
    expect(readDuringCalls).toBeGreaterThan(10)
    // About two calls for each age and vault.
    expect(unwrapped.length).toBeGreaterThan(14)
    expect(unwrapped.length).toBeLessThan(24)
  })

  it('does not show an outage that is shorter than the rest of the age', async () => {
    const { denied, read } = await openStore()
    await readFor(maxKeyAgeMs / 2 - 10_000, read)
    denied.add('v1').add('v2')
    const outage = maxKeyAgeMs / 2 - maxKeyAgeMs / 20
    expect(await readFor(outage, read)).toEqual({ v1: ['read'], v2: ['read'] })
    denied.clear()
    expect(await readFor(2 * maxKeyAgeMs, read)).toEqual({ v1: ['read'], v2: ['read'] })
  })

  it('drops keys that no call has used, without asking for them', async () => {
    const { read, unwrapped } = await openStore()
    await pass(maxKeyAgeMs)
    // Each vault was read once after it was opened.
    expect(unwrapped.toSorted()).toEqual(['v1', 'v2'])
    unwrapped.length = 0
    await pass(10 * maxKeyAgeMs)
    expect(unwrapped).toEqual([])
    expect(await read('v1')).toBe('read')
    expect(unwrapped).toEqual(['v1'])
  })

  it('does not use keys past their age when the timers are late', async () => {
    const { denied, read } = await openStore()
    denied.add('v1')
    vi.setTimerTickMode('manual')
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + maxKeyAgeMs)
    expect([await read('v1'), await read('v2')]).toEqual(['503', 'read'])
    vi.restoreAllMocks()
  })

  it.each(['monotonic', 'wall'])(
    'does not use keys past their age when the machine was suspended, which the %s clock shows',
    async (clock) => {
      const { denied, read } = await openStore()
      denied.add('v1')
      vi.setTimerTickMode('manual')
      const [now, time] = [performance.now(), Date.now()]
      const isWall = clock === 'wall'
      vi.spyOn(performance, 'now').mockReturnValue(now + (isWall ? 0 : 3_600_000))
      vi.spyOn(Date, 'now').mockReturnValue(time + (isWall ? 3_600_000 : 0))
      expect([await read('v1'), await read('v2')]).toEqual(['503', 'read'])
      vi.restoreAllMocks()
    },
  )

  it('renews keys at the first use when the timers are late', async () => {
    const { read, unwrapped } = await openStore()
    vi.setTimerTickMode('manual')
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + maxKeyAgeMs / 2)
    expect(await read('v1')).toBe('read')
    vi.useRealTimers()
    await vi.waitFor(() => expect(unwrapped).toEqual(['v1']))
    vi.restoreAllMocks()
  })

  it('shares a call of the provider between the calls that follow', async () => {
    const { read, unwrapped, store } = await openStore()
    await store.forgetKeys()
    await Promise.all(Array.from({ length: 50 }, () => read('v1')))
    expect(unwrapped).toEqual(['v1'])
  })

  it('overwrites the ring key, the keys and cached blind indexes when they are dropped', async () => {
    const kms = createDenyingKms()
    const keys = createKeyStore(
      createRingStore(vaultRings, createMemoryStore().records),
      kms.provider,
      1000,
    )
    const ring = (await keys.ensureRing('v1')) as OpenRing
    const key = keys.currentKey(ring)
    await key.computeBlindIndex('items/v1', 'mail')
    const [{ bytes }, { ringKey }] = [key, ring.opened]
    kms.denied.add('v1')
    await pass(999)
    expect([bytes, ringKey].some((b) => b.every((byte) => byte === 0))).toBe(false)
    await pass(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect([bytes, ringKey].every((b) => b.every((byte) => byte === 0))).toBe(true)
    expect(key.bytes.length).toBe(0)
    await expect((async () => key.computeBlindIndex('items/v1', 'mail'))()).rejects.toThrow()
  })

  it('refuses a key of a ring whose keys were dropped with 503', async () => {
    const keys = createKeyStore(
      createRingStore(vaultRings, createMemoryStore().records),
      createKeys(),
    )
    const ring = await keys.ensureRing('v1')
    keys.forget('v1')
    await pass(0)
    expect(() => keys.currentKey(ring)).toThrow(
      'the encryption keys were dropped meanwhile: try again',
    )
  })

  it('overwrites keys that are opened after the store was closed', async () => {
    const kms = createDenyingKms()
    const rings = createRingStore(vaultRings, createMemoryStore().records)
    await createKeyStore(rings, kms.provider).ensureRing('v1')
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const keys = createKeyStore(rings, {
      ...kms.provider,
      async unwrap(...args) {
        begun.resolve()
        await end.promise
        return kms.provider.unwrap(...args)
      },
    })
    const opening = Promise.resolve(keys.findRing('v1')).catch((error: unknown) => error)
    await begun.promise
    keys.wipe()
    const fill = vi.spyOn(Uint8Array.prototype, 'fill')
    end.resolve()
    expect(await opening).toMatchObject({ status: 503, message: 'the encrypted store is closed' })
    // The secret, then the ring key, and the blind-index key with the data key.
    const wiped = fill.mock.contexts.slice(-2) as Uint8Array[]
    expect(wiped.map(({ length }) => length)).toEqual([32, 64])
    expect(wiped.every((bytes) => bytes.every((byte) => byte === 0))).toBe(true)
    await expect((async () => keys.findRing('v1'))()).rejects.toMatchObject({ status: 503 })
    vi.restoreAllMocks()
  })

  it('leaves no timer when keys are dropped before their age', async () => {
    const { store, read } = await openStore()
    await store.forgetKeys()
    await read('v1')
    await pass(maxKeyAgeMs / 2 + maxKeyAgeMs / 20)
    expect(vi.getTimerCount()).toBeGreaterThan(0)
    await store.forgetKeys()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('drops keys that the provider has unwrapped to others', async () => {
    const { read, provider, unwrapped } = await openStore()
    const { unwrap } = provider
    Object.assign(provider, {
      async unwrap(...args: Parameters<typeof unwrap>) {
        const material = await unwrap(...args)
        return args[2].scope === 'v1' ? material.fill(7, 0, 32) : material
      },
    })
    const { v1, v2 } = await readFor(maxKeyAgeMs - 10_000, read)
    expect([v1, v2]).toEqual([['read'], ['read']])
    expect(unwrapped.filter((scope) => scope === 'v1').length).toBeGreaterThan(2)
    await readFor(20_000, read)
    expect(await read('v1')).toBe('500')
  })
})

describe('maxKeyAgeMs and work that takes longer', () => {
  it('ends a download when the KEK was revoked, however slowly it is read', async () => {
    const { store, denied } = await openStore()
    const { readChunk, readRest } = await openFile(store)
    denied.add('v1')
    await pass(maxKeyAgeMs / 2)
    expect(await readChunk()).toBe(65_536)
    await pass(maxKeyAgeMs / 2)
    await expect(readRest()).rejects.toMatchObject({ status: 503 })
  })

  it('lets a download that pauses for longer go on when the key can be obtained again', async () => {
    const { store, unwrapped } = await openStore()
    const { readRest } = await openFile(store)
    await pass(3 * maxKeyAgeMs)
    unwrapped.length = 0
    expect(await readRest()).toBe(fileLength)
    expect(unwrapped).toEqual(['v1'])
  })

  it('ends an upload when the KEK was revoked, and stores nothing', async () => {
    const { store, denied } = await openStore()
    const uploading = store.blobs.write('v1/new', slowFile()).catch(({ status }) => status)
    denied.add('v1')
    await pass(2 * maxKeyAgeMs)
    expect(await uploading).toBe(503)
    denied.clear()
    expect(await store.blobs.read('v1/new')).toBeUndefined()
  })

  it('lets an upload that takes longer end when the key can be obtained again', async () => {
    const { store } = await openStore()
    const uploading = store.blobs.write('v1/new', slowFile())
    await pass(3 * maxKeyAgeMs)
    await uploading
    expect((await readBytes((await store.blobs.read('v1/new')) ?? body)).length).toBe(fileLength)
  })

  it('refuses the second attempt of a write when the KEK was revoked', async () => {
    const kms = createDenyingKms()
    const inner = createHangingStore(createMemoryStore())
    const store = createEncryptedStore(inner, { keys: kms.provider, maxKeyAgeMs })
    await store.records.put(itemOf('v1'), { body }, 0)
    await store.rotateDataKeys()
    await store.reencrypt()
    await store.records.get(itemOf('v1'))
    const release = inner.hang('records.get', 'items/')
    const writing = store.records.put(itemOf('v1'), { body: utf8('y') }, 1)
    writing.catch(() => {})
    await pass(0)
    kms.denied.add('v1')
    await pass(maxKeyAgeMs)
    release()
    await expect(writing).rejects.toMatchObject({ status: 503 })
    kms.denied.clear()
    expect((await store.records.get(itemOf('v1')))?.body).toEqual(body)
  })

  it('refuses a rotation when the KEK was revoked meanwhile', async () => {
    const { provider, inner, denied } = await openStore()
    const keys = createKeyStore(createRingStore(vaultRings, inner.records), provider, maxKeyAgeMs)
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const rotating = keys.updateRing('v1', async (ring) => {
      begun.resolve()
      await end.promise
      return { content: ring }
    })
    rotating.catch(() => {})
    await begun.promise
    denied.add('v1')
    await pass(maxKeyAgeMs)
    end.resolve()
    await expect(rotating).rejects.toMatchObject({ status: 503 })
    expect(await inner.records.get({ collection: 'keys', id: 'v1' })).toMatchObject({ version: 1 })
  })
})

describe('EncryptedStore.forgetKeys', () => {
  it('makes the next call ask the provider, of the listed scopes or of all', async () => {
    const { read, store, unwrapped } = await openStore()
    await store.forgetKeys({ scopes: ['v1', 'none'] })
    await read('v1')
    await read('v2')
    expect(unwrapped).toEqual(['v1'])
    await store.forgetKeys()
    await read('v2')
    expect(unwrapped).toEqual(['v1', 'v2'])
  })

  it('leaves the digest of the ring key, so that a ring of another store is rejected', async () => {
    const keys = createKeys()
    const [inner, other] = [createMemoryStore(), createMemoryStore()]
    const store = createEncryptedStore(inner, { keys })
    await store.records.put(itemOf('v1'), { body }, 0)
    const copy = createEncryptedStore(other, { keys })
    await copy.records.put(itemOf('v1'), { body }, 0)
    await copy.rotateDataKeys()
    const ring = await other.records.get({ collection: 'keys', id: 'v1' })
    await overwriteInner(inner, { collection: 'keys', id: 'v1' }, ring ?? { body }, 2)
    await store.forgetKeys()
    const writing = store.records.put({ ...itemOf('v1'), id: 'b' }, { body }, 0)
    await expect(writing).rejects.toThrow(DecryptionError)
  })

  it('lets a write that has begun end', async () => {
    const kms = createDenyingKms()
    const inner = createHangingStore(createMemoryStore())
    const store = createEncryptedStore(inner, { keys: kms.provider })
    await store.records.put(itemOf('v1'), { body }, 0)
    const release = inner.hang('records.put', 'items/')
    const slow = { ...itemOf('v1'), id: 'slow' }
    const writing = store.records.put(slow, { body, indexKey: 'mail' }, 0)
    await pass(0)
    await store.forgetKeys()
    kms.denied.add('v1')
    await expect(store.records.get(itemOf('v1'))).rejects.toMatchObject({ status: 503 })
    release()
    expect(await writing).toBe(true)
    kms.denied.clear()
    expect((await store.records.get(slow))?.body).toEqual(body)
  })

  it('makes a stream that is being read ask for its key', async () => {
    const { store, denied, unwrapped } = await openStore()
    const [first, second] = [await openFile(store), await openFile(store)]
    unwrapped.length = 0
    await store.forgetKeys()
    expect(await first.readRest()).toBe(fileLength)
    expect(unwrapped).toEqual(['v1'])
    await store.forgetKeys()
    denied.add('v1')
    await expect(second.readRest()).rejects.toMatchObject({ status: 503 })
  })

  it('forgets that the provider has rejected a key', async () => {
    const kms = createDenyingKms()
    const inner = createMemoryStore()
    await createEncryptedStore(inner, { keys: kms.provider }).records.put(itemOf('v1'), { body }, 0)
    let isRejected = true
    const { provider } = kms
    const store = createEncryptedStore(inner, {
      keys: {
        ...provider,
        async unwrap(...args) {
          if (isRejected) throw undecryptableError()
          return provider.unwrap(...args)
        },
      },
    })
    await expect(store.records.get(itemOf('v1'))).rejects.toThrow(DecryptionError)
    isRejected = false
    await expect(store.records.get(itemOf('v1'))).rejects.toThrow(DecryptionError)
    await store.forgetKeys({ scopes: ['v2'] })
    await expect(store.records.get(itemOf('v1'))).rejects.toThrow(DecryptionError)
    await store.forgetKeys({ scopes: ['v1'] })
    expect((await store.records.get(itemOf('v1')))?.body).toEqual(body)
    isRejected = true
    await store.forgetKeys()
    await expect(store.records.get(itemOf('v1'))).rejects.toThrow(DecryptionError)
    isRejected = false
    await store.forgetKeys()
    expect((await store.records.get(itemOf('v1')))?.body).toEqual(body)
  })

  it('shares no failure of a call that has begun before', async () => {
    const kms = createDenyingKms()
    const inner = createMemoryStore()
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let calls = 0
    const store = createEncryptedStore(inner, {
      keys: {
        ...kms.provider,
        async wrap(...args) {
          if (calls++ > 0) return kms.provider.wrap(...args)
          begun.resolve()
          await end.promise
          throw new Error('AccessDenied')
        },
      },
    })
    const denied = store.records.put(itemOf('v1'), { body }, 0).catch(({ status }) => status)
    await begun.promise
    await store.forgetKeys({ scopes: ['v1'] })
    const permitted = store.records.put({ ...itemOf('v1'), id: 'b' }, { body }, 0)
    end.resolve()
    expect(await denied).toBe(503)
    expect(await permitted).toBe(true)
  })

  it('overwrites keys that a call opens which has begun before', async () => {
    const kms = createDenyingKms()
    const rings = createRingStore(vaultRings, createMemoryStore().records)
    await createKeyStore(rings, kms.provider).ensureRing('v1')
    const keys = createKeyStore(rings, kms.provider)
    const opening = keys.findRing('v1')
    keys.forget('v1')
    const ring = (await opening) as OpenRing
    const { bytes } = keys.currentKey(ring)
    expect(bytes.every((byte) => byte === 0)).toBe(false)
    await new Promise((resolve) => setImmediate(resolve))
    expect(bytes.every((byte) => byte === 0)).toBe(true)
    expect(ring.opened.ringKey.every((byte) => byte === 0)).toBe(true)
  })

  it('forgets a rejection that comes later, of a call that has begun before', async () => {
    const kms = createDenyingKms()
    const inner = createMemoryStore()
    await createEncryptedStore(inner, { keys: kms.provider }).records.put(itemOf('v1'), { body }, 0)
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let calls = 0
    const { provider } = kms
    const store = createEncryptedStore(inner, {
      keys: {
        ...provider,
        async unwrap(...args) {
          if (calls++ > 0) return provider.unwrap(...args)
          begun.resolve()
          await end.promise
          throw undecryptableError()
        },
      },
    })
    const rejected = store.records.get(itemOf('v1')).catch((error: unknown) => error)
    await begun.promise
    await store.forgetKeys()
    end.resolve()
    expect(await rejected).toBeInstanceOf(DecryptionError)
    expect((await store.records.get(itemOf('v1')))?.body).toEqual(body)
  })
})
