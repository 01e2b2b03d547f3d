import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DecryptionError, type VaultStore } from '../../../../src/index.js'
import { createKeyStore } from '../../../../src/storage/encrypted/keys/key-store.js'
import type { LoadedRing } from '../../../../src/storage/encrypted/keys/loaded-ring.js'
import { createRingStore } from '../../../../src/storage/encrypted/keys/ring-store.js'
import { rotateDataKey } from '../../../../src/storage/encrypted/keys/rotate.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type KeyProvider,
} from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { readBytes, streamOf, utf8 } from '../../../support/bytes.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'
import { createHangingStore } from '../../../support/stores/hanging-store.js'

const maxKeyAgeMs = 600_000
const body = utf8('x')
const itemOf = (scope: string) => ({ collection: `items/${scope}`, id: 'a' })

/** A provider that fails for the scopes in `denied`, and counts the calls of `unwrap`. */
function createKms() {
  const keys = createKeys()
  const denied = new Set<string>()
  const unwrapped: string[] = []
  const provider: KeyProvider = {
    ...keys,
    async unwrap(kekId, wrapped, context) {
      unwrapped.push(context.scope)
      if (denied.has(context.scope)) throw new Error('AccessDenied')
      return keys.unwrap(kekId, wrapped, context)
    },
  }
  return { provider, denied, unwrapped }
}

async function openStore() {
  const kms = createKms()
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
  if (content === undefined || content instanceof Uint8Array) throw new Error('not a stream')
  const reader = content.getReader()
  let length = 0
  const readChunk = async () => {
    const { value } = await reader.read()
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

/** Lets time pass, then lets what has begun meanwhile end: it takes turns of the thread pool. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 10; turn++) {
    await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>)
    await new Promise((resolve) => setImmediate(resolve))
  }
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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
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
    expect(unwrapped).toEqual(['v1', 'v2'])
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

  it('shares a call of the provider between the calls that follow', async () => {
    const { read, unwrapped, store } = await openStore()
    await store.forgetKeys()
    await Promise.all(Array.from({ length: 50 }, () => read('v1')))
    expect(unwrapped).toEqual(['v1'])
  })

  it('overwrites the ring key, the keys and cached blind indexes when they are dropped', async () => {
    const kms = createKms()
    const keys = createKeyStore(createRingStore(createMemoryStore().records), kms.provider, 1000)
    const ring = (await keys.ensureRing('v1')) as LoadedRing
    const key = await keys.currentKey('v1', ring)
    await key.computeBlindIndex('items/v1', 'mail')
    const [{ bytes }, { ringKey }] = [key, ring.opened]
    kms.denied.add('v1')
    await pass(999)
    expect([bytes, ringKey].some((b) => b.every((byte) => byte === 0))).toBe(false)
    await pass(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect([bytes, ringKey].every((b) => b.every((byte) => byte === 0))).toBe(true)
    expect([key.bytes.length, ring.opened.keys.size]).toEqual([0, 0])
    await expect((async () => key.computeBlindIndex('items/v1', 'mail'))()).rejects.toThrow()
  })

  it('rejects a key that the provider unwraps after it was dropped with 503', async () => {
    const kms = createKms()
    const ringStore = createRingStore(createMemoryStore().records)
    const keys = createKeyStore(ringStore, kms.provider)
    const ring = (await keys.ensureRing('v1')) as LoadedRing
    ring.opened.keys.clear()
    const pending = keys.currentKey('v1', ring)
    keys.forget('v1')
    await expect(pending).rejects.toMatchObject({
      status: 503,
      message: 'the keys of the scope were dropped',
    })
  })

  it('overwrites keys that are opened in the background after the store was closed', async () => {
    const kms = createKms()
    const { records } = createMemoryStore()
    const gate = Promise.withResolvers<void>()
    const store = createRingStore(records)
    let isSlow = false
    const slow = {
      ...store,
      get: (scope: string) =>
        (isSlow ? gate.promise : Promise.resolve()).then(() => store.get(scope)),
    }
    const keys = createKeyStore(slow, kms.provider, 1000)
    await keys.currentKey('v1', (await keys.ensureRing('v1')) as LoadedRing)
    const materials: Uint8Array[] = []
    const { unwrap } = kms.provider
    Object.assign(kms.provider, {
      async unwrap(...args: Parameters<typeof unwrap>) {
        const material = await unwrap(...args)
        materials.push(material)
        return material
      },
    })
    isSlow = true
    await pass(500)
    keys.wipe()
    gate.resolve()
    await vi.waitUntil(() => materials.length > 0)
    const ring = (await keys.findRing('v1')) as LoadedRing
    expect(ring.opened.isDropped).toBe(true)
    expect(ring.opened.keys.size).toBe(0)
    expect(ring.opened.ringKey.every((byte) => byte === 0)).toBe(true)
  })

  it('does not extend the age while a key that was asked for before is being unwrapped', async () => {
    const { records } = createMemoryStore()
    const [ours, theirs] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const both = createLocalKeyProvider({ keys: { ours, theirs }, current: 'theirs' })
    const rings = createRingStore(records)
    const before = createLocalKeyProvider({ keys: { ours }, current: 'ours' })
    await createKeyStore(rings, before).ensureRing('v1')
    const gate = Promise.withResolvers<void>()
    const keys = createKeyStore(
      rings,
      {
        ...both,
        async unwrap(...args) {
          if (args[0] === 'theirs') await gate.promise
          return both.unwrap(...args)
        },
      },
      maxKeyAgeMs,
    )
    await keys.findKey('v1', 1)
    await rotateDataKey(createKeyStore(rings, both), both, 'v1')
    await pass(maxKeyAgeMs / 2 - 5_000)
    const opening = keys.findKey('v1', 2)
    await pass(5_000)
    gate.resolve()
    const key = await opening
    vi.setTimerTickMode('manual')
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + maxKeyAgeMs / 2)
    expect(await keys.findKey('v1', 2)).not.toBe(key)
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

describe('createKeyStore', () => {
  async function openRing() {
    const { records } = createMemoryStore()
    const keys = createKeyStore(createRingStore(records), createKeys())
    const ring = (await keys.ensureRing('v1')) as LoadedRing
    const isWiped = async (): Promise<boolean> => {
      await new Promise((resolve) => setImmediate(resolve))
      return ring.opened.ringKey.every((byte) => byte === 0)
    }
    expect(await isWiped()).toBe(false)
    return { records, keys, isWiped }
  }

  it('overwrites keys that another process has erased without their KEK', async () => {
    const { records, keys, isWiped } = await openRing()
    const gone = { ...createKeys(), unwrap: () => Promise.reject(new Error('disabled')) }
    await createKeyStore(createRingStore(records), gone).eraseRing('v1', async () => {})
    vi.advanceTimersByTime(60_000)
    await expect(keys.findRing('v1')).rejects.toThrow('the keys of the scope were erased')
    expect(await isWiped()).toBe(true)
  })

  it('overwrites the keys that were not used for the longest time, when there are too many', async () => {
    const { keys, isWiped } = await openRing()
    await Promise.all(Array.from({ length: 4096 }, (_, index) => keys.findRing(`w${index}`)))
    expect(await isWiped()).toBe(true)
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
    const kms = createKms()
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
    const keys = createKeyStore(createRingStore(inner.records), provider, maxKeyAgeMs)
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const rotating = keys.updateRing('v1', async (ring) => {
      begun.resolve()
      await end.promise
      return ring
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
    const kms = createKms()
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
    const kms = createKms()
    const inner = createMemoryStore()
    await createEncryptedStore(inner, { keys: kms.provider }).records.put(itemOf('v1'), { body }, 0)
    let isRejected = true
    const { provider } = kms
    const store = createEncryptedStore(inner, {
      keys: {
        ...provider,
        async unwrap(...args) {
          if (isRejected) throw new DecryptionError()
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

  it('forgets a rejection that comes later, of a call that has begun before', async () => {
    const kms = createKms()
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
          throw new DecryptionError()
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
