/** The caller of an operation and their permissions. */

import {
  argumentError,
  flag,
  type Kind,
  kindOf,
  notEmpty,
  oneOf,
  readArgument,
} from '../../base/argument.js'
import { batchesOf } from '../../base/batches.js'
import { defineOptions, type OptionKinds, optional } from '../../base/options.js'
import { UnauthorizedError } from '../../errors.js'
import { isId } from '../../schema/is-id.js'
import { type AllowedUse, allowedUses } from './allowed-use.js'
import type { OperationName } from './operation-name.js'

/**
 * A permission: to read a vault and its items, to change them, to create a vault with a random id,
 * or to use values for requests without reading them. `useField` needs `read`, or `use` and an
 * element of the caller's `use` that allows the request.
 */
export type Permission = 'read' | 'write' | 'create' | 'use'

/**
 * The caller of an operation. A call without a caller is rejected with UnauthorizedError (401), a
 * caller without a permission with ForbiddenError (403).
 */
export interface Caller {
  /** Not empty. Stored as `lastEditedBy` of the items that the caller changes. */
  readonly id: string
  /**
   * Returns true if the caller has the permission on the vault. Called before the store is
   * accessed. `operation` is the name of the operation, such as `deleteItem`, and `itemId` the id
   * of its item, for rules finer than the permissions. `itemId` is undefined if the operation does
   * not refer to a single item, for example for a list, `getItems`, or `createItem` without an
   * `itemId`. The item need not exist.
   */
  can(
    permission: Permission,
    vaultId: string,
    operation?: OperationName,
    itemId?: string,
  ): boolean | Promise<boolean>
  /**
   * Returns the ids of the vaults that the caller can read, out of at most 500. `listVaults` calls
   * it instead of `can`. By default `can` is called for each vault, for up to 32 at a time.
   */
  filterVaults?(vaultIds: readonly string[]): readonly string[] | Promise<readonly string[]>
  /** The id of the token that authenticated the caller, for the activity log. */
  readonly tokenId?: string
  /**
   * When the caller expires, by the clock of the service. From then on, each call is rejected with
   * UnauthorizedError (401), and transfers in progress are cut off: an upload, a file that is being
   * read, the response of a `fetch` that uses a secret. If you copy a caller, keep this and `use`.
   * By default a caller does not expire.
   */
  readonly until?: Date
  /**
   * The uses of values that the permission `use` allows. A request must match one of them. It does
   * not restrict the permission `read`. Default: none.
   */
  readonly use?: readonly AllowedUse[]
  /** Where the call came from, for the activity log. The HTTP handler sets it. */
  readonly client?: ClientInfo
}

/** Returns true if `value` has the method `can` of a caller. Its id is not checked. */
export function isCaller(value: unknown): value is Caller {
  return typeof Object(value).can === 'function'
}

/**
 * Returns the milliseconds until the caller expires, more than 0, or Infinity if they do not
 * expire.
 * @param now - The clock of the service. It is called only for a caller who expires.
 * @throws UnauthorizedError if the caller has expired, or `until` is not a valid date.
 */
export function timeLeftOf({ until }: Pick<Caller, 'until'>, now: () => Date): number {
  if (until === undefined) return Number.POSITIVE_INFINITY
  const leftMs = Number(until) - now().getTime()
  if (leftMs > 0) return leftMs
  throw new UnauthorizedError('the caller has expired')
}

/** @throws UnauthorizedError if the caller has expired. */
export function assertNotExpired(caller: Pick<Caller, 'until'>, now: () => Date): void {
  timeLeftOf(caller, now)
}

/** Where a call came from. Clients choose all of it except `requestIp`. */
export interface ClientInfo {
  /** Recorded as `clientRequestId` if it is 1 to 128 letters, digits, `_`, `.` and `-`. */
  readonly requestId?: string
  /** The `User-Agent` of the request. */
  readonly userAgent?: string
  /** The address of the other end of the connection. */
  readonly requestIp?: string
  /** The `traceparent` of the request (W3C Trace Context), for traces, if it is valid. */
  readonly traceparent?: string
}

/**
 * The permissions of a caller by vault id. `*` allows reading and writing every vault, and creating
 * vaults. `use` allows only using values as the option `use` describes.
 */
export type VaultPermissions =
  | Readonly<Record<string, 'read' | 'write' | 'read-write' | 'use'>>
  | '*'

/** Options of `createCaller`. */
export interface CallerOptions {
  /**
   * True if the caller can create vaults with random ids. Creating a vault gives them no permission
   * on it. Give them one in the option `beforeCreateVault`. Default: false.
   */
  readonly createVaults?: boolean | undefined
  /**
   * When the caller expires, by the clock of the service. The date is copied. By default the caller
   * does not expire.
   */
  readonly until?: Date | undefined
  /**
   * The uses that the caller is allowed in the vaults on which they have the permission `use`.
   * Required if there is such a vault, and refused otherwise. The list is copied.
   */
  readonly use?: readonly AllowedUse[] | undefined
}

/** The kinds of {@link CallerOptions}. */
export const callerOptionKinds = {
  createVaults: optional(flag(), false),
  until: optional(
    kindOf<Date>('a valid Date', (value) => isDate(value) && !Number.isNaN(Number(value))),
  ),
  use: optional(allowedUses),
} satisfies OptionKinds<CallerOptions>

const callerOptions = defineOptions(callerOptionKinds)

/** Returns true for a date of any realm. */
function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Date]'
}

/**
 * Creates a caller.
 * @param id - The caller's id, not empty.
 * @param permissions - The caller's permissions on vaults. The object is copied.
 * @throws TypeError if
 * - `id` is not a non-empty string
 * - `permissions` is neither `*` nor a plain object
 * - a key of `permissions` is not a vault id, or a value is not `read`, `write`, `read-write` or
 *   `use`
 * - an option is unknown or invalid
 * - there is a permission `use` without the option `use`, or the other way round
 * @example
 * const caller = createCaller('alice', { [vaultId]: 'read-write' })
 * @example
 * const agent = createCaller('agent', { [vaultId]: 'use' }, {
 *   until: new Date(Date.now() + 3_600_000),
 *   use: [{ items: [itemId], origins: ['https://api.stripe.com'], methods: ['GET'] }],
 * })
 */
export function createCaller(
  id: string,
  permissions: VaultPermissions,
  options: CallerOptions = {},
): Caller {
  readArgument(callerId, permissions === '*' ? { id } : { id, permissions })
  const { createVaults, until, use } = callerOptions.read(options)
  const granted = new Map(
    permissions === '*' ? [] : Object.entries(vaultPermissions(permissions, 'permissions')),
  )
  const isRestricted = [...granted.values()].includes('use')
  if (isRestricted && use === undefined)
    throw argumentError(use, 'options.use', 'a list, because of the permission use')
  if (!isRestricted && use !== undefined)
    throw new TypeError('options.use needs a vault with the permission use')
  const restrictions = { ...(until && { until: new Date(until) }), ...(use && { use }) }
  if (permissions === '*') return { id, can: () => true, ...restrictions }
  return {
    id,
    can: (permission, vaultId) => {
      if (permission === 'create') return createVaults
      const grantedPermission = granted.get(vaultId)
      if (grantedPermission === 'read-write') return permission === 'read' || permission === 'write'
      return grantedPermission !== undefined && grantedPermission === permission
    },
    ...restrictions,
  }
}

const callerId = notEmpty()
const vaultPermission = oneOf('read', 'write', 'read-write', 'use')

/** The kind of {@link VaultPermissions}. */
export const vaultPermissions: Kind<VaultPermissions> = (permissions, path) => {
  if (permissions === '*') return permissions
  if (!isPlainObject(permissions))
    throw argumentError(permissions, path, '* or an object with vault ids as keys')
  for (const [vaultId, permission] of Object.entries(permissions)) {
    const expected = 'a vault id, 26 characters of a-z and 0-9'
    if (!isId(vaultId)) throw argumentError(vaultId, `each key of ${path}`, expected)
    vaultPermission(permission, `each of ${path}`)
  }
  return permissions
}

/**
 * Returns true for an object whose prototype is `Object.prototype` or null, unlike an array or a
 * Map.
 */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** How many vaults are checked with `can` at a time. */
const maxConcurrentChecks = 32

/** Returns the vaults that the caller can read. */
export async function filterReadableVaults(
  caller: Caller,
  vaultIds: readonly string[],
  operation: OperationName,
): Promise<readonly string[]> {
  if (vaultIds.length === 0) return []
  if (caller.filterVaults !== undefined) {
    const found = new Set(await caller.filterVaults(vaultIds))
    return vaultIds.filter((id) => found.has(id))
  }
  // If it throws, earlier calls have already begun, and their rejections must be handled.
  const check = async (id: string) => caller.can('read', id, operation)
  const readable: string[] = []
  for (const batch of batchesOf(vaultIds, maxConcurrentChecks)) {
    const isGranted = await Promise.all(batch.map(check))
    readable.push(...batch.filter((_, index) => isGranted[index] === true))
  }
  return readable
}
