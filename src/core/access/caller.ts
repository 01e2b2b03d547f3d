/** Who asks, and what he may. */

/** What can be done to a vault. */
export type Permission = 'read' | 'write'

/** Who asks. The core answers a missing caller with 401, a caller without the right with 403. */
export interface Caller {
  /** Not empty. Stands in `lastEditedBy` of what this caller changes. */
  readonly id: string
  /** Whether the caller has this access to the vault. Asked on every operation, before any storage is. */
  can(permission: Permission, vaultId: string): boolean | Promise<boolean>
  /** The id of the token he came with, for the activity log. */
  readonly tokenId?: string
  /** Where he asks from, for the activity log; the HTTP mount says it. */
  readonly client?: ClientInfo
}

/** Whether `value` has the method `may` of a caller. Its id is not checked. */
export function isCaller(value: unknown): value is Caller {
  return typeof Reflect.get(Object(value), 'can') === 'function'
}

/** Where a call came from. All of it is what a client says, but for `requestIp`. */
export interface ClientInfo {
  /** Recorded as `clientRequestId` if it is 1 to 128 letters, digits, `_`, `.` and `-`. */
  readonly requestId?: string
  readonly userAgent?: string
  /** The address of the other end of the connection. */
  readonly requestIp?: string
}

/** The rights that `grant` gives, by vault id; `*` is read and write in every vault. */
export type VaultPermissions = Readonly<Record<string, 'read' | 'write' | 'read-write'>> | '*'

/**
 * A caller with these rights and no others. The rights are copied.
 * @throws TypeError if the rights are no plain object, or one is none of `read`, `write`, `read-write`.
 */
export function createCaller(id: string, vaults: VaultPermissions): Caller {
  if (vaults === '*') return { id, can: () => true }
  if (!isPlain(vaults)) throw new TypeError('rights must be an object, by vault id')
  const granted = new Map(Object.entries(vaults))
  for (const right of granted.values()) {
    if (right !== 'read' && right !== 'write' && right !== 'read-write')
      throw new TypeError('unknown right')
  }
  return {
    id,
    can: (permission, vaultId) => {
      const right = granted.get(vaultId)
      return right !== undefined && (right === permission || right === 'read-write')
    },
  }
}

/** Whether the object has its members from nobody else, as an array, a Map or a Promise has. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
