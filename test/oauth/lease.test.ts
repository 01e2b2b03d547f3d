import type { RecordStore } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { describe, expect, it } from 'vitest'
import { unreadableRecordError } from '../../src/base/fixed-errors.js'
import { createLeases } from '../../src/oauth/lease.js'
import { readLeaseState } from '../../tools/reliability/oauth/lease-state.js'
import { useVirtualTime } from '../support/virtual-time.js'

const id = 'mail/wendy'
const key = { collection: 'leases', id }
const leaseMs = 1000
const never = Number.POSITIVE_INFINITY
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function readLease(records: RecordStore): Promise<string> {
  return readLeaseState((await records.get(key))?.body)
}

/** Expects that the lease is taken after its time, as one whose holder may have called. */
async function expectLapse(records: RecordStore): Promise<void> {
  const start = performance.now()
  const lease = await createLeases(records, leaseMs).acquire(id, never)
  expect(performance.now() - start).toBeGreaterThanOrEqual(leaseMs)
  expect(lease?.isUncertain).toBe(true)
  expect(await lease?.startCall()).toBe(true)
  await lease?.release('free')
  expect(await readLease(records)).toBe('free')
}

describe('createLeases', () => {
  it('writes each state of a lease into its record', async () => {
    const { records } = createMemoryStore()
    const { acquire } = createLeases(records, leaseMs)
    const states: string[] = []
    for (const end of ['uncertain', 'free', 'free'] as const) {
      const lease = await acquire(id, never)
      states.push(`${lease?.isUncertain}`, await readLease(records))
      expect(await lease?.startCall()).toBe(true)
      states.push(await readLease(records))
      await lease?.release(end)
      states.push(await readLease(records))
    }
    expect(states).toEqual([
      ...['false', 'acquired', 'calling', 'uncertain'],
      ...['true', 'retrying', 'calling', 'free'],
      ...['false', 'acquired', 'calling', 'free'],
    ])
  })

  it('returns undefined when the lease was held and is released', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    const lease = await createLeases(records, leaseMs).acquire(id, never)
    const waiting = createLeases(records, leaseMs).acquire(id, never)
    await new Promise((resolve) => setTimeout(resolve, leaseMs / 2))
    await lease?.release('free')
    expect(await waiting).toBeUndefined()
  })

  it('lets one of many take a lease that has lapsed, and refuses the former holder', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    const former = await createLeases(records, leaseMs).acquire(id, never)
    const takers = Array.from({ length: 8 }, async () => {
      const lease = await createLeases(records, leaseMs).acquire(id, never)
      await lease?.release('free')
      return lease
    })
    const taken = (await Promise.all(takers)).filter((lease) => lease !== undefined)
    expect(taken.map(({ isUncertain }) => isUncertain)).toEqual([false])
    expect(await former?.startCall()).toBe(false)
    await former?.release('uncertain')
    expect(await readLease(records)).toBe('free')
  })

  it('begins the time of a lease again when the call starts', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    const lease = await createLeases(records, leaseMs).acquire(id, never)
    const start = performance.now()
    const waiting = createLeases(records, leaseMs).acquire(id, never)
    await new Promise((resolve) => setTimeout(resolve, leaseMs / 2))
    await lease?.startCall()
    expect((await waiting)?.isUncertain).toBe(true)
    // Half a lease before the call, one lease, and half of one for tokens that are stored late.
    expect(performance.now() - start).toBeGreaterThanOrEqual(2 * leaseMs)
    expect(performance.now() - start).toBeLessThan(2 * leaseMs + 200)
  })

  it('lets a lease last for as long as it is renewed, even if a renewal seems to fail', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    let renewals = 0
    const put: RecordStore['put'] = async (...record) => {
      const isPut = await records.put(...record)
      if (renewals > 0 && renewals % 3 === 0) throw new Error('the connection was lost')
      return isPut
    }
    const lease = await createLeases({ ...records, put }, leaseMs).acquire(id, never)
    await lease?.startCall()
    const waiting = createLeases(records, leaseMs).acquire(id, performance.now() + 20 * leaseMs)
    for (; renewals < 20; renewals++) {
      await pause(leaseMs / 2)
      await lease?.renew()
    }
    expect(await readLease(records)).toBe('calling')
    await lease?.release('free')
    expect(await readLease(records)).toBe('free')
    expect(await waiting).toBeUndefined()
  })

  it('does not renew or end a lease that another process has taken', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    const former = await createLeases(records, leaseMs).acquire(id, never)
    await former?.startCall()
    const lease = await createLeases(records, leaseMs).acquire(id, never)
    await former?.renew()
    expect(await readLease(records)).toBe('retrying')
    await lease?.startCall()
    await former?.renew()
    await former?.release('free')
    expect(await readLease(records)).toBe('calling')
    await lease?.release('uncertain')
    expect(await readLease(records)).toBe('uncertain')
  })

  it('does not take a lease from its own process while that renews it', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    let isFailing = false
    const put: RecordStore['put'] = async (...record) => {
      if (isFailing) throw new Error('the connection was lost')
      return records.put(...record)
    }
    const leases = createLeases({ ...records, put }, leaseMs)
    const lease = await leases.acquire(id, never)
    await lease?.startCall()
    isFailing = true
    await lease?.renew()
    isFailing = false
    const late = { code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('another') }
    await expect(leases.acquire(id, performance.now() + 5 * leaseMs)).rejects.toMatchObject(late)
    await lease?.release('uncertain')
    expect(await leases.acquire(id, never)).toMatchObject({ isUncertain: true })
  })

  it('starts no call when the process was stopped for longer than the lease', async () => {
    const { records } = createMemoryStore()
    const shortMs = 100
    const put: RecordStore['put'] = async (...record) => {
      const isCall = readLeaseState(record[1].body) === 'calling'
      const until = performance.now() + (isCall ? shortMs : 0)
      // Nothing else runs meanwhile, as after SIGSTOP.
      while (performance.now() < until);
      return records.put(...record)
    }
    const lease = await createLeases({ ...records, put }, shortMs).acquire(id, never)
    expect(await lease?.startCall()).toBe(false)
  })

  it('does not reject when a lease cannot be released', async () => {
    const { records } = createMemoryStore()
    let isLost = false
    const put: RecordStore['put'] = async (...record) => {
      if (isLost) throw new Error('the connection was lost')
      return records.put(...record)
    }
    const lease = await createLeases({ ...records, put }, leaseMs).acquire(id, never)
    isLost = true
    await lease?.release('free')
    expect(await readLease(records)).toBe('acquired')
  })

  it.each(['', 'lost', '{}', 'free', '{"state":"lost"}', '{"state": "free"}'])(
    'lets a lease lapse when its record is damaged to %j',
    async (text) => {
      useVirtualTime()
      const { records } = createMemoryStore()
      await records.put(key, { body: new TextEncoder().encode(text) }, 0)
      await expectLapse(records)
    },
  )

  it('lets a lease lapse when its store cannot decrypt its record', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    await records.put(key, { body: new Uint8Array(40) }, 0)
    const get: RecordStore['get'] = async (seenKey) => {
      const record = await records.get(seenKey)
      if (record?.version === 1) throw unreadableRecordError({ ...seenKey, version: 1 })
      return record
    }
    await expectLapse({ ...records, get })
  })

  it('rejects with the redacted error of the store', async () => {
    const { records } = createMemoryStore()
    const get = async (): Promise<never> => {
      throw new Error('SWORDFISH')
    }
    const error: unknown = await createLeases({ ...records, get }, leaseMs)
      .acquire(id, never)
      .catch((reason) => reason)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(String(Object(error).cause)).not.toContain('SWORDFISH')
  })
})
