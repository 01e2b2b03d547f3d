/** The keys of one scope in the memory of this process, and how they are overwritten. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { yieldToEventLoop } from '../../../base/pacer.js'
import type { StoredRecord } from '../../../store.js'
import type { KeyRing } from './key-ring.js'
import { sha256 } from './ring-reader.js'
import type { MaybePromise, UnwrappedKey } from './unwrapped-key.js'

/** The keys of one scope. All readings of its ring share them. Only `createScopeKeys` changes it. */
export interface ScopeEntry {
  readonly scope: string
  /**
   * - `opening`: the ring is being read for the first time, and the provider unwraps the key that
   *   verifies it. Calls wait for that.
   * - `open`: the ring was verified, and the keys that calls have needed are in memory. After a
   *   minute the ring is read again. The provider is not called for that.
   * - `rejected`: the ring that was read last is not authentic. Each call reads it again, but the
   *   same bytes are not verified again for 5 s. Keys that were open before stay in memory, in case
   *   the store returns an authentic ring again.
   * - `dropped`: the keys are overwritten as soon as no operation uses them. The next call makes a new
   *   entry.
   */
  state: 'opening' | 'open' | 'rejected' | 'dropped'
  /** The newest ring that was verified. */
  ring: OpenRing | undefined
  /** The 32 bytes that verify it. Undefined until the provider has opened them. */
  ringKey: Uint8Array | undefined
  /** The unwrapped keys by id, and calls of the provider for them. Only those that were needed. */
  readonly unwrapped: Map<number, MaybePromise<UnwrappedKey>>
  /** The reading of the ring that began last, until it has settled. */
  reading: Promise<OpenRing | undefined> | undefined
  /** When the ring was read: a time of `performance.now()`. -Infinity if it must be read again. */
  readAt: number
  /** The record that was rejected last. */
  rejection: Rejection | undefined
  /** When the provider was last asked for the keys. Infinity before that. */
  askedAt: number
  /** True if a call has used a key since then. */
  isUsed: boolean
  /** The number of operations that use the keys. */
  users: number
  /** Drops the keys when they reach their maximum age. */
  dropTimer: Timer | undefined
  /** Renews the keys before that. */
  askTimer: Timer | undefined
}

/** A timer that does not keep a process alive. */
export type Timer = ReturnType<typeof setTimeout>

interface Rejection {
  readonly version: number
  /** SHA-256 of the body. */
  readonly digest: Uint8Array
  readonly at: number
}

/** A key ring that was verified. */
export interface OpenRing extends KeyRing {
  /** The bytes of the record. */
  readonly body: Uint8Array
  /** The 32 bytes that it was verified with, the same for every ring of the scope. */
  readonly ringKey: Uint8Array
  readonly entry: ScopeEntry
}

/** How long a rejected ring is remembered, in milliseconds. */
const maxRejectionAgeMs = 5_000

/** Returns an entry without keys. */
export function createEntry(scope: string): ScopeEntry {
  return {
    scope,
    state: 'opening',
    ring: undefined,
    ringKey: undefined,
    unwrapped: new Map(),
    reading: undefined,
    readAt: Number.NEGATIVE_INFINITY,
    rejection: undefined,
    askedAt: Number.POSITIVE_INFINITY,
    isUsed: false,
    users: 0,
    dropTimer: undefined,
    askTimer: undefined,
  }
}

/** Rejects a ring that is not authentic. */
export async function reject(entry: ScopeEntry, { version, body }: StoredRecord): Promise<void> {
  entry.rejection = { version, digest: await sha256(body), at: performance.now() }
  if (entry.state !== 'dropped') entry.state = 'rejected'
}

/** Returns true if this ring was rejected less than 5 s ago. */
export async function wasRejected(
  { rejection }: ScopeEntry,
  { version, body }: StoredRecord,
): Promise<boolean> {
  if (rejection?.version !== version) return false
  if (performance.now() - rejection.at >= maxRejectionAgeMs) return false
  return areBytesEqual(rejection.digest, await sha256(body))
}

/** Returns the result of `work`. Until then, the keys are not overwritten, except by `wipe`. */
export async function useKeys<Result>(
  entry: ScopeEntry,
  work: () => Promise<Result>,
): Promise<Result> {
  entry.users++
  try {
    return await work()
  } finally {
    entry.users--
    if (entry.state === 'dropped') void wipeUnlessUsed(entry)
  }
}

/**
 * Overwrites the keys of a dropped entry. If an operation uses them, that operation does it later.
 */
export async function wipeUnlessUsed(entry: ScopeEntry): Promise<void> {
  // A call may use a key that it just got until the turn of the event loop ends.
  await yieldToEventLoop()
  if (entry.users === 0) wipe(entry)
}

/** Overwrites the keys of a dropped entry now. */
export function wipe({ ringKey, unwrapped }: ScopeEntry): void {
  ringKey?.fill(0)
  // A key that is still being unwrapped is overwritten when it arrives.
  for (const key of unwrapped.values()) if (!(key instanceof Promise)) key.wipe()
  unwrapped.clear()
}
