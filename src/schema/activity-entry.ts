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
 * - `PENDING`: it has begun to change something, and it is not known to be made. It stays so if the
 *   store fails or the process ends;
 * - `SUCCESS`: it was allowed, and its change was made if it had one;
 * - `DENY`: it was rejected or has failed.
 */
export type ActivityResult = 'PENDING' | 'SUCCESS' | 'DENY'

/** The credential or the OAuth grant that a call was about. Neither member is a secret. */
export interface RecordedCredential {
  /** At most 200 characters. */
  readonly name: string
  /** At most 200 characters. Absent without an account. */
  readonly account?: string
}

/** The use of a secret in a request, or to verify a signature. */
export interface RecordedUse extends Partial<Omit<SecretUseTarget, 'place'>> {
  /**
   * Where the value is in the request, such as `header:authorization`, or `verify:stripe` for a
   * signature, without `origin` and `method`: at most 200 characters.
   */
  readonly place?: string
  /** The id or the label of the field that was asked for: at most 200 characters. */
  readonly field?: string
}

/**
 * One call of an operation; of `getItems`, one item that it returns. It contains ids, versions and
 * the origin of the call, but no values of items. Two entries with the same `requestId` and the same
 * item are the same entry: a change is recorded before its first write, as `PENDING`, and again when
 * the call ends.
 */
export interface ActivityEntry {
  /**
   * A UUID that the service generates for each call (RFC 9562, version 7): of the calls of one
   * process, those that began later have greater ones.
   */
  readonly requestId: string
  /**
   * The `X-Request-Id` of the response, which the client can choose: 1 to 128 letters, digits, `_`,
   * `.` and `-`. It is not unique: several calls can have the same one. In process it is
   * `client.requestId` of the caller, and absent if the caller has none. `GET /v1/activity` does
   * not return it.
   */
  readonly clientRequestId?: string
  /**
   * The number of rejected calls of unknown callers that were counted, but not recorded, since the
   * previous entry of this kind; 1 or more. Absent if none was omitted. `GET /v1/activity` does not
   * return it.
   */
  readonly omitted?: number
  /** When the call began: RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly timestamp: string
  /** How long the call took, in whole milliseconds. Absent while it is `PENDING`. */
  readonly durationMs?: number
  /** The name of the operation, such as `patchItem`. `GET /v1/activity` does not return it. */
  readonly operation: string
  readonly action: ActivityAction
  readonly result: ActivityResult
  /**
   * The code of the error, only with `DENY`. Absent if the error is not one of this library. `GET
   * /v1/activity` returns it with `extensions`.
   */
  readonly code?: ErrorCode
  readonly actor: {
    /** The caller's id; empty if the caller is unknown. */
    readonly id: string
    /** The id of the caller's token. Absent if the caller has no `tokenId`. */
    readonly jti?: string
    /** At most 256 characters. Absent if unknown. */
    readonly userAgent?: string
    /** At most 64 characters. Absent if unknown. `GET /v1/activity` returns it as `ip`. */
    readonly requestIp?: string
  }
  /**
   * The request for which `useField` has returned the value, or rejected the call. It is recorded
   * before the request is made, so without its outcome. Absent for every other operation, and for
   * an invalid `use`. `GET /v1/activity` does not return it.
   */
  readonly use?: RecordedUse
  /** Absent if the call was not about a credential. `GET /v1/activity` does not return it. */
  readonly credential?: RecordedCredential
  readonly resource: {
    readonly type: ActivityResource
    /** Absent if the operation does not refer to a single vault. */
    readonly vault?: VaultReference
    /** Absent if the operation does not refer to an item. */
    readonly item?: { readonly id: string }
    /**
     * The file, with a UUID in lower case. Absent if the operation does not refer to a single file.
     * `GET /v1/activity` does not return it.
     */
    readonly file?: { readonly id: string }
    /**
     * The version of the item that was read, written or deleted. Absent while the call is `PENDING`,
     * and with `DENY`, unless the call has failed after it had written this version.
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
  /** In descending order of time; empty if no entry matches, or the page is past the end. */
  readonly entries: readonly ActivityEntry[]
  /**
   * With `count`, the number of matching entries on all pages together. Absent without `count`, and
   * if there are more than 10,000.
   */
  readonly total?: number
  /**
   * The `after` of the next page, which can be empty. Absent after the last page. At most 1,000
   * entries are read for a page, so one with a filter can have fewer than `limit` entries before the
   * last one.
   */
  readonly next?: string
}

/** The form of `next` and `after`. */
const cursorPattern = /^\d{13}\.[\da-f]{32}(?:\.[\da-z]{26})?!?$/

/** Parses the input of `listActivity`. */
export const activityInputSchema = z.strictObject({
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  offset: z.optional(z.int().check(z.gte(0))),
  count: z.optional(z.boolean()),
  after: z.optional(z.string().check(z.regex(cursorPattern, 'must be the member next of a page'))),
  vaultId: z.optional(idSchema),
  itemId: z.optional(idSchema),
  callerId: z.optional(z.string().check(z.maxLength(1000))),
  operation: z.optional(z.string().check(z.maxLength(64))),
  result: z.optional(z.enum(['PENDING', 'SUCCESS', 'DENY'])),
  since: z.optional(z.iso.datetime({ offset: true })),
  until: z.optional(z.iso.datetime({ offset: true })),
})
