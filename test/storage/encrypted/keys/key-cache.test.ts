import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DecryptionError } from '../../../../src/index.js'
import type { OpenRing } from '../../../../src/storage/encrypted/keys/key-cache.js'
import { vaultRings } from '../../../../src/storage/encrypted/keys/key-ring.js'
import { createKeyStore } from '../../../../src/storage/encrypted/keys/key-store.js'
import { createRingStore } from '../../../../src/storage/encrypted/keys/ring-store.js'
import { rotateDataKey } from '../../../../src/storage/encrypted/keys/rotate.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { utf8 } from '../../../support/bytes.js'
import { createDenyingKms, pass } from '../../../support/stores/denying-kms.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'

const body = utf8('x')
const isZero = ({ opened }: OpenRing): boolean =>
  [opened.ringKey, opened.material].every((bytes) => bytes.every((byte) => byte === 0))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('createKeyCache', () => {
  const ringRef = { collection: 'keys', id: 'v1' }

  /** A ring that another process has stored, and keys that have not read it yet. */
  async function createStored() {
    const kms = createDenyingKms()
    const inner = createMemoryStore()
    const rings = createRingStore(vaultRings, inner.records)
    await createKeyStore(rings, kms.provider).ensureRing('v1')
    kms.unwrapped.length = 0
    const { cache } = createKeyStore(rings, kms.provider)
    const stored = await inner.records.get(ringRef)
    if (stored === undefined) throw new Error('no ring')
    return { ...kms, inner, rings, cache, stored }
  }

  it('opens a scope once for all calls, and reads its ring again after a minute', async () => {
    const { cache, rings, unwrapped } = await createStored()
    const get = vi.spyOn(rings, 'get')
    const opening = [cache.find('v1'), cache.find('v1')]
    expect(cache.peek('v1')).toBeUndefined()
    const [ring, same] = await Promise.all(opening)
    expect(same).toBe(ring)
    expect(ring?.opened.isDropped).toBe(false)
    vi.advanceTimersByTime(59_999)
    expect([cache.peek('v1'), cache.find('v1')]).toEqual([ring, ring])
    expect(get).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    expect(cache.peek('v1')).toBeUndefined()
    expect(await cache.find('v1')).toBe(ring)
    expect(get).toHaveBeenCalledTimes(2)
    expect(unwrapped).toEqual(['v1'])
  })

  it('is rejected while the ring is not authentic, and open again with the same keys', async () => {
    const { cache, inner, stored, unwrapped } = await createStored()
    const ring = await cache.read('v1')
    await overwriteInner(inner, ringRef, { body })
    await expect(cache.read('v1')).rejects.toThrow(DecryptionError)
    expect(cache.peek('v1')).toBeUndefined()
    await overwriteInner(inner, ringRef, stored, stored.version)
    expect((await cache.find('v1'))?.opened).toBe(ring?.opened)
    expect(cache.peek('v1')?.opened).toBe(ring?.opened)
    expect(unwrapped).toEqual(['v1'])
  })

  it('asks the provider once in 5 s about a rejected ring, and at once when the ring has changed', async () => {
    const { cache, inner, stored, unwrapped } = await createStored()
    const ring = new TextDecoder().decode(stored.body)
    const mac = ring.slice(ring.indexOf('"mac":"') + 7, -2)
    const forged = ring.replace(mac, btoa('x'.repeat(32)))
    await overwriteInner(inner, ringRef, { body: utf8(forged) })
    for (let attempt = 0; attempt < 20; attempt++)
      await expect((async () => cache.find('v1'))()).rejects.toThrow(DecryptionError)
    expect(unwrapped.length).toBe(1)
    vi.advanceTimersByTime(5_000)
    await expect(cache.read('v1')).rejects.toThrow(DecryptionError)
    expect(unwrapped.length).toBe(2)
    await overwriteInner(inner, ringRef, stored, stored.version)
    const authentic = await cache.find('v1')
    expect(cache.peek('v1')).toBe(authentic)
    expect(unwrapped.length).toBe(3)
  })

  it('reads the ring again with the next call when the store has failed', async () => {
    const { cache, rings, unwrapped } = await createStored()
    const ring = await cache.read('v1')
    vi.spyOn(rings, 'get').mockRejectedValueOnce(new Error('lost connection'))
    await expect(cache.read('v1')).rejects.toThrow('lost connection')
    expect(cache.peek('v1')).toBeUndefined()
    expect(await cache.find('v1')).toBe(ring)
    expect(unwrapped).toEqual(['v1'])
  })

  it('overwrites dropped keys only when no operation uses them', async () => {
    const { cache } = await createStored()
    const ring = await cache.read('v1')
    if (ring === undefined) throw new Error('no ring')
    const end = Promise.withResolvers<void>()
    const using = cache.use(ring, () => end.promise)
    cache.drop('v1')
    expect(ring.opened.isDropped).toBe(true)
    await pass(0)
    expect(cache.keyOf(ring, 1)?.bytes.every((byte) => byte === 0)).toBe(false)
    end.resolve()
    await using
    await pass(0)
    expect(isZero(ring)).toBe(true)
    expect(() => cache.keyOf(ring, 1)).toThrow(
      'the encryption keys were dropped meanwhile: try again',
    )
  })

  it('keeps the same keys when a scope is opened twice at the same time', async () => {
    const { cache, unwrapped } = await createStored()
    const rings = await Promise.all([cache.read('v1'), cache.read('v1')])
    expect(unwrapped).toEqual(['v1', 'v1'])
    const [one, other] = rings.map((ring) => ring?.opened)
    expect(one).toBe(other)
    expect(cache.peek('v1')?.opened).toBe(one)
  })

  it('never uses a scope again after it has seen that its keys were erased', async () => {
    const { cache, rings, provider, inner, stored } = await createStored()
    const ring = await cache.read('v1')
    await createKeyStore(rings, provider).eraseRing('v1', async () => {})
    const erased = 'the encryption keys of v1 were erased: its id cannot be used again'
    await expect(cache.read('v1')).rejects.toThrow(erased)
    expect(ring?.opened.isDropped).toBe(true)
    await overwriteInner(inner, ringRef, stored, 9)
    await expect(cache.read('v1')).rejects.toThrow(erased)
    await expect(cache.assertNotErased('v1')).rejects.toThrow(erased)
  })

  it('drops the keys when assertNotErased reads that they were erased', async () => {
    const { cache, rings, provider } = await createStored()
    const ring = await cache.read('v1')
    await cache.assertNotErased('v1')
    await cache.assertNotErased('none')
    expect(ring?.opened.isDropped).toBe(false)
    await createKeyStore(rings, provider).eraseRing('v1', async () => {})
    await expect(cache.assertNotErased('v1')).rejects.toThrow('were erased')
    expect(ring?.opened.isDropped).toBe(true)
  })
})

describe('KeyCache.visit', () => {
  it('pushes out no keys that were in memory, and leaves none that were not', async () => {
    const kms = createDenyingKms()
    const rings = createRingStore(vaultRings, createMemoryStore().records)
    const others = createKeyStore(rings, kms.provider)
    const scopes = Array.from({ length: 4100 }, (_, index) => `v${index}`)
    for (const scope of scopes) await others.ensureRing(scope)
    const keys = createKeyStore(rings, kms.provider)
    const live = await keys.ensureRing('v0')
    for (const scope of scopes)
      await keys.updateRing(scope, async (ring) => ({
        content: { ...ring, hasReencryptions: true },
      }))
    expect(keys.cache.peek('v0')?.opened).toBe(live.opened)
    expect(scopes.filter((scope) => keys.cache.peek(scope) !== undefined)).toEqual(['v0'])
  })
})

describe('a ring that is read while its keys are dropped', () => {
  it('is opened again, or unavailable, but never damaged', async () => {
    const kms = createDenyingKms()
    const { records } = createMemoryStore()
    const others = createKeyStore(createRingStore(vaultRings, records), kms.provider)
    await others.ensureRing('v1')
    let onCheck = async (): Promise<void> => {}
    const canRollBack = async (): Promise<boolean> => {
      await onCheck()
      return false
    }
    const keys = createKeyStore(
      createRingStore(vaultRings, { ...records, canRollBack }),
      kms.provider,
    )
    await keys.readRing('v1')
    await rotateDataKey(others, 'v1')
    onCheck = async () => {
      keys.forget('v1')
      await pass(0)
    }
    expect((await keys.readRing('v1'))?.keys).toHaveLength(2)
    await keys.readRing('v1')
    await rotateDataKey(others, 'v1')
    kms.denied.add('v1')
    await expect(keys.readRing('v1')).rejects.toMatchObject({ status: 503 })
  })
})

describe('createKeyStore', () => {
  async function openRing() {
    const { records } = createMemoryStore()
    const keys = createKeyStore(createRingStore(vaultRings, records), createKeys())
    const ring = (await keys.ensureRing('v1')) as OpenRing
    const isWiped = async (): Promise<boolean> => {
      await new Promise((resolve) => setImmediate(resolve))
      return isZero(ring)
    }
    expect(await isWiped()).toBe(false)
    return { records, keys, isWiped }
  }

  it('overwrites keys that another process has erased without their KEK', async () => {
    const { records, keys, isWiped } = await openRing()
    const gone = { ...createKeys(), unwrap: () => Promise.reject(new Error('disabled')) }
    await createKeyStore(createRingStore(vaultRings, records), gone).eraseRing('v1', async () => {})
    vi.advanceTimersByTime(60_000)
    await expect(keys.findRing('v1')).rejects.toThrow('the encryption keys of v1 were erased')
    expect(await isWiped()).toBe(true)
  })

  it('overwrites the keys that were not used for the longest time, when there are too many', async () => {
    const { keys, isWiped } = await openRing()
    await Promise.all(Array.from({ length: 4096 }, (_, index) => keys.findRing(`w${index}`)))
    // Scopes without keys push out no others.
    expect(await isWiped()).toBe(false)
    for (let index = 0; index < 4096; index++) await keys.ensureRing(`w${index}`)
    expect(await isWiped()).toBe(true)
  })
})
