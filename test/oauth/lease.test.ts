import type { RecordStore } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { describe, expect, it } from 'vitest'
import { createLeases } from '../../src/oauth/lease.js'
import { useVirtualTime } from '../support/virtual-time.js'

const ref = { vaultId: 'v'.repeat(26), itemId: 'i'.repeat(26) }
const key = { collection: 'leases', id: `${ref.vaultId}/${ref.itemId}` }
const leaseMs = 1000

async function readLease(records: RecordStore): Promise<string> {
  return new TextDecoder().decode((await records.get(key))?.body)
}

describe('createLeases', () => {
  it('writes each state of a lease into its record', async () => {
    const { records } = createMemoryStore()
    const { acquire } = createLeases(records, leaseMs)
    const states: string[] = []
    for (const end of ['uncertain', 'free', 'free'] as const) {
      const lease = await acquire(ref)
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
    const lease = await createLeases(records, leaseMs).acquire(ref)
    const waiting = createLeases(records, leaseMs).acquire(ref)
    await new Promise((resolve) => setTimeout(resolve, leaseMs / 2))
    await lease?.release('free')
    expect(await waiting).toBeUndefined()
  })

  it('lets one of many take a lease that has lapsed, and refuses the former holder', async () => {
    useVirtualTime()
    const { records } = createMemoryStore()
    const former = await createLeases(records, leaseMs).acquire(ref)
    const takers = Array.from({ length: 8 }, async () => {
      const lease = await createLeases(records, leaseMs).acquire(ref)
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
    const lease = await createLeases(records, leaseMs).acquire(ref)
    const start = performance.now()
    const waiting = createLeases(records, leaseMs).acquire(ref)
    await new Promise((resolve) => setTimeout(resolve, leaseMs / 2))
    await lease?.startCall()
    expect((await waiting)?.isUncertain).toBe(true)
    expect(performance.now() - start).toBeGreaterThanOrEqual(1.5 * leaseMs)
  })

  it('starts no call when the process was stopped for longer than the lease', async () => {
    const { records } = createMemoryStore()
    const shortMs = 100
    const put: RecordStore['put'] = async (...record) => {
      const isCall = new TextDecoder().decode(record[1].body) === 'calling'
      const until = performance.now() + (isCall ? shortMs : 0)
      // Nothing else runs meanwhile, as after SIGSTOP.
      while (performance.now() < until);
      return records.put(...record)
    }
    const lease = await createLeases({ ...records, put }, shortMs).acquire(ref)
    expect(await lease?.startCall()).toBe(false)
  })

  it('does not reject when a lease cannot be released', async () => {
    const { records } = createMemoryStore()
    let isLost = false
    const put: RecordStore['put'] = async (...record) => {
      if (isLost) throw new Error('the connection was lost')
      return records.put(...record)
    }
    const lease = await createLeases({ ...records, put }, leaseMs).acquire(ref)
    isLost = true
    await lease?.release('free')
    expect(await readLease(records)).toBe('acquired')
  })

  it.each([new TextEncoder().encode('held'), new Uint8Array([255])])(
    'rejects with STORAGE_FAILED when the record has unexpected bytes',
    async (body) => {
      const { records } = createMemoryStore()
      await records.put(key, { body }, 0)
      const failed = { code: 'STORAGE_FAILED' }
      await expect(createLeases(records, leaseMs).acquire(ref)).rejects.toMatchObject(failed)
    },
  )

  it('rejects with the redacted error of the store', async () => {
    const { records } = createMemoryStore()
    const get = async (): Promise<never> => {
      throw new Error('SWORDFISH')
    }
    const error: unknown = await createLeases({ ...records, get }, leaseMs)
      .acquire(ref)
      .catch((reason) => reason)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(String(Object(error).cause)).not.toContain('SWORDFISH')
  })
})
