import { afterEach, describe, expect, it, vi } from 'vitest'
import type { VaultStore } from '../../../src/index.js'
import { createEncryptedStore, type KeyProvider } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { utf8 } from '../../support/bytes.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'

const key = { collection: 'items/v1', id: 'a' }

type Call = 'wrap' | 'unwrap' | 'get' | 'put'

/**
 * Returns the store and the provider with one change: the first call of the given kind for keys
 * never settles. `lost` resolves when it is made.
 */
function loseCall(inner: VaultStore, keys: KeyProvider, lostCall: Call) {
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  let isLost = false
  const run = <Result>(call: Call, work: () => Promise<Result>): Promise<Result> => {
    if (isLost || call !== lostCall) return work()
    isLost = true
    resolve()
    return new Promise(() => {})
  }
  const provider: KeyProvider = {
    ...keys,
    wrap: (bytes, context) => run('wrap', () => keys.wrap(bytes, context)),
    unwrap: (kekId, bytes, context) => run('unwrap', () => keys.unwrap(kekId, bytes, context)),
  }
  const { records } = inner
  const store: VaultStore = {
    ...inner,
    records: {
      ...records,
      get: (ref) =>
        ref.collection === 'keys' ? run('get', () => records.get(ref)) : records.get(ref),
      put: (ref, record, expectedVersion) =>
        ref.collection === 'keys'
          ? run('put', () => records.put(ref, record, expectedVersion))
          : records.put(ref, record, expectedVersion),
    },
  }
  return { lost, store: createEncryptedStore(store, { keys: provider }) }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('withKeyTimeout', () => {
  it.each<[Call, string]>([
    ['wrap', 'the key provider did not settle in 10 s'],
    ['unwrap', 'the key provider did not settle in 10 s'],
    ['get', 'the store did not settle in 10 s'],
    ['put', 'the store did not settle in 10 s'],
  ])(
    'rejects a write after 10 s with 503 when %s never settles, and creates the keys with the next',
    async (call, message) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const { lost, store } = loseCall(createMemoryStore(), createKeys(), call)
      const writes = ['a', 'b'].map((id) =>
        store.records.put({ ...key, id }, { body: utf8('x') }, 0),
      )
      const rejected = writes.map((write) =>
        expect(write).rejects.toMatchObject({ status: 503, message }),
      )
      await lost
      await vi.advanceTimersByTimeAsync(10_000)
      await Promise.all(rejected)
      expect(await store.records.put(key, { body: utf8('y') }, 0)).toBe(true)
      expect((await store.records.get(key))?.body).toEqual(utf8('y'))
    },
  )

  it.each<Call>(['unwrap', 'get'])(
    'rejects a read after 10 s with 503 when %s never settles, and reads the record with the next',
    async (call) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const inner = createMemoryStore()
      const keys = createKeys()
      const before = createEncryptedStore(inner, { keys })
      await before.records.put(key, { body: utf8('x') }, 0)
      await before.rotateDataKeys()
      const { lost, store } = loseCall(inner, keys, call)
      const rejected = expect(store.records.get(key)).rejects.toMatchObject({ status: 503 })
      await lost
      await vi.advanceTimersByTimeAsync(10_000)
      await rejected
      expect((await store.records.get(key))?.body).toEqual(utf8('x'))
    },
  )
})
