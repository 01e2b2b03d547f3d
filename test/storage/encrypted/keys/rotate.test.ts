import { describe, expect, it } from 'vitest'
import { decodeRing, vaultRings } from '../../../../src/storage/encrypted/keys/key-ring.js'
import { createKeyStore } from '../../../../src/storage/encrypted/keys/key-store.js'
import { moveRing } from '../../../../src/storage/encrypted/keys/move-ring.js'
import { createRingStore } from '../../../../src/storage/encrypted/keys/ring-store.js'
import { rewrapRing, rotateDataKey } from '../../../../src/storage/encrypted/keys/rotate.js'
import { createLocalKeyProvider } from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'

const keks = { old: new Uint8Array(32).fill(1), now: new Uint8Array(32).fill(2) }
const key = { collection: 'keys', id: 'v1' }
const day = 24 * 60 * 60 * 1000

/** Returns keys whose clock shows `time`, and the ring that is stored. */
async function createRing(time: number) {
  const { records } = createMemoryStore()
  const clock = { time }
  const open = (current: keyof typeof keks) => {
    const provider = createLocalKeyProvider({ keys: keks, keyId: current })
    const keys = createKeyStore(
      createRingStore(vaultRings, records),
      provider,
      undefined,
      () => clock.time,
    )
    return { keys, provider }
  }
  const readFrom = async (store = records) => {
    const stored = await store.get(key)
    return stored === undefined ? undefined : decodeRing(stored, vaultRings)
  }
  const { keys } = open('old')
  await keys.ensureRing('v1')
  return { records, clock, keys, open, readFrom }
}

describe('createKeyStore', () => {
  it('stores when the first key was made', async () => {
    const { readFrom } = await createRing(1_767_225_600_000)
    expect((await readFrom())?.keys).toEqual([{ id: 1, made: 1_767_225_600_000 }])
  })

  it.each([
    ['shows a time before 1970', -1, 0],
    ['shows no time', Number.NaN, 0],
    ['is beyond all times', Number.POSITIVE_INFINITY, 0],
    ['shows parts of a millisecond', 1.9, 1],
  ])('makes keys that can be read when the clock %s', async (_, time, made) => {
    const { keys, open, readFrom } = await createRing(time)
    await rotateDataKey(keys, 'v1')
    expect((await readFrom())?.keys).toMatchObject([{ made }, { made }])
    expect((await open('old').keys.findRing('v1'))?.keys).toHaveLength(2)
  })
})

describe('rotateDataKey', () => {
  it('stores when the new key was made, and keeps the time of the others', async () => {
    const { keys, clock, readFrom } = await createRing(2 * day)
    for (const time of [5 * day, 3 * day]) {
      clock.time = time
      await rotateDataKey(keys, 'v1')
    }
    const times = [2, 5, 3].map((days) => days * day)
    expect((await readFrom())?.keys.map(({ made }) => made)).toEqual(times)
  })

  it('renews the secret, so that the former one opens none of the new keys', async () => {
    const { keys, readFrom } = await createRing(day)
    const before = await readFrom()
    await rotateDataKey(keys, 'v1')
    const after = await readFrom()
    expect(after?.secret).not.toBe(before?.secret)
    expect(after?.sealed).not.toBe(before?.sealed)
  })
})

describe('rewrapRing', () => {
  it('keeps when each key was made', async () => {
    const { keys, clock, open, readFrom } = await createRing(2 * day)
    clock.time = 3 * day
    await rotateDataKey(keys, 'v1')
    clock.time = 4 * day
    const later = open('now')
    expect(await rewrapRing(later.keys, later.provider, 'v1')).toBe(true)
    const { kekId, keys: stored } = (await readFrom()) ?? {}
    expect(kekId).toBe(later.provider.currentKekId)
    expect(stored).toEqual([
      { id: 1, made: 2 * day },
      { id: 2, made: 3 * day },
    ])
  })
})

describe('moveRing', () => {
  it('keeps when the key was made', async () => {
    const { records, keys, clock, readFrom } = await createRing(2 * day)
    const keyRings = createMemoryStore().records
    clock.time = 4 * day
    expect(await moveRing(records, keyRings, keys.opener, 'v1')).toBe(true)
    expect((await readFrom(keyRings))?.keys).toEqual([{ id: 1, made: 2 * day }])
  })
})
