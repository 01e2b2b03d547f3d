/** What clients of a record store asked and were told, and when. */

import type { RecordQuery } from 'cofferkit'

/** What a place held: its version and text. */
export interface Found {
  readonly version: number
  readonly value: string
}

/** When a client asked and when it was told, by one clock for all; `returned` is Infinity if it never was. */
export interface Interval {
  readonly called: number
  readonly returned: number
}

/** What a writer was told: that it was done, that it was rejected, or nothing that can be relied upon. */
export type Outcome = boolean | 'unknown'

/** One operation of one client. Reads that failed tell nothing and are left out. */
export type Operation = Interval &
  (
    | { readonly kind: 'get'; readonly id: string; readonly found: Found | undefined }
    | {
        readonly kind: 'put'
        readonly id: string
        readonly seen: number
        readonly value: string
        readonly label: string | undefined
        readonly outcome: Outcome
      }
    | {
        readonly kind: 'delete'
        readonly id: string
        readonly seen: number
        readonly outcome: Outcome
      }
    | {
        readonly kind: 'list'
        readonly page: RecordQuery
        readonly found: readonly (Found & { readonly id: string })[]
      }
  )
