import { describe, expect, it, vi } from 'vitest'
import { createCaller, createVaultService } from '../../../src/index.js'
import { encrypt, nonceLength } from '../../../src/storage/encrypted/envelope/cipher.js'
import { encryptEnvelope } from '../../../src/storage/encrypted/envelope/record-envelope.js'
import { vaultRings } from '../../../src/storage/encrypted/keys/key-ring.js'
import { createKeyStore } from '../../../src/storage/encrypted/keys/key-store.js'
import { createRingStore } from '../../../src/storage/encrypted/keys/ring-store.js'
import { createEncryptedStore } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { createKeys, encryptStore } from '../../support/stores/encrypted-stores.js'
import { createHangingStore } from '../../support/stores/hanging-store.js'

const key = { collection: 'items/v1', id: 'a' }
const closed = {
  code: 'STORAGE_UNAVAILABLE',
  status: 503,
  message: 'the encrypted store is closed',
}

describe('EncryptedStore.close', () => {
  it('refuses every later call with 503, and can be called again', async () => {
    const store = encryptStore()
    const { records, blobs } = store
    await records.put(key, { body: utf8('x'), indexKey: 'k' }, 0)
    await store.close()
    const calls: Record<string, () => Promise<unknown>> = {
      get: () => records.get(key),
      put: () => records.put(key, { body: utf8('y') }, 1),
      delete: () => records.delete(key, 1),
      list: () => records.list(key.collection, { limit: 1 }),
      read: () => blobs.read('v1/a'),
      write: () => blobs.write('v1/a', streamOf([utf8('x')])),
      remove: () => blobs.delete('v1/a'),
      rotateDataKeys: () => store.rotateDataKeys(),
      rewrapKeys: () => store.rewrapKeys(),
      forgetKeys: () => store.forgetKeys(),
      moveKeyRings: () => store.moveKeyRings(),
      eraseKeys: () => store.eraseKeys({ scopes: [] }),
      reencrypt: () => store.reencrypt(),
    }
    for (const call of Object.values(calls)) await expect(call()).rejects.toMatchObject(closed)
    await store.close()
  })

  it('waits for a put in progress, which is encrypted with the key of its scope', async () => {
    const inner = createHangingStore(createMemoryStore())
    const keys = createKeys()
    const store = createEncryptedStore(inner, { keys })
    await store.records.put(key, { body: utf8('x') }, 0)
    const release = inner.hang('records.put')
    const writing = store.records.put(key, { body: utf8('y') }, 1)
    const isClosed = vi.fn()
    const closing = store.close().then(isClosed)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isClosed).not.toHaveBeenCalled()
    release()
    expect(await writing).toBe(true)
    await closing
    const other = createEncryptedStore(inner, { keys })
    expect(await other.records.get(key)).toMatchObject({ version: 2, body: utf8('y') })
  })

  it('fails a stream that is still being read', async () => {
    const store = encryptStore()
    const content = new Uint8Array(300_000).fill(7)
    await store.blobs.write('v1/a', streamOf([content]))
    const reading = await store.blobs.read('v1/a')
    await store.close()
    await expect(readBytes(reading ?? streamOf([]))).rejects.toMatchObject(closed)
  })

  it('leaves the inner store and the key provider open', async () => {
    const inner = createMemoryStore()
    const keys = createKeys()
    const caller = createCaller({ id: 'wendy', vaults: '*' })
    const first = createEncryptedStore(inner, { keys })
    const vault = await createVaultService({ store: first }).createVault(caller, { name: 'Home' })
    await first.close()
    const second = createVaultService({ store: createEncryptedStore(inner, { keys }) })
    expect(await second.getVault(caller, { vaultId: vault.id })).toEqual(vault)
  })
})

describe('KeyStore.wipe', () => {
  it('overwrites the keys of every scope, and makes them unusable', async () => {
    const keys = createKeyStore(
      createRingStore(vaultRings, createMemoryStore().records),
      createKeys(),
    )
    const rings = await Promise.all(['v1', 'v2'].map((scope) => keys.ensureRing(scope)))
    const [one, two] = rings
    if (one === undefined || two === undefined) throw new Error('no rings')
    const unwrapped = [keys.currentKey(one), keys.currentKey(two)]
    const ringKeys = [one, two].map(({ opened }) => opened.ringKey)
    const cached = [...unwrapped.map(({ bytes }) => bytes), ...ringKeys]
    expect(cached.every((bytes) => bytes.some((byte) => byte !== 0))).toBe(true)
    keys.wipe()
    expect(cached.map((bytes) => bytes.every((byte) => byte === 0))).toEqual(Array(4).fill(true))
    for (const dataKey of unwrapped) {
      expect(dataKey.bytes.length).toBe(0)
      const content = { body: utf8('x'), blindIndex: new Uint8Array(0), reencryptionCount: 0 }
      expect(() => encryptEnvelope({ ...key, version: 1 }, dataKey, content)).toThrow()
      const nonce = new Uint8Array(nonceLength)
      expect(() => encrypt(dataKey.bytes, nonce, nonce, utf8('x'))).toThrow()
    }
  })

  it('rejects a key that the provider unwraps later', async () => {
    const { records } = createMemoryStore()
    const provider = createKeys()
    const ringStore = createRingStore(vaultRings, records)
    await createKeyStore(ringStore, provider).ensureRing('v1')
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const keys = createKeyStore(ringStore, {
      ...provider,
      async unwrap(...call) {
        begun.resolve()
        await gate.promise
        return provider.unwrap(...call)
      },
    })
    const pending = Promise.resolve(keys.ensureRing('v1'))
    pending.catch(() => {})
    await begun.promise
    keys.wipe()
    gate.resolve()
    await expect(pending).rejects.toMatchObject({
      status: 503,
      message: 'the encrypted store is closed',
    })
  })

  it('refuses the keys of a ring that it has returned before', async () => {
    const keys = createKeyStore(
      createRingStore(vaultRings, createMemoryStore().records),
      createKeys(),
    )
    const ring = await keys.ensureRing('v1')
    keys.wipe()
    expect(() => keys.currentKey(ring)).toThrow(
      'the encryption keys were dropped meanwhile: try again',
    )
  })
})
