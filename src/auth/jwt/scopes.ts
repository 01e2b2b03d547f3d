/** Parses the permissions of a caller from a claim of its token. */

import { isBareObject, kindOf } from '../../base/argument.js'
import type { VaultPermissions } from '../../core/access/caller.js'

/** The claim that contains the permissions of the caller, and its parser. */
export interface ScopeReader {
  /** The name of the claim. A token without this claim is rejected with 401. */
  readonly claim: string
  /**
   * Returns the permissions for the value of the claim, which can be any JSON. If it returns
   * undefined or an unknown permission, or throws, the token is rejected with 401.
   */
  parse(value: unknown): VaultPermissions | undefined
}

/** The permission for one vault. */
export type VaultPermission = 'read' | 'write' | 'read-write'

/** 48 stands for reading and revealing, 448 for updating, creating and deleting. */
const permissionsByBits: ReadonlyMap<unknown, VaultPermission> = new Map([
  [48, 'read'],
  [448, 'write'],
  [496, 'read-write'],
])

/**
 * The claim of the published service: `"1password.com/vts": [{ "u": vaultId, "a": bits }]`. The
 * bits are 48 for `read`, 448 for `write` and 496 for `read-write`.
 *
 * An empty list means a caller without permissions. The token is rejected if an entry has any other
 * number, another member or an invalid id, or if a vault occurs twice.
 */
export const connectScopes: ScopeReader = {
  claim: '1password.com/vts',
  parse(value) {
    if (!Array.isArray(value)) return undefined
    const permissions = new Map<string, VaultPermission>()
    for (const entry of value) {
      const [vaultId, permission] = parseEntry(entry)
      if (vaultId === undefined || permission === undefined || permissions.has(vaultId))
        return undefined
      permissions.set(vaultId, permission)
    }
    return Object.fromEntries(permissions)
  },
}

/** Permissions by vault id. */
export const claimedVaults = kindOf<Readonly<Record<string, VaultPermission>>>(
  'permissions by vault id',
  (vaults) => isBareObject(vaults) && connectScopes.parse(toConnectClaim(vaults)) !== undefined,
)

/** Returns the value of the claim that {@link connectScopes} parses as these permissions. */
export function toConnectClaim(vaults: object): unknown {
  return Object.entries(vaults).map(([u, permission]) => ({ u, a: toBits(permission) }))
}

function parseEntry(entry: unknown): readonly [string | undefined, VaultPermission | undefined] {
  const { u, a, ...others }: Record<string, unknown> = Object(entry)
  const isValid = typeof u === 'string' && /^[\da-z]{26}$/.test(u) && isEmpty(others)
  return [isValid ? u : undefined, permissionsByBits.get(a)]
}

function toBits(permission: unknown): unknown {
  return [...permissionsByBits].find(([, candidate]) => candidate === permission)?.[0]
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
