/** An entry of the activity log: who did what to which vault or item, and whether he was let. */

import * as z from 'zod/mini'
import { idSchema } from './ids.js'
import type { VaultReference } from './item.js'

/** What an operation does to what it names. */
export type ActivityAction = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE'

/** What an operation is about. */
export type ActivityResource = 'ITEM' | 'VAULT'

/** One call of an operation. It holds ids, versions and where the call came from; never a value of an item. */
export interface ActivityEntry {
  /** A UUID that the service makes; the entries of one call share it, and the last of them says how the call ended. */
  readonly requestId: string
  /**
   * The `X-Request-Id` of the response, which the client may have chosen: 1 to 128 letters, digits, `_`, `.` and `-`.
   * Many calls can have the same. Absent in process where the caller's `origin` has none, and always over HTTP.
   */
  readonly clientRequestId?: string
  /**
   * How many refusals of unknown callers were only counted since the last entry of this kind, 1 or more. Absent if there
   * were none, and always over HTTP.
   */
  readonly omitted?: number
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly timestamp: string
  readonly action: ActivityAction
  /** `SUCCESS` before the answer leaves or the change is made, `DENY` when the operation is refused or fails. */
  readonly result: 'SUCCESS' | 'DENY'
  readonly actor: {
    /** The caller's id; empty if it is not known who called. */
    readonly id: string
    /** The id of the caller's token. */
    readonly jti?: string
    readonly userAgent?: string
    readonly requestIp?: string
  }
  readonly resource: {
    readonly type: ActivityResource
    /** Absent where the operation names no vault. */
    readonly vault?: VaultReference
    readonly item?: { readonly id: string }
    /** The version that was read, that a change makes, or that is removed. */
    readonly itemVersion?: number
  }
}

/** A part of the activity log. */
export interface ActivityPage {
  /** Newest first. */
  readonly entries: readonly ActivityEntry[]
  /** How many entries the caller may see in all. */
  readonly total: number
}

/** Reads an {@link ActivityEntry} as it is published over HTTP. */
export const activityEntrySchema = z.object({
  requestId: z.guid(),
  timestamp: z.iso.datetime(),
  action: z.enum(['READ', 'CREATE', 'UPDATE', 'DELETE']),
  result: z.enum(['SUCCESS', 'DENY']),
  actor: z.object({
    id: z.string(),
    jti: z.exactOptional(z.string()),
    userAgent: z.exactOptional(z.string()),
    requestIp: z.exactOptional(z.string()),
  }),
  resource: z.object({
    type: z.enum(['ITEM', 'VAULT']),
    vault: z.exactOptional(z.object({ id: idSchema })),
    item: z.exactOptional(z.object({ id: idSchema })),
    itemVersion: z.exactOptional(z.int().check(z.gte(0))),
  }),
})

/** Reads an {@link ActivityEntry} as it is recorded. */
export const recordedEntrySchema = z.extend(activityEntrySchema, {
  clientRequestId: z.exactOptional(z.string()),
  omitted: z.exactOptional(z.int().check(z.gte(1))),
})

/** Reads which part of the log is asked for. */
export const activityInputSchema = z.object({
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  offset: z.optional(z.int().check(z.gte(0))),
})
