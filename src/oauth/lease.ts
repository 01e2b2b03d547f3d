/** Leases: which process refreshes a grant, in records that are written by compare-and-swap. */

import { corruptRecordError, decodeText, encodeText } from '../core/records/stored-json.js'
import { createStoreGuard, wrapStoreErrors } from '../core/runtime/guard-store.js'
import type { ItemRef } from '../schema/ids.js'
import type { RecordKey, RecordStore } from '../store.js'

/**
 * The state of a lease, which is the body of its record:
 * - `free`: not held;
 * - `uncertain`: not held, and the result of the last call of the provider is unknown;
 * - `acquired`: held, and the provider has not been called;
 * - `retrying`: held after a call with an unknown result, and the provider has not been called;
 * - `calling`: held, and the provider may have been called.
 */
type LeaseState = (typeof leaseStates)[number]

const leaseStates = ['free', 'uncertain', 'acquired', 'retrying', 'calling'] as const

/** The states of a lease that is not held. */
type EndState = 'free' | 'uncertain'

/** A lease that this process holds, unless it has paused for longer than the lease lasts. */
export interface Lease {
  /** True if the result of an earlier call of the provider is unknown. */
  readonly isUncertain: boolean
  /**
   * Records that the provider is about to be called. The lease then lasts for `leaseMs` again.
   * @returns False if the lease is lost, so the provider must not be called.
   */
  startCall(): Promise<boolean>
  /** Ends the lease. Does nothing if it is lost, and never rejects: the lease lapses instead. */
  release(state: EndState): Promise<void>
}

/** The leases in a store. */
export interface Leases {
  /**
   * Waits until the lease of an item is not held, or has lapsed, and takes it. A lease has lapsed
   * when its record has not changed for `leaseMs` on the monotonic clock of this process, because
   * the clocks of processes differ.
   * @returns Undefined if another process has held the lease meanwhile and has released it.
   * @throws StorageError if the store fails.
   */
  acquire(ref: ItemRef): Promise<Lease | undefined>
}

/** The longest time between two looks at a lease that another process holds, in milliseconds. */
const maxPauseMs = 100

/** Creates the leases in the collection `leases` of a store. */
export function createLeases(records: RecordStore, leaseMs: number): Leases {
  const guard = createStoreGuard(leaseMs)

  async function read(key: RecordKey): Promise<{ version: number; state: LeaseState }> {
    const record = await wrapStoreErrors(() => records.get(key), guard)
    if (record === undefined) return { version: 0, state: 'free' }
    const text = decodeText(record.body)
    const state = leaseStates.find((one) => one === text)
    if (state === undefined) throw corruptRecordError()
    return { version: record.version, state }
  }

  const write = (key: RecordKey, state: LeaseState, expectedVersion: number): Promise<boolean> =>
    wrapStoreErrors(() => records.put(key, { body: encodeText(state) }, expectedVersion), guard)

  async function take(
    key: RecordKey,
    seen: { readonly version: number; readonly state: LeaseState },
  ): Promise<Lease | undefined> {
    const isUncertain = ['uncertain', 'retrying', 'calling'].includes(seen.state)
    let { version } = seen
    if (!(await write(key, isUncertain ? 'retrying' : 'acquired', version))) return undefined
    version++
    return {
      isUncertain,
      async startCall() {
        const startedAt = performance.now()
        if (!(await write(key, 'calling', version))) return false
        version++
        // After a pause, another process can have taken the lease.
        return performance.now() - startedAt < leaseMs
      },
      async release(state) {
        await write(key, state, version).catch(() => {})
      },
    }
  }

  return {
    async acquire({ vaultId, itemId }) {
      const key = { collection: 'leases', id: `${vaultId}/${itemId}` }
      let held: { readonly version: number; readonly since: number } | undefined
      for (;;) {
        const lookedAt = performance.now()
        const seen = await read(key)
        const isFree = seen.state === 'free' || seen.state === 'uncertain'
        if (isFree && held !== undefined) return undefined
        // The record had this version before `since` and after `lookedAt`.
        const hasLapsed = held?.version === seen.version && lookedAt - held.since >= leaseMs
        const lease = isFree || hasLapsed ? await take(key, seen) : undefined
        if (lease !== undefined) return lease
        if (held?.version !== seen.version)
          held = { version: seen.version, since: performance.now() }
        await new Promise((resolve) => setTimeout(resolve, Math.random() * maxPauseMs))
      }
    },
  }
}
