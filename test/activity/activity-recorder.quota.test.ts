import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRejectionQuota } from '../../src/activity/rejection-quota.js'
import { createCallbackActivityLog, createMemoryActivityLog } from '../../src/activity.js'
import { type ActivityEntry, createCaller, createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl } from '../support/http/requests.js'
import { itemRef } from '../support/items/refs.js'
import { runAll } from '../support/run-all.js'
import { readEntries } from '../support/service/activity-entries.js'
import { createSpyLog } from '../support/service/observed-calls.js'

const perMinute = 60
const unauthorized = { status: 401 }

/** The number of rejections that these entries represent. */
function countRejections(entries: readonly ActivityEntry[]): number {
  return entries.reduce((sum, { omitted = 0 }) => sum + omitted + 1, 0)
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('createRejectionQuota', () => {
  it('admits 60 rejections a minute, then returns the number of omitted ones', () => {
    const quota = createRejectionQuota()
    const taken = Array.from({ length: 100 }, () => quota.take())
    expect(taken.filter((count) => count !== undefined)).toEqual(Array(perMinute).fill(0))
    vi.advanceTimersByTime(59_999)
    expect(quota.take()).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect([quota.take(), quota.take()]).toEqual([41, 0])
  })

  it('counts the rejections whose entry could not be recorded as omitted', () => {
    const quota = createRejectionQuota()
    quota.addOmitted(3)
    expect(quota.take()).toBe(3)
  })

  describe('rejections of unknown callers', () => {
    it('records few entries whose counts add up and removes no other entry', async () => {
      const rejections = runAll ? 10_000 : 1000
      const activity = createMemoryActivityLog()
      const vault = await createTestVault({ activity })
      for (let count = 0; count < 990; count++) await vault.service.listVaults(vault.caller)
      const earlier = (await readEntries(activity)).toReversed()
      const headers = { authorization: 'Bearer unknown', 'user-agent': '' }
      for (let count = 0; count < rejections; count++) {
        headers['user-agent'] = `agent ${count}`
        const request = createRequest(vault, 'GET', itemUrl(vault), { headers })
        expect((await vault.handler(request)).status).toBe(401)
      }
      const flooded = (await readEntries(activity)).toReversed()
      expect(flooded.slice(0, earlier.length)).toEqual(earlier)
      vi.advanceTimersByTime(60_000)
      await vault.handler(createRequest(vault, 'GET', itemUrl(vault), { headers }))
      const entries = (await readEntries(activity)).filter(({ actor }) => actor.id === '')
      expect(entries.length).toBeLessThanOrEqual(perMinute + 1)
      expect(entries[0]).toMatchObject({ result: 'DENY', omitted: rejections - perMinute })
    })

    it('records rejections in a callback log at the same rate and loses none', async () => {
      const log = createSpyLog()
      const { service, ref } = await createServiceWithLog(log)
      for (let minute = 0; minute < 3; minute++) {
        for (let count = 0; count < 500; count++)
          await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
        vi.advanceTimersByTime(60_000)
      }
      await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
      expect(log.collected).toHaveLength(3 * perMinute + 1)
      expect(countRejections(log.collected)).toBe(1501)
    })

    it('records rejections again after a minute, whatever the system clock shows', async () => {
      const log = createSpyLog()
      let systemTime = Date.parse('2026-01-01T00:00:00Z')
      const { service, ref } = await createServiceWithLog(log, () => new Date(systemTime))
      const entriesAfter = async (times: number): Promise<number> => {
        log.collected.length = 0
        for (let count = 0; count < times; count++)
          await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
        return log.collected.length
      }
      expect(await entriesAfter(70)).toBe(perMinute)
      systemTime += 86_400_000
      expect(await entriesAfter(5)).toBe(0)
      systemTime -= 10 * 86_400_000
      vi.setSystemTime(0)
      expect(await entriesAfter(5)).toBe(0)
      vi.advanceTimersByTime(60_000)
      expect(await entriesAfter(5)).toBe(5)
    })

    it('counts the rejections that the log failed to record', async () => {
      let isBroken = true
      const log = createSpyLog(() => (isBroken ? Promise.reject(new Error('full')) : undefined))
      const { service, ref } = await createServiceWithLog(log)
      for (let count = 0; count < 3; count++)
        await expect(service.getItem(undefined, ref)).rejects.toMatchObject({ status: 503 })
      isBroken = false
      await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
      expect(log.collected.at(-1)).toMatchObject({ omitted: 3 })
    })

    it('does not wait for a hanging log when the quota is used up', async () => {
      const { service, ref } = await createServiceWithLog(
        createCallbackActivityLog(() => new Promise(() => {})),
      )
      const waiting = Array.from({ length: perMinute }, () => service.getItem(undefined, ref))
      const settled = Promise.allSettled(waiting)
      await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
      await vi.advanceTimersByTimeAsync(10_000)
      for (const outcome of await settled)
        expect(outcome).toMatchObject({ reason: { code: 'ACTIVITY_UNAVAILABLE' } })
    })

    it('records every rejection of known callers', async () => {
      const log = createSpyLog()
      const { service, ref } = await createServiceWithLog(log)
      for (let count = 0; count < 100; count++) {
        await expect(service.getItem(undefined, ref)).rejects.toMatchObject(unauthorized)
        await expect(
          service.getItem(createCaller({ id: 'narrow', vaults: {} }), ref),
        ).rejects.toMatchObject({
          status: 403,
        })
      }
      const entries = log.collected.filter(({ actor }) => actor.id === 'narrow')
      expect(entries).toHaveLength(100)
      for (const entry of entries) expect(entry).not.toHaveProperty('omitted')
    })
  })
})

/** A service with this log on a store with an item. */
async function createServiceWithLog(
  activity: ReturnType<typeof createCallbackActivityLog>,
  now?: () => Date,
) {
  const store = createMemoryStore()
  const vault = await createTestVault({ store })
  const service = createVaultService({ store, activity, ...(now && { now }) })
  return { service, ref: itemRef(vault) }
}
