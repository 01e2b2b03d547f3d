/**
 * Leases decide which process refreshes a grant. They are records that are written by
 * compare-and-swap.
 */

import { areBytesEqual } from '../base/are-bytes-equal.js'
import { leaseRecords } from '../base/stored-records.js'
import { assertNotEncrypted } from '../core/runtime/encryption-check.js'
import { createStoreGuard, wrapStoreErrors } from '../core/runtime/guard-store.js'
import { isUnreadableError } from '../core/runtime/report-unreadable.js'
import { StorageUnavailableError } from '../errors.js'
import type { RecordKey, RecordStore } from '../store.js'

/**
 * The state of a lease. The body of its record is `{"state":"free"}`, in exactly these bytes:
 * - `free`: not held
 * - `uncertain`: not held, and the result of the last call to the provider is unknown
 * - `acquired`: held, and the provider has not been called
 * - `retrying`: held after a call with an unknown result, and the provider has not been called
 *   since
 * - `calling`: held, and the provider may have been called
 */
type LeaseState = (typeof leaseStates)[number]

const leaseStates = ['free', 'uncertain', 'acquired', 'retrying', 'calling'] as const

/**
 * The state of a damaged lease. A process may hold it, and may have called the provider. It lapses
 * like any other lease.
 */
const unreadableState = 'retrying'

const encoder = new TextEncoder()

/** The states of a lease that is not held. */
type EndState = 'free' | 'uncertain'

/** The record of a lease. */
interface SeenLease {
  readonly version: number
  readonly state: LeaseState
}

/** A lease that this process holds, unless it has paused for longer than the lease lasts. */
export interface Lease {
  /** True if the result of an earlier call to the provider is unknown. */
  readonly isUncertain: boolean
  /**
   * Records that the provider is about to be called. The lease then lasts for another `leaseMs`.
   * @returns False if the lease is lost. The provider must then not be called.
   */
  startCall(): Promise<boolean>
  /**
   * Extends the lease by another `leaseMs` after `startCall`. From then on, this process does not
   * take it from itself. Does nothing if the lease is lost, and never rejects.
   */
  renew(): Promise<void>
  /**
   * Ends the lease. Does nothing if it is lost. Never rejects, because the lease then lapses
   * anyway.
   */
  release(state: EndState): Promise<void>
}

/** The leases in a store. */
export interface Leases {
  /**
   * Waits until the lease of a grant is free or has lapsed, and takes it. A lease has lapsed when
   * its record has not changed for `leaseMs` on this process's monotonic clock, because the clocks
   * of processes differ. If a lease lapsed during a call, its holder may still have tokens that it
   * could not store, so this waits for another half of `leaseMs`.
   * @param id - The key of the grant.
   * @param deadline - A time like `performance.now()`. The lease is not taken after it.
   * @returns Undefined if another process has held and released the lease meanwhile.
   * @throws StorageError if the store fails.
   * @throws StorageUnavailableError (503) after the deadline.
   */
  acquire(id: string, deadline: number): Promise<Lease | undefined>
}

/** The longest time between two looks at a lease that another process holds, in milliseconds. */
const maxPauseMs = 100

/** Creates the leases in the collection `leases` of a store. */
export function createLeases(records: RecordStore, leaseMs: number): Leases {
  const guard = createStoreGuard(leaseMs)
  const renewalGuard = createStoreGuard(leaseMs / 10)
  /** The ids of the leases that this process has renewed and not ended. */
  const renewed = new Set<string>()

  async function read(key: RecordKey, by = guard): Promise<SeenLease> {
    try {
      const record = await wrapStoreErrors(() => records.get(key), by)
      if (record === undefined) return { version: 0, state: 'free' }
      const { version, body } = record
      const state = parseState(body)
      if (state === undefined) assertNotEncrypted(body)
      return { version, state: state ?? unreadableState }
    } catch (error) {
      if (!isUnreadableError(error, key)) throw error
      return { version: error.record.version, state: unreadableState }
    }
  }

  const write = (
    key: RecordKey,
    state: LeaseState,
    expectedVersion: number,
    by = guard,
  ): Promise<boolean> =>
    wrapStoreErrors(() => records.put(key, { body: formatState(state) }, expectedVersion), by)

  async function take(key: RecordKey, seen: SeenLease): Promise<Lease | undefined> {
    const isUncertain = mayHaveCalled(seen)
    let { version } = seen
    if (!(await write(key, isUncertain ? 'retrying' : 'acquired', version))) return undefined
    version++

    /** Replaces the state, unless the lease is lost. */
    async function replace(state: LeaseState, by: typeof guard): Promise<void> {
      if (await write(key, state, version, by)) version++
      else {
        // An earlier write may have happened although it failed. No other process writes `calling`
        // over this process's state, because a lease that was taken has other states first.
        const now = await read(key, by)
        if (now.version !== version + 1 || now.state !== 'calling') return
        version = now.version + Number(await write(key, state, now.version, by))
      }
    }

    return {
      isUncertain,
      async startCall() {
        const startedAt = performance.now()
        if (!(await write(key, 'calling', version))) return false
        version++
        // After a pause, another process may have taken the lease.
        return performance.now() - startedAt < leaseMs
      },
      async renew() {
        renewed.add(key.id)
        await replace('calling', renewalGuard).catch(() => {})
      },
      async release(state) {
        renewed.delete(key.id)
        await replace(state, guard).catch(() => {})
      },
    }
  }

  return {
    async acquire(id, deadline) {
      const key = { collection: leaseRecords.collection, id }
      let held: { readonly version: number; readonly since: number } | undefined
      for (;;) {
        const lookedAt = performance.now()
        if (lookedAt >= deadline)
          throw new StorageUnavailableError('another process has not finished its refresh')
        const seen = await read(key)
        const isFree = seen.state === 'free' || seen.state === 'uncertain'
        if (isFree && held !== undefined) return undefined
        // The record had this version before `since` and after `lookedAt`.
        const isUnchanged = held?.version === seen.version && lookedAt - held.since >= leaseMs
        const hasLapsed = isUnchanged && !renewed.has(key.id)
        const lease = isFree || hasLapsed ? await take(key, seen) : undefined
        if (lease !== undefined) {
          if (hasLapsed && mayHaveCalled(seen)) await sleep(leaseMs / 2)
          return lease
        }
        if (held?.version !== seen.version)
          held = { version: seen.version, since: performance.now() }
        await sleep(Math.random() * maxPauseMs)
      }
    },
  }
}

/**
 * Every body that a service writes begins with `{`, so that an encrypted store can tell it from
 * encrypted ones.
 */
function formatState(state: LeaseState): Uint8Array {
  return encoder.encode(JSON.stringify({ state }))
}

/** Returns undefined if the body is damaged. */
function parseState(body: Uint8Array): LeaseState | undefined {
  return leaseStates.find((one) => areBytesEqual(formatState(one), body))
}

/** Returns true if the result of a call to the provider may be unknown. */
function mayHaveCalled({ state }: SeenLease): boolean {
  return state === 'uncertain' || state === 'retrying' || state === 'calling'
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
