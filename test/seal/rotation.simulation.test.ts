import { describe, expect, it, vi } from 'vitest'
import { StorageUnavailableError } from '../../src/index.js'
import { createSealer, type Place, type SealedBox } from '../../src/seal.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import type { RecordStore } from '../../src/store.js'
import { minuteMs } from '../support/seal/sealers.js'
import { createKeys } from '../support/stores/encrypted-stores.js'

const place: Place = ['integrations', 'token', 42]
const scopes = ['a', 'b', 'c', 'd', 'e']
const ahead = [0, 5, -5, 3]
const steps = 120

/** Returns whole numbers below a limit, the same ones in every run. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), state | 1)
    const value = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((value ^ (value >>> 14)) >>> 0) % limit
  }
}

/**
 * Runs four processes with five boxes each, whose clocks differ by up to ten minutes. Between two steps
 * 1 to 20 minutes pass. A process can be paused, or unable to read the rings, for two steps in a row.
 * One of them rotates in each step, at most once an hour by its clock.
 * @param hasHour False if the hour between two rotations is passed by, by clocks a day apart.
 * @returns How many values were opened, and how many could not be.
 */
async function simulate(seed: number, hasHour = true) {
  const random = createRandom(seed)
  const { records } = createMemoryStore()
  const keys = createKeys()
  let time = Date.UTC(2026, 0, 1)
  const start = (aheadMinutes: number, isDown = () => false) => {
    const get: RecordStore['get'] = (key) =>
      isDown() ? Promise.reject(new Error('down')) : records.get(key)
    const now = () => new Date(time + aheadMinutes * minuteMs)
    return createSealer({ ...records, get }, { keys, now })
  }
  const rotators = hasHour ? ahead.map((minutes) => start(minutes)) : [start(0), start(1440)]
  const processes = await Promise.all(
    ahead.map(async (minutes) => {
      const state = { isDown: false, lostSteps: 0 }
      const sealer = start(minutes, () => state.isDown)
      const boxes = await Promise.all(scopes.map((scope) => sealer.box(scope)))
      return { state, boxes }
    }),
  )
  const values = scopes.map((): { readonly sealed: string; readonly value: string }[] => [])
  const result = { opened: 0, failed: 0, rotations: 0 }
  for (let step = 0; step < steps; step++) {
    time += (1 + random(20)) * minuteMs
    result.rotations += (await rotators[step % rotators.length]?.rotateDataKeys()) ?? 0
    for (const { state, boxes } of processes) {
      const isLost = state.lostSteps < 2 && random(3) === 0
      state.lostSteps = isLost ? state.lostSteps + 1 : 0
      state.isDown = isLost && random(2) === 0
      if (isLost && !state.isDown) continue
      for (const [index, box] of boxes.entries()) {
        const known = values[index] ?? []
        known.push({ sealed: box.seal(place, `${step}`), value: `${step}` })
        if (!state.isDown) await waitForRing(records, scopes[index] ?? '', box)
        known.push({ sealed: box.seal(place, `${step}`), value: `${step}` })
        for (const { sealed, value } of known.slice(-12)) {
          try {
            expect(box.open(place, sealed)).toBe(value)
            result.opened++
          } catch (error) {
            expect(error).toBeInstanceOf(StorageUnavailableError)
            result.failed++
          }
        }
      }
    }
  }
  return result
}

/** Waits until a box, which was used, seals with the current key of the ring in the store. */
async function waitForRing(records: RecordStore, scope: string, box: SealedBox): Promise<void> {
  const stored = await records.get({ collection: 'seal', id: scope })
  const { keys } = JSON.parse(new TextDecoder().decode(stored?.body))
  const start = `coffer1.${keys.at(-2).id}.`
  await vi.waitFor(() => expect(box.seal(place, '')).toContain(start), { interval: 1 })
}

describe('rotateDataKeys, simulated', () => {
  it('leaves no value that another process cannot open', { timeout: 120_000 }, async () => {
    const { opened, failed, rotations } = await simulate(1)
    process.stdout.write(
      `20 boxes in 4 processes, ${rotations} rotations: ${opened} opens, ${failed} failed\n`,
    )
    expect(opened).toBeGreaterThan(10_000)
    expect(rotations).toBeGreaterThan(80)
    expect(failed).toBe(0)
  })

  it('leaves some if rotations are minutes apart', { timeout: 120_000 }, async () => {
    expect((await simulate(1, false)).failed).toBeGreaterThan(50)
  })
})
