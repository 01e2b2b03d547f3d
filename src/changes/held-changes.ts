/**
 * Holds the changes of a log back until they are made. An entry is recorded before its change, so a
 * cache that drops an item too early would be filled with the old value again.
 */

import { isItemRecord, itemKey } from '../core/records/item-record.js'
import { isVaultRecord, vaultKey } from '../core/records/vault-record.js'
import { batchesOf } from '../core/runtime/batches.js'
import { createStoreGuard, wrapStoreErrors } from '../core/runtime/guard-store.js'
import type { RecordKey, RecordStore } from '../store.js'
import { type Change, isDeletion, type LoggedChange } from './change.js'
import { type Listing, recordMs } from './read-log.js'

/** Records that are read at a time. */
const maxConcurrentReads = 32
/** One record that cannot be read must not delay the changes of others for long. */
const readTimeoutMs = 5_000
/** A change is given up when it is not made within this many times the hold. */
const maxHolds = 10

interface HeldChange extends LoggedChange {
  /** The number of the listing that has found it. */
  readonly listing: number
  /** The time since which it is held, on the clock of `performance.now()`. */
  readonly since: number
  /** True if it was delivered because it was held for too long. */
  isReleased: boolean
}

/** A vault or an item with changes. */
interface Subject {
  readonly key: RecordKey
  readonly vaultId: string
  held: HeldChange[]
  /** The types and the record versions of changes that were delivered as made, and their times. */
  readonly delivered: Map<string, number>
  /** The record had this version: a change is recorded after the version before it was read. */
  reached: number
  /** The time of the newest entry. */
  newest: number
  /** The record is not read again before this time. */
  nextReadAt: number
}

/** The stored state of a vault or an item. */
interface StoredState {
  /** The version of its record; undefined if it has none. */
  readonly version: number | undefined
  readonly isLive: boolean
}

/** Options of `createHeldChanges`. */
interface HoldOptions {
  readonly items: RecordStore
  readonly holdMs: number
  readonly windowMs: number
  readonly now: () => Date
}

/** The changes that are held back. */
export interface HeldChanges {
  /** Adds what a look at the log has found. */
  add(listing: Listing): void
  /** Returns the changes to deliver now, those of one vault or item in the order of its versions. */
  release(): Promise<readonly Change[]>
}

/** Creates an empty collection of held changes. */
export function createHeldChanges({ items, holdMs, windowMs, now }: HoldOptions): HeldChanges {
  const guard = createStoreGuard(readTimeoutMs)
  const subjects = new Map<string, Subject>()
  const denied = new Map<string, number>()
  let listings = 0
  let listedUntil = 0

  return {
    add({ changes, denied: newlyDenied, until, from }) {
      listings++
      listedUntil = until
      // A change that was recorded long ago has been held by another watcher, or by this one.
      const longest = windowMs + holdMs + recordMs
      for (const change of changes) {
        const isOld = now().getTime() - change.time > longest
        const since = isOld ? Number.NEGATIVE_INFINITY : performance.now()
        hold({ ...change, listing: listings, since, isReleased: false })
      }
      for (const [requestId, time] of newlyDenied) denied.set(requestId, time)
      for (const [requestId, time] of denied) if (time < from - windowMs) denied.delete(requestId)
      for (const [id, { held, newest, delivered }] of subjects) {
        if (held.length === 0 && newest < from - windowMs) subjects.delete(id)
        for (const [name, time] of delivered) if (time < from - windowMs) delivered.delete(name)
      }
    },

    async release() {
      const due = [...subjects.values()].filter(({ held }) => held.some(isComplete))
      const stored = await readStates(due.filter(needsRead))
      const released = due.flatMap((subject) => releaseFrom(subject, stored.get(subject)))
      return released.sort((one, other) => one.order - other.order).map(({ change }) => change)
    },
  }

  function hold(held: HeldChange): void {
    const { change, recordVersion, time } = held
    const { vaultId, itemId } = change
    const key = itemId === undefined ? vaultKey(vaultId) : itemKey({ vaultId, itemId })
    const id = `${key.collection}/${key.id}`
    const subject: Subject = subjects.get(id) ?? {
      ...{ key, vaultId, held: [], delivered: new Map(), reached: 0, newest: 0, nextReadAt: 0 },
    }
    subjects.set(id, subject)
    subject.held.push(held)
    subject.reached = Math.max(subject.reached, recordVersion - 1)
    subject.newest = Math.max(subject.newest, time)
    subject.nextReadAt = 0
  }

  /**
   * Returns true if everything that was recorded before the change is found: what was recorded
   * while the log was read can be missing in that listing, and is in the next one.
   */
  function isComplete({ listing, time }: HeldChange): boolean {
    return listing < listings && time + windowMs <= listedUntil
  }

  function needsRead({ held, reached, nextReadAt }: Subject): boolean {
    return nextReadAt <= performance.now() && held.some((one) => one.recordVersion > reached)
  }

  async function readStates(
    wanted: readonly Subject[],
  ): Promise<ReadonlyMap<Subject, StoredState>> {
    const found = new Map<Subject, StoredState>()
    for (const batch of batchesOf(wanted, maxConcurrentReads))
      await Promise.all(
        batch.map(async (subject) => {
          // The longer a change is not made, the less often its record is read.
          const newest = Math.max(...subject.held.map(({ since }) => since))
          subject.nextReadAt = performance.now() + (performance.now() - newest) / 8
          // A record that cannot be read, such as one of a tenant who denies the key, is not known.
          const state = await readState(subject).catch(() => undefined)
          if (state !== undefined) found.set(subject, state)
        }),
      )
    return found
  }

  async function readState({ key, vaultId }: Subject): Promise<StoredState> {
    const stored = await wrapStoreErrors(() => items.get(key), guard)
    const isVault = key.id === vaultId
    const isLive = isVault ? isVaultRecord(stored, vaultId) : isItemRecord(stored)
    return { version: stored?.version, isLive }
  }

  /** Removes the changes that are decided, and returns those that are delivered now. */
  function releaseFrom(
    subject: Subject,
    stored: StoredState | undefined,
  ): { readonly change: Change; readonly order: number }[] {
    const { delivered } = subject
    const held = subject.held.sort(
      (one, other) =>
        one.recordVersion - other.recordVersion ||
        Number(isDeletion(one)) - Number(isDeletion(other)) ||
        one.time - other.time,
    )
    // A deletion is recorded after its record was read, so the record has existed.
    const deletions = held.filter(isDeletion).map(({ recordVersion }) => recordVersion)
    const version = stored === undefined ? 0 : (stored.version ?? Math.max(0, ...deletions))
    subject.reached = Math.max(subject.reached, version)
    const released: { change: Change; order: number }[] = []
    const deliver = ({ change, time }: HeldChange): void => {
      released.push({ change, order: Math.max(time, released.at(-1)?.order ?? 0) })
    }
    const kept = new Set(held)
    for (const one of held) {
      const { change, recordVersion, requestId, since } = one
      if (!isComplete(one)) break
      const ageMs = performance.now() - since
      const isMade = recordVersion <= subject.reached
      const isDenied = denied.has(requestId)
      const isLostDeletion =
        isDeletion(one) && stored?.isLive && (isDenied || stored.version === recordVersion)
      if (isLostDeletion || (isDenied && !isMade && stored !== undefined)) {
        kept.delete(one)
      } else if (isMade) {
        kept.delete(one)
        const name = `${change.type} ${recordVersion}`
        if (!delivered.has(name)) deliver(one)
        delivered.set(name, one.time)
      } else {
        if (ageMs < holdMs) break
        if (!one.isReleased) deliver(one)
        one.isReleased = true
        if (ageMs > holdMs * maxHolds) kept.delete(one)
      }
    }
    subject.held = held.filter((one) => kept.has(one))
    return released
  }
}
