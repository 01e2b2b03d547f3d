/** Activity entries: which caller did what to which vault or item, and with which result. */

import * as z from 'zod/mini'
import type { VaultReference } from './item.js'
import type { SecretUseTarget } from './secret-use.js'

/** The effect of an operation on its resource. */
export type ActivityAction = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE'

/** The type of resource that an operation reads or changes. */
export type ActivityResource = 'ITEM' | 'VAULT'

/**
 * A record of one call of an operation. It contains ids, versions and the origin of the call, but
 * no values of items.
 */
export interface ActivityEntry {
  /**
   * A UUID that the service generates. All entries of one call share it, and the last of them
   * contains the outcome of the call.
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
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly timestamp: string
  /** The name of the operation, such as `patchItem`. `GET /v1/activity` does not return it. */
  readonly operation: string
  readonly action: ActivityAction
  /**
   * `SUCCESS` is recorded before the result is returned or the change is made, `DENY` when the
   * operation is rejected or fails.
   */
  readonly result: 'SUCCESS' | 'DENY'
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
  readonly use?: SecretUseTarget
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
    /** The version of the item that is read, created or deleted. */
    readonly itemVersion?: number
    /**
     * The `attributeVersion` of the vault that is created or deleted. `GET /v1/activity` does not
     * return it.
     */
    readonly vaultVersion?: number
  }
}

/** A page of the activity log. */
export interface ActivityPage {
  /** In descending order of time; empty if the page is past the end of the log. */
  readonly entries: readonly ActivityEntry[]
  /** The number of entries that are visible to the caller, on all pages together. */
  readonly total: number
}

/** Parses the page that `listActivity` returns. */
export const activityInputSchema = z.strictObject({
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  offset: z.optional(z.int().check(z.gte(0))),
})
