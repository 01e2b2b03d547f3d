/** The caller of an operation and their permissions. */

import {
  argumentError,
  date,
  flag,
  type Kind,
  kindOf,
  oneOf,
  problemOf,
} from '../../base/argument.js'
import { batchesOf } from '../../base/batches.js'
import { defineOptions, type OptionKinds, omittable, optional } from '../../base/options.js'
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
  /**
   * A string that is not empty, or a whole number, which is stored as text. It is stored as
   * `lastEditedBy` of the items that the caller changes.
   */
  readonly id: string | number
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
  readonly filterVaults?:
    | ((vaultIds: readonly string[]) => readonly string[] | Promise<readonly string[]>)
    | undefined
  /** The id of the token that authenticated the caller, for the activity log. */
  readonly tokenId?: string | undefined
  /**
   * When the caller expires, by the clock of the service. From then on, each call is rejected with
   * UnauthorizedError (401), and transfers in progress are cut off: an upload, a file that is being
   * read, the response of a `fetch` that uses a secret. If you copy a caller, keep this and `use`.
   * By default a caller does not expire.
   */
  readonly expiresAt?: Date
  /**
   * The uses of values that the permission `use` allows. A request must match one of them. It does
   * not restrict the permission `read`. Default: none.
   */
  readonly use?: readonly AllowedUse[]
  /** Where the call came from, for the activity log. The HTTP handler sets it. */
  readonly client?: ClientInfo | undefined
}

/** A caller as your own functions get them: the id is a string. */
export interface KnownCaller extends Caller {
  readonly id: string
}

/** Returns true if `value` has the id and the method `can` of a caller. */
export function isCaller(value: unknown): value is Caller {
  const { id, can } = Object(value)
  return typeof can === 'function' && isCallerId(id)
}

/** Returns true for a string that is not empty, and for a whole number of at most 2^53 - 1. */
function isCallerId(id: unknown): boolean {
  return typeof id === 'string' ? id !== '' : Number.isSafeInteger(id)
}

/**
 * Returns the caller with an id that is a string.
 * @throws UnauthorizedError if `caller` is not a caller.
 */
export function toKnownCaller(caller: unknown): KnownCaller {
  if (!isCaller(caller))
    throw new UnauthorizedError(`the caller ${problemOf(caller, 'the result of createCaller')}`)
  if (hasStringId(caller)) return caller
  // The methods keep their object, which may be an instance of a class with private members.
  const { filterVaults, tokenId, expiresAt, use, client } = caller
  return {
    id: String(caller.id),
    can: (...check) => caller.can(...check),
    ...(filterVaults && { filterVaults: (vaultIds) => filterVaults.call(caller, vaultIds) }),
    ...(tokenId !== undefined && { tokenId }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(use !== undefined && { use }),
    ...(client !== undefined && { client }),
  }
}

function hasStringId(caller: Caller): caller is KnownCaller {
  return typeof caller.id === 'string'
}

/**
 * Returns the milliseconds until the caller expires, more than 0, or Infinity if they do not
 * expire.
 * @param now - The clock of the service. It is called only for a caller who expires.
 * @throws UnauthorizedError if the caller has expired, or `expiresAt` is not a valid date.
 */
export function timeLeftOf({ expiresAt }: Pick<Caller, 'expiresAt'>, now: () => Date): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY
  const leftMs = Number(expiresAt) - now().getTime()
  if (leftMs > 0) return leftMs
  throw new UnauthorizedError('the caller has expired')
}

/** @throws UnauthorizedError if the caller has expired. */
export function assertNotExpired(caller: Pick<Caller, 'expiresAt'>, now: () => Date): void {
  timeLeftOf(caller, now)
}

/** Where a call came from. Clients choose all of it except `requestIp`. */
export interface ClientInfo {
  /** Recorded as `clientRequestId` if it is 1 to 128 letters, digits, `_`, `.` and `-`. */
  readonly requestId?: string | undefined
  /** The `User-Agent` of the request. */
  readonly userAgent?: string | undefined
  /** The address of the other end of the connection. */
  readonly requestIp?: string | undefined
  /** The `traceparent` of the request (W3C Trace Context), for traces, if it is valid. */
  readonly traceparent?: string | undefined
}

/**
 * The permissions of a caller by vault id. `*` allows reading and writing every vault, and creating
 * vaults. `use` allows only using values as the option `use` describes.
 */
export type VaultPermissions =
  | Readonly<Record<string, 'read' | 'write' | 'read-write' | 'use'>>
  | '*'

const vaultPermission = oneOf('read', 'write', 'read-write', 'use')

/** The kind of {@link VaultPermissions}. */
const vaultPermissions: Kind<VaultPermissions> = (permissions, path) => {
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

/** Options of `createCaller`. */
export interface CallerOptions {
  /** The caller's id: a string that is not empty, or a whole number, which becomes text. */
  readonly id: string | number
  /** The caller's permissions by vault id, or `*` for every vault. The object is copied. */
  readonly vaults: VaultPermissions
  /**
   * True if the caller can create vaults with random ids. Creating a vault gives them no permission
   * on it. Give them one in the option `beforeCreateVault`. Default: false.
   */
  readonly createVaults?: boolean | undefined
  /**
   * When the caller expires, by the clock of the service. The date is copied. By default the caller
   * does not expire.
   */
  readonly expiresAt?: Date
  /**
   * The uses that the caller is allowed in the vaults on which they have the permission `use`.
   * Required if there is such a vault, and refused otherwise. The list is copied.
   */
  readonly use?: readonly AllowedUse[]
}

/** The kinds of {@link CallerOptions}. */
export const callerOptionKinds = {
  id: kindOf<string | number>('a non-empty string or a whole number', isCallerId),
  vaults: vaultPermissions,
  createVaults: optional(flag(), false),
  expiresAt: omittable(date()),
  use: omittable(allowedUses),
} satisfies OptionKinds<CallerOptions, 'expiresAt' | 'use'>

const callerOptions = defineOptions(callerOptionKinds)

/**
 * Creates a caller.
 * @throws TypeError if
 * - `id` is neither a non-empty string nor a whole number
 * - `vaults` is neither `*` nor a plain object
 * - a key of `vaults` is not a vault id, or a value is not `read`, `write`, `read-write` or `use`
 * - another option is unknown or invalid
 * - there is a permission `use` without the option `use`, or the other way round
 * @example
 * const caller = createCaller({ id: 'alice', vaults: { [vaultId]: 'read-write' } })
 * @example
 * const agent = createCaller({
 *   id: 'agent',
 *   vaults: { [vaultId]: 'use' },
 *   use: [{ items: [itemId], origins: ['https://api.stripe.com'], methods: ['GET'] }],
 *   expiresAt: new Date(Date.now() + 3_600_000),
 * })
 */
export function createCaller(options: CallerOptions): KnownCaller {
  const { vaults, createVaults, expiresAt, use, ...given } = callerOptions.read(options)
  const id = String(given.id)
  const granted = new Map(vaults === '*' ? [] : Object.entries(vaults))
  const isRestricted = [...granted.values()].includes('use')
  if (isRestricted && use === undefined)
    throw argumentError(use, 'options.use', 'a list, because of the permission use')
  if (!isRestricted && use !== undefined)
    throw new TypeError('options.use needs a vault with the permission use')
  const restrictions = {
    ...(expiresAt && { expiresAt: new Date(expiresAt) }),
    ...(use && { use }),
  }
  if (vaults === '*') return { id, can: () => true, ...restrictions }
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
