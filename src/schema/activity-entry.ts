/** Activity entries: which caller did what to which vault or item, and with which result. */

import type { ErrorCode } from '../errors.js'
import { idSchema } from './ids.js'
import type { VaultReference } from './item.js'
import type { SecretUseTarget } from './secret-use.js'
import * as z from './zod.js'

/** The effect of an operation on its resource. */
export type ActivityAction = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE'

/** The type of resource that an operation reads or changes. */
export type ActivityResource = 'ITEM' | 'VAULT'

/**
 * The outcome of a call:
 * - `PENDING`: the call has begun to change something, and the outcome is not known yet. It stays
 *   so if the store fails or the process ends
 * - `SUCCESS`: the call was allowed, and its change, if any, was made
 * - `DENY`: the call was rejected or failed
 */
export type ActivityResult = 'PENDING' | 'SUCCESS' | 'DENY'

/** The credential or the OAuth grant that a call was about. Neither member is a secret. */
export interface RecordedCredential {
  /** At most 200 characters. */
  readonly name: string
  /** At most 200 characters. Not set if there is no account. */
  readonly account?: string
}

/** The request in which a secret was used. */
export interface RecordedUse extends Omit<SecretUseTarget, 'place'> {
  /** Where the value is in the request, such as `header:authorization`: at most 200 characters. */
  readonly place?: string
  /** The id or the label of the field that was asked for: at most 200 characters. */
  readonly field?: string
}

/**
 * One call of an operation, or one item that `getItems` returned. It contains ids, versions and
 * where the call came from, but no values of items. Two entries with the same `requestId` and the
 * same item are the same entry, because a change is recorded as `PENDING` before its first write,
 * and again when the call ends.
 */
export interface ActivityEntry {
  /**
   * A UUID that the service generates for each call (RFC 9562, version 7). Within one process, a
   * later call has a greater id.
   */
  readonly requestId: string
  /**
   * The `X-Request-Id` of the response, which the client can choose: 1 to 128 letters, digits, `_`,
   * `.` and `-`. It is not unique, because several calls can have the same one. In process it is
   * the caller's `client.requestId`, if set. `GET /v1/activity` does not return it.
   */
  readonly clientRequestId?: string
  /**
   * How many rejected calls of unknown callers were counted, but not recorded, since the previous
   * such entry: 1 or more. Not set if none was left out. `GET /v1/activity` does not return it.
   */
  readonly omitted?: number
  /** When the call began: RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly timestamp: string
  /** How long the call took, in milliseconds, an integer. Not set while it is `PENDING`. */
  readonly durationMs?: number
  /** The name of the operation, such as `patchItem`. `GET /v1/activity` does not return it. */
  readonly operation: string
  readonly action: ActivityAction
  readonly result: ActivityResult
  /**
   * The code of the error, only with `DENY`. Not set if the error is not from this library.
   * `GET /v1/activity` returns it with `extensions`.
   */
  readonly code?: ErrorCode
  readonly actor: {
    /** The caller's id. Empty if the caller is unknown. */
    readonly id: string
    /** The id of the caller's token. Not set if the caller has no `tokenId`. */
    readonly jti?: string
    /** At most 256 characters. Not set if unknown. */
    readonly userAgent?: string
    /** At most 64 characters. Not set if unknown. `GET /v1/activity` returns it as `ip`. */
    readonly requestIp?: string
  }
  /**
   * The request for which `useField` returned the value or rejected the call. It is recorded before
   * the request is sent, so its outcome is not known. Not set for every other operation, and if the
   * `use` was invalid. `GET /v1/activity` does not return it.
   */
  readonly use?: RecordedUse
  /**
   * Not set if the call was not about a credential or grant. `useField` sets it once it has read the
   * item, so a use that is refused before that has none. `GET /v1/activity` does not return it.
   */
  readonly credential?: RecordedCredential
  readonly resource: {
    readonly type: ActivityResource
    /** Not set if the operation does not refer to a single vault. */
    readonly vault?: VaultReference
    /** Not set if the operation does not refer to an item. */
    readonly item?: { readonly id: string }
    /**
     * The file, with a UUID in lower case. Not set if the operation does not refer to a single
     * file. `GET /v1/activity` does not return it.
     */
    readonly file?: { readonly id: string }
    /**
     * The version of the item that was read, written or deleted. Not set while the call is
     * `PENDING`. With `DENY`, set only if the call failed after it had written this version.
     */
    readonly itemVersion?: number
    /**
     * The `attributeVersion` of the vault that was written or deleted. `GET /v1/activity` does not
     * return it.
     */
    readonly vaultVersion?: number
  }
}

/** A page of the activity log. */
export interface ActivityPage {
  /** Newest first. Empty if no entry matches, or the page is past the end. */
  readonly entries: readonly ActivityEntry[]
  /**
   * The number of matching entries on all pages together. Set only if you asked for `count` and
   * there are at most 10,000.
   */
  readonly total?: number
  /**
   * Pass this as `after` to get the next page, which may be empty. Not set on the last page. At
   * most 1,000 entries are read for a page, so with a filter a page may have fewer than `limit`
   * entries although more pages follow.
   */
  readonly next?: string
}

/** The form of `next` and `after`. */
const cursorPattern = /^\d{13}\.[\da-f]{32}(?:\.[\da-z]{26})?!?$/

/** Parses the input of `listActivity`. */
export const activityInputSchema = z.object({
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  offset: z.optional(z.int().check(z.gte(0))),
  count: z.optional(z.boolean()),
  after: z.optional(
    z.string().check(z.regex(cursorPattern, 'must be the next of an earlier page')),
  ),
  vaultId: z.optional(idSchema),
  itemId: z.optional(idSchema),
  callerId: z.optional(z.string().check(z.maxLength(1000))),
  operation: z.optional(z.string().check(z.maxLength(64))),
  result: z.optional(z.enum(['PENDING', 'SUCCESS', 'DENY'])),
  since: z.optional(z.iso.datetime({ offset: true })),
  until: z.optional(z.iso.datetime({ offset: true })),
})
