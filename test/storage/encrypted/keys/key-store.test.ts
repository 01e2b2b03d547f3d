import { afterEach, describe, expect, it, vi } from 'vitest'
import { DecryptionError, StorageError, type VaultStore } from '../../../../src/index.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type KeyProvider,
} from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { utf8 } from '../../../support/bytes.js'
import { runAll } from '../../../support/run-all.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'

const key = { collection: 'items/v1', id: 'a' }
const ringKey = { collection: 'keys', id: 'v1' }

/** Returns the provider with a log of its calls. Each fails while `failure` returns an error. */
function watched(failure: (call: string) => unknown = () => undefined, inner = createKeys()) {
  const calls: string[] = []
  const run = <Result>(call: string, work: () => Promise<Result>): Promise<Result> => {
    calls.push(call)
    const error = failure(call)
    return error === undefined ? work() : Promise.reject(error)
  }
  const provider: KeyProvider = {
    currentKekId: inner.currentKekId,
    kekIds: inner.kekIds,
    wrap: (bytes, context) => run('wrap', () => inner.wrap(bytes, context)),
    unwrap: (kekId, wrapped, context) => run('unwrap', () => inner.unwrap(kekId, wrapped, context)),
  }
  return { provider, calls }
}

/** Returns a store like that of another process, with the same inner store and the same KEK. */
function restarted(inner: VaultStore, provider: KeyProvider) {
  return createEncryptedStore(inner, { keys: provider })
}

afterEach(() => {
  vi.useRealTimers()
})

describe('createKeyStore', () => {
  it('creates keys once for a scope when several writers begin at once, in one process and in several', async () => {
    const inner = createMemoryStore()
    const provider = createKeys()
    const processes = Array.from({ length: 4 }, () => restarted(inner, provider))
    const puts = Array.from({ length: 64 }, async (_, index) => {
      const ref = { ...key, id: `id-${index}` }
      await processes[index % 4]?.records.put(ref, { body: utf8(`${index}`) }, 0)
    })
    await Promise.all(puts)
    expect((await inner.records.get(ringKey))?.version).toBe(1)
    const read = await restarted(inner, provider).records.list(key.collection, { limit: 100 })
    expect(read).toHaveLength(64)
  })

  it('unwraps a key once when several calls need it at the same time', async () => {
    const inner = createMemoryStore()
    const { provider, calls } = watched()
    const store = restarted(inner, provider)
    await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        store.records.put({ ...key, id: `${index}` }, { body: utf8('x') }, 0),
      ),
    )
    expect(calls.filter((call) => call === 'wrap')).toHaveLength(1)
    calls.length = 0
    const again = restarted(inner, provider)
    await Promise.all(
      Array.from({ length: 32 }, (_, index) => again.records.get({ ...key, id: `${index}` })),
    )
    await again.records.list(key.collection, { limit: 50 })
    expect(calls).toEqual(['unwrap'])
  })

  it('calls the provider again when it has failed', async () => {
    const inner = createMemoryStore()
    let isDown = false
    const { provider } = watched(() =>
      isDown ? Object.assign(new Error('secret words'), { code: 'ECONNREFUSED' }) : undefined,
    )
    await restarted(inner, provider).records.put(key, { body: utf8('x') }, 0)
    const store = restarted(inner, provider)
    isDown = true
    const error: unknown = await store.records.get(key).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StorageError)
    expect(error).not.toBeInstanceOf(DecryptionError)
    expect(error).toMatchObject({
      status: 503,
      message: `the key provider failed to unwrap the encryption keys of v1 with the KEK ${provider.currentKekId}`,
    })
    expect(error).toMatchObject({ cause: { message: 'Error ECONNREFUSED' } })
    await expect(store.records.put(key, { body: utf8('y') }, 1)).rejects.toMatchObject({
      status: 503,
    })
    isDown = false
    expect((await store.records.get(key))?.body).toEqual(utf8('x'))
  })

  it('does not use keys before they are stored', async () => {
    const inner = createMemoryStore()
    const rejecting: VaultStore = {
      ...inner,
      records: {
        ...inner.records,
        put: (ref, record, expectedVersion) =>
          ref.collection === 'keys'
            ? Promise.reject(new Error('the disk is full'))
            : inner.records.put(ref, record, expectedVersion),
      },
    }
    const store = restarted(rejecting, createKeys())
    await expect(store.records.put(key, { body: utf8('x') }, 0)).rejects.toThrow('the disk is full')
    expect(await inner.records.get(key)).toBeUndefined()
  })

  it('rejects keys when the provider unwraps other bytes than it has wrapped', async () => {
    const { provider } = watched()
    const lossy = { ...provider, unwrap: async () => new Uint8Array(32) }
    const store = restarted(createMemoryStore(), lossy)
    await expect(store.records.put(key, { body: utf8('x') }, 0)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: 'the key provider cannot unwrap a key that it has just wrapped',
    })
  })

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['a Uint8Array', (bytes) => new Uint8Array(bytes)],
    ['a Buffer', (bytes) => Buffer.from(bytes)],
  ])('does not modify the keys that a provider caches, %s', async (_, keep) => {
    const inner = createMemoryStore()
    const base = createKeys()
    const known = new Map<string, Uint8Array>()
    const remembering: KeyProvider = {
      ...base,
      async wrap(bytes, context) {
        const wrapped = await base.wrap(bytes, context)
        bytes.fill(0)
        return wrapped
      },
      async unwrap(kekId, wrapped, context) {
        const id = Buffer.from(wrapped).toString('hex')
        const bytes = known.get(id) ?? keep(await base.unwrap(kekId, wrapped, context))
        known.set(id, bytes)
        return bytes
      },
    }
    const store = restarted(inner, remembering)
    await store.records.put(key, { body: utf8('x') }, 0)
    const before = [...known.values()].map((bytes) => Buffer.from(bytes).toString('hex'))
    await store.rotateDataKeys()
    const after = [...known.values()].map((bytes) => Buffer.from(bytes).toString('hex'))
    expect(after.slice(0, before.length)).toEqual(before)
    expect((await restarted(inner, base).records.get(key))?.body).toEqual(utf8('x'))
  })

  it.each([undefined, null, 'k'.repeat(64), { length: 64 }])(
    'creates no keys when the provider returns %j',
    async (value) => {
      for (const member of ['wrap', 'unwrap']) {
        const provider = { ...createKeys(), [member]: async () => value }
        const put = restarted(createMemoryStore(), provider).records.put(
          key,
          { body: utf8('x') },
          0,
        )
        await expect(put).rejects.toMatchObject({
          code: 'STORAGE_FAILED',
          message: 'the key provider must return a Uint8Array',
        })
      }
    },
  )

  it('finds keys of another process at once when a record needs them, else within a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const inner = createMemoryStore()
    const provider = createKeys()
    const [one, other] = [restarted(inner, provider), restarted(inner, provider)]
    await one.records.put(key, { body: utf8('1') }, 0)
    await other.records.get(key)
    await one.rotateDataKeys()
    await one.records.put(key, { body: utf8('2') }, 1)
    expect((await other.records.get(key))?.body).toEqual(utf8('2'))
    await one.rotateDataKeys()
    const keyIdAfterPut = async (id: string): Promise<number | undefined> => {
      await other.records.put({ ...key, id }, { body: utf8('x') }, 0)
      return (await inner.records.get({ ...key, id }))?.body[3]
    }
    expect(await keyIdAfterPut('early')).toBe(2)
    vi.advanceTimersByTime(60_000)
    expect(await keyIdAfterPut('late')).toBe(3)
  })

  it('finds keys of another process within a minute when the clock was set back by an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const inner = createMemoryStore()
    const provider = createKeys()
    const [one, other] = [restarted(inner, provider), restarted(inner, provider)]
    await other.records.put(key, { body: utf8('1') }, 0)
    await one.rotateDataKeys()
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(60_000)
    await other.records.put(key, { body: utf8('2') }, 1)
    expect((await inner.records.get(key))?.body[3]).toBe(2)
  })

  it.each([
    ['of another scope', (ring: string) => ring, 'v2'],
    ['that is not JSON', () => 'x', 'v1'],
    ['without keys', () => '{"format":1,"keys":[]}', 'v1'],
    ['of another format', (ring: string) => ring.replace('"format":1', '"format":2'), 'v1'],
    [
      'whose keys are out of order',
      (ring: string) => ring.replace('"keys":[', '"keys":[{"id":1,"made":1},'),
      'v1',
    ],
    ['of an unknown KEK', (ring: string) => ring.replace(/"key-\w+"/, '"lost"'), 'v1'],
    [
      'whose secret is not base64',
      (ring: string) => ring.replace(/"secret":"[^"]*"/, '"secret":"*"'),
      'v1',
    ],
    [
      'whose secret is short',
      (ring: string) => ring.replace(/"secret":"[^"]*"/, '"secret":"AAAA"'),
      'v1',
    ],
    [
      'whose keys are not base64',
      (ring: string) => ring.replace(/"sealed":"./, '"sealed":"*'),
      'v1',
    ],
    ['whose key has another id', (ring: string) => ring.replace('"id":1', '"id":2'), 'v1'],
  ])('rejects a ring %s', async (_, forge, scope) => {
    const inner = createMemoryStore()
    const provider = createKeys()
    const ref = { collection: `items/${scope}`, id: 'a' }
    await restarted(inner, provider).records.put(key, { body: utf8('x') }, 0)
    await restarted(inner, provider).records.put(ref, { body: utf8('x') }, scope === 'v1' ? 1 : 0)
    const ring = new TextDecoder().decode((await inner.records.get(ringKey))?.body)
    await overwriteInner(inner, { ...ringKey, id: scope }, { body: utf8(forge(ring)) })
    const store = restarted(inner, provider)
    await expect(store.records.get(ref)).rejects.toThrow(DecryptionError)
    await expect(store.records.put({ ...ref, id: 'b' }, { body: utf8('x') }, 0)).rejects.toThrow(
      DecryptionError,
    )
  })

  describe('while the provider is unreachable', () => {
    let isDown = false
    const inner = createMemoryStore()
    const keys = watched(() => (isDown ? new Error('down') : undefined)).provider

    async function cacheKeys(store: VaultStore) {
      isDown = false
      vi.useFakeTimers({ toFake: ['performance'] })
      const ref = { collection: `items/${crypto.randomUUID()}`, id: 'a' }
      const ring = { collection: 'keys', id: ref.collection.slice(6) }
      const encryptedStore = createEncryptedStore(store, { keys })
      await encryptedStore.records.put(ref, { body: utf8('x') }, 0)
      isDown = true
      vi.advanceTimersByTime(60_000)
      return { ref, ring, store: encryptedStore }
    }

    it('uses cached keys when the ring was damaged for a while', async () => {
      const { ref, ring, store } = await cacheKeys(inner)
      const stored = await inner.records.get(ring)
      await overwriteInner(inner, ring, { body: utf8('x') })
      await expect(store.records.get(ref)).rejects.toThrow(DecryptionError)
      await overwriteInner(inner, ring, { body: stored?.body ?? utf8('') })
      expect((await store.records.get(ref))?.body).toEqual(utf8('x'))
      expect(await store.records.put(ref, { body: utf8('y') }, 1)).toBe(true)
    })

    it('uses cached keys when the store has failed', async () => {
      let fails = false
      const failing: VaultStore = {
        ...inner,
        records: {
          ...inner.records,
          get: (ref) =>
            fails ? Promise.reject(new Error('lost connection')) : inner.records.get(ref),
        },
      }
      const { ref, store } = await cacheKeys(failing)
      fails = true
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(store.records.put(ref, { body: utf8('y') }, 1)).rejects.toThrow('lost')
      fails = false
      expect((await store.records.get(ref))?.body).toEqual(utf8('x'))
    })

    it('is unavailable when another process has rotated the keys, until the provider is reachable', async () => {
      const { ref, ring, store } = await cacheKeys(inner)
      isDown = false
      await restarted(inner, keys).rotateDataKeys({ scopes: [ring.id] })
      isDown = true
      for (const call of [
        () => store.records.get(ref),
        () => store.records.put(ref, { body: utf8('y') }, 1),
      ])
        await expect(call()).rejects.toMatchObject({ status: 503 })
      isDown = false
      expect((await store.records.get(ref))?.body).toEqual(utf8('x'))
    })
  })

  it('rejects within a minute when another process has wrapped the keys with an unknown KEK', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const inner = createMemoryStore()
    const [old, now] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const store = restarted(inner, createLocalKeyProvider({ keys: { old }, keyId: 'old' }))
    await store.records.put(key, { body: utf8('x') }, 0)
    const both = createLocalKeyProvider({ keys: { old, now }, keyId: 'now' })
    expect(await restarted(inner, both).rewrapKeys()).toBe(1)
    vi.advanceTimersByTime(60_000)
    await expect(store.records.get(key)).rejects.toThrow(
      `are wrapped with the KEK ${both.currentKekId}, but the key provider has only`,
    )
    expect((await restarted(inner, both).records.get(key))?.body).toEqual(utf8('x'))
  })

  it.runIf(runAll)(
    'reads the ring of a scope again when too many others were cached since',
    async () => {
      const inner = createMemoryStore()
      const { provider, calls } = watched()
      const store = restarted(inner, provider)
      const record = { body: utf8('x') }
      const firstRing = { ...ringKey, id: 's0' }
      await store.records.put({ collection: 'items/s0', id: 'b' }, record, 0)
      const beforeRotation = (await inner.records.get(firstRing)) ?? { body: utf8('') }
      await store.rotateDataKeys()
      for (let scope = 0; scope < 4100; scope++)
        await store.records.put({ collection: `items/s${scope}`, id: 'a' }, record, 0)
      calls.length = 0
      expect((await store.records.get({ collection: 'items/s4099', id: 'a' }))?.body).toEqual(
        record.body,
      )
      expect(calls).toEqual([])
      expect((await store.records.get({ collection: 'items/s0', id: 'a' }))?.body).toEqual(
        record.body,
      )
      expect(calls).toEqual(['unwrap'])
      for (let scope = 1; scope < 4100; scope++)
        await store.records.get({ collection: `items/s${scope}`, id: 'a' })
      await overwriteInner(inner, firstRing, beforeRotation)
      await expect(store.records.get({ collection: 'items/s0', id: 'a' })).rejects.toThrow(
        'the encryption keys of s0 are older than those that were seen before',
      )
    },
  )
})
