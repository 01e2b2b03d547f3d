import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DecryptionError } from '../../../../src/index.js'
import { createKeyStore } from '../../../../src/storage/encrypted/keys/key-store.js'
import { createRingStore } from '../../../../src/storage/encrypted/keys/ring-store.js'
import type { OpenRing } from '../../../../src/storage/encrypted/keys/scope-entry.js'
import { createScopeKeys } from '../../../../src/storage/encrypted/keys/scope-keys.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { utf8 } from '../../../support/bytes.js'
import { createDenyingKms, pass } from '../../../support/stores/denying-kms.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'

const body = utf8('x')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('createScopeKeys', () => {
  const ringRef = { collection: 'keys', id: 'v1' }

  /** A ring that another process has stored, and keys that have not read it yet. */
  async function createStored() {
    const kms = createDenyingKms()
    const inner = createMemoryStore()
    const rings = createRingStore(inner.records)
    await createKeyStore(rings, kms.provider).ensureRing('v1')
    kms.unwrapped.length = 0
    const scopeKeys = createScopeKeys(rings, kms.provider, Number.POSITIVE_INFINITY)
    const stored = await inner.records.get(ringRef)
    if (stored === undefined) throw new Error('no ring')
    return { ...kms, inner, rings, scopeKeys, stored }
  }

  it('opens a scope once for all calls, and reads its ring again after a minute', async () => {
    const { scopeKeys, rings, unwrapped } = await createStored()
    const get = vi.spyOn(rings, 'get')
    const opening = [scopeKeys.find('v1'), scopeKeys.find('v1')]
    expect(scopeKeys.peek('v1')).toBeUndefined()
    const [ring, same] = await Promise.all(opening)
    expect(same).toBe(ring)
    expect(ring?.entry.state).toBe('open')
    vi.advanceTimersByTime(59_999)
    expect([scopeKeys.peek('v1'), scopeKeys.find('v1')]).toEqual([ring, ring])
    expect(get).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    expect(scopeKeys.peek('v1')).toBeUndefined()
    expect(await scopeKeys.find('v1')).toBe(ring)
    expect(get).toHaveBeenCalledTimes(2)
    expect(unwrapped).toEqual(['v1'])
  })

  it('is rejected while the ring is not authentic, and open again with the same keys', async () => {
    const { scopeKeys, inner, stored, unwrapped } = await createStored()
    const ring = await scopeKeys.read('v1')
    await overwriteInner(inner, ringRef, { body })
    await expect(scopeKeys.read('v1')).rejects.toThrow(DecryptionError)
    expect(ring?.entry.state).toBe('rejected')
    expect(scopeKeys.peek('v1')).toBeUndefined()
    await overwriteInner(inner, ringRef, stored, stored.version)
    expect(await scopeKeys.find('v1')).toBe(ring)
    expect(ring?.entry.state).toBe('open')
    expect(unwrapped).toEqual(['v1'])
  })

  it('asks the provider once in 5 s about a rejected ring, and at once when the ring has changed', async () => {
    const { scopeKeys, inner, stored, unwrapped } = await createStored()
    const ring = new TextDecoder().decode(stored.body)
    const mac = ring.slice(ring.indexOf('"mac":"') + 7, -2)
    const forged = ring.replace(mac, btoa('x'.repeat(32)))
    await overwriteInner(inner, ringRef, { body: utf8(forged) })
    for (let attempt = 0; attempt < 20; attempt++)
      await expect((async () => scopeKeys.find('v1'))()).rejects.toThrow(DecryptionError)
    expect(unwrapped.length).toBe(1)
    vi.advanceTimersByTime(5_000)
    await expect(scopeKeys.read('v1')).rejects.toThrow(DecryptionError)
    expect(unwrapped.length).toBe(2)
    await overwriteInner(inner, ringRef, stored, stored.version)
    expect((await scopeKeys.find('v1'))?.entry.state).toBe('open')
    expect(unwrapped.length).toBe(3)
  })

  it('reads the ring again with the next call when the store has failed', async () => {
    const { scopeKeys, rings, unwrapped } = await createStored()
    const ring = await scopeKeys.read('v1')
    vi.spyOn(rings, 'get').mockRejectedValueOnce(new Error('lost connection'))
    await expect(scopeKeys.read('v1')).rejects.toThrow('lost connection')
    expect(scopeKeys.peek('v1')).toBeUndefined()
    expect(await scopeKeys.find('v1')).toBe(ring)
    expect(unwrapped).toEqual(['v1'])
  })

  it('overwrites dropped keys only when no operation uses them', async () => {
    const { scopeKeys } = await createStored()
    const ring = await scopeKeys.read('v1')
    if (ring === undefined) throw new Error('no ring')
    const end = Promise.withResolvers<void>()
    const using = scopeKeys.use(ring, () => end.promise)
    scopeKeys.drop('v1')
    expect(ring.entry.state).toBe('dropped')
    await pass(0)
    expect(ring.ringKey.every((byte) => byte === 0)).toBe(false)
    expect(() => scopeKeys.assertNotDropped(ring)).toThrow(
      'the encryption keys were dropped meanwhile: try again',
    )
    end.resolve()
    await using
    await pass(0)
    expect(ring.ringKey.every((byte) => byte === 0)).toBe(true)
  })

  it('keeps one ring key when a scope is opened twice at the same time', async () => {
    const { scopeKeys, unwrapped } = await createStored()
    const rings = await Promise.all([scopeKeys.read('v1'), scopeKeys.read('v1')])
    expect(unwrapped).toEqual(['v1', 'v1'])
    const [one, other] = rings.map((ring) => ring?.ringKey)
    expect(one).toBe(other)
    expect(scopeKeys.peek('v1')?.ringKey).toBe(one)
  })

  it('never uses a scope again after it has seen that its keys were erased', async () => {
    const { scopeKeys, rings, provider, inner, stored } = await createStored()
    const ring = await scopeKeys.read('v1')
    await createKeyStore(rings, provider).eraseRing('v1', async () => {})
    const erased = 'the encryption keys of v1 were erased: its id cannot be used again'
    await expect(scopeKeys.read('v1')).rejects.toThrow(erased)
    expect(ring?.entry.state).toBe('dropped')
    await overwriteInner(inner, ringRef, stored, 9)
    await expect(scopeKeys.read('v1')).rejects.toThrow(erased)
    await expect(scopeKeys.assertNotErased('v1')).rejects.toThrow(erased)
  })

  it('drops the keys when assertNotErased reads that they were erased', async () => {
    const { scopeKeys, rings, provider } = await createStored()
    const ring = await scopeKeys.read('v1')
    await scopeKeys.assertNotErased('v1')
    await scopeKeys.assertNotErased('none')
    expect(ring?.entry.state).toBe('open')
    await createKeyStore(rings, provider).eraseRing('v1', async () => {})
    await expect(scopeKeys.assertNotErased('v1')).rejects.toThrow('were erased')
    expect(ring?.entry.state).toBe('dropped')
  })
})

describe('createKeyStore', () => {
  async function openRing() {
    const { records } = createMemoryStore()
    const keys = createKeyStore(createRingStore(records), createKeys())
    const ring = (await keys.ensureRing('v1')) as OpenRing
    const isWiped = async (): Promise<boolean> => {
      await new Promise((resolve) => setImmediate(resolve))
      return ring.ringKey.every((byte) => byte === 0)
    }
    expect(await isWiped()).toBe(false)
    return { records, keys, isWiped }
  }

  it('overwrites keys that another process has erased without their KEK', async () => {
    const { records, keys, isWiped } = await openRing()
    const gone = { ...createKeys(), unwrap: () => Promise.reject(new Error('disabled')) }
    await createKeyStore(createRingStore(records), gone).eraseRing('v1', async () => {})
    vi.advanceTimersByTime(60_000)
    await expect(keys.findRing('v1')).rejects.toThrow('the encryption keys of v1 were erased')
    expect(await isWiped()).toBe(true)
  })

  it('overwrites the keys that were not used for the longest time, when there are too many', async () => {
    const { keys, isWiped } = await openRing()
    await Promise.all(Array.from({ length: 4096 }, (_, index) => keys.findRing(`w${index}`)))
    expect(await isWiped()).toBe(true)
  })
})
