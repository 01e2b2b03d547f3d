import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRejectionQuota } from '../../../src/core/activity/rejection-quota.js'
import {
  type ActivityEntry,
  createCallbackActivityLog,
  createCaller,
  createMemoryActivityLog,
  createVaultService,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { itemUrl, requestTo } from '../../support/http/requests.js'
import { listOf } from '../../support/service/activity-entries.js'
import { placeOf, spyLog } from '../../support/service/observed-calls.js'

const perMinute = 60
const unauthorized = { status: 401 }

/** How many refusals these entries speak of. */
function refusalsIn(entries: readonly ActivityEntry[]): number {
  return entries.reduce((sum, { omitted = 0 }) => sum + omitted + 1, 0)
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('createRefusalQuota', () => {
  it('admits 60 in a minute, and then says how many it has only counted', () => {
    const quota = createRejectionQuota()
    const taken = Array.from({ length: 100 }, () => quota.take())
    expect(taken.filter((count) => count !== undefined)).toEqual(Array(perMinute).fill(0))
    vi.advanceTimersByTime(59_999)
    expect(quota.take()).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect([quota.take(), quota.take()]).toEqual([41, 0])
  })

  it('counts what is given back', () => {
    const quota = createRejectionQuota()
    quota.giveBack(3)
    expect(quota.take()).toBe(3)
  })
})

describe('refusals of unknown callers', () => {
  it('leave few entries, whose counts add up, and push out nothing from the memory log', async () => {
    const activity = createMemoryActivityLog()
    const vault = await createTestVault({ activity })
    for (let count = 0; count < 990; count++) await vault.service.listVaults(vault.caller, {})
    const earlier = (await listOf(activity)).toReversed()
    const headers = { authorization: 'Bearer nobody', 'user-agent': '' }
    for (let count = 0; count < 10_000; count++) {
      headers['user-agent'] = `agent ${count}`
      const request = requestTo(vault, 'GET', itemUrl(vault), { headers })
      expect((await vault.handler(request)).status).toBe(401)
    }
    const flooded = (await listOf(activity)).toReversed()
    expect(flooded.slice(0, earlier.length)).toEqual(earlier)
    vi.advanceTimersByTime(60_000)
    await vault.handler(requestTo(vault, 'GET', itemUrl(vault), { headers }))
    const entries = (await listOf(activity)).filter(({ actor }) => actor.id === '')
    expect(entries.length).toBeLessThanOrEqual(perMinute + 1)
    expect(entries[0]).toMatchObject({ result: 'DENY', omitted: 10_000 - perMinute })
  })

  it('reach an own log of the operator at the same rate, and none is lost', async () => {
    const log = spyLog()
    const { service, place: ref } = await vaultOf(log)
    for (let minute = 0; minute < 3; minute++) {
      for (let count = 0; count < 500; count++)
        await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
      vi.advanceTimersByTime(60_000)
    }
    await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
    expect(log.told).toHaveLength(3 * perMinute + 1)
    expect(refusalsIn(log.told)).toBe(1501)
  })

  it('are recorded again after a minute, whatever the clock on the wall says', async () => {
    const log = spyLog()
    let wall = Date.parse('2026-01-01T00:00:00Z')
    const { service, place: ref } = await vaultOf(log, () => new Date(wall))
    const refused = async (times: number): Promise<number> => {
      log.told.length = 0
      for (let count = 0; count < times; count++)
        await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
      return log.told.length
    }
    expect(await refused(70)).toBe(perMinute)
    wall += 86_400_000
    expect(await refused(5)).toBe(0)
    wall -= 10 * 86_400_000
    vi.setSystemTime(0)
    expect(await refused(5)).toBe(0)
    vi.advanceTimersByTime(60_000)
    expect(await refused(5)).toBe(5)
  })

  it('count those whose entry the log did not take', async () => {
    let isBroken = true
    const log = spyLog(() => (isBroken ? Promise.reject(new Error('full')) : undefined))
    const { service, place: ref } = await vaultOf(log)
    for (let count = 0; count < 3; count++)
      await expect(service.getItem(undefined, ref)).rejects.toMatchObject({ status: 503 })
    isBroken = false
    await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
    expect(log.told.at(-1)).toMatchObject({ omitted: 3 })
  })

  it('do not wait for a log that hangs once there were too many', async () => {
    const { service, place: ref } = await vaultOf(
      createCallbackActivityLog(() => new Promise(() => {})),
    )
    const waiting = Array.from({ length: perMinute }, () => service.getItem(undefined, ref))
    const settled = Promise.allSettled(waiting)
    await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
    await vi.advanceTimersByTimeAsync(10_000)
    for (const outcome of await settled)
      expect(outcome).toMatchObject({ reason: { code: 'ACTIVITY_UNAVAILABLE' } })
  })

  it('take nothing from those of known callers, each of which is recorded', async () => {
    const log = spyLog()
    const { service, place: ref } = await vaultOf(log)
    for (let count = 0; count < 100; count++) {
      await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
      await expect(service.getItem(createCaller('narrow', {}), ref)).rejects.toMatchObject({
        status: 403,
      })
    }
    const known = log.told.filter(({ actor }) => actor.id === 'narrow')
    expect(known).toHaveLength(100)
    for (const entry of known) expect(entry).not.toHaveProperty('omitted')
  })
})

/** A service with this log on a store with an item. */
async function vaultOf(activity: ReturnType<typeof createCallbackActivityLog>, now?: () => Date) {
  const store = createMemoryStore()
  const vault = await createTestVault({ store })
  const service = createVaultService({ store, activity, ...(now && { now }) })
  return { service, place: placeOf(vault) }
}
