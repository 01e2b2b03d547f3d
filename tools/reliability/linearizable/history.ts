/** The operations of the clients of a record store, with their results and times. */

import type { RecordQuery } from 'cofferkit'

/** A stored version and its text. */
export interface Found {
  readonly version: number
  readonly value: string
}

/**
 * The time of a call and of its return, by one clock for all clients. `returned` is Infinity if the
 * outcome is unknown.
 */
export interface Interval {
  readonly called: number
  readonly returned: number
}

/** The result of a write: done, rejected, or unknown because the call failed. */
export type Outcome = boolean | 'unknown'

/** One operation of one client. Reads that failed are left out, because they show nothing. */
export type Operation = Interval &
  (
    | { readonly kind: 'get'; readonly id: string; readonly found: Found | undefined }
    | {
        readonly kind: 'put'
        readonly id: string
        readonly expectedVersion: number
        readonly value: string
        readonly indexKey: string | undefined
        readonly outcome: Outcome
      }
    | {
        readonly kind: 'delete'
        readonly id: string
        readonly expectedVersion: number
        readonly outcome: Outcome
      }
    | {
        readonly kind: 'list'
        readonly page: RecordQuery
        readonly found: readonly (Found & { readonly id: string })[]
      }
  )
