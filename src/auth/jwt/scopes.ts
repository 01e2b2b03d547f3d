/** Reads a caller's rights from a claim of his token. */

import type { VaultPermissions } from '../../core/access/caller.js'

/** Where a token says what its caller may do, and how that is read. */
export interface ScopeReader {
  /** The claim's name. A token without it is refused. */
  readonly claim: string
  /**
   * The rights that the claim gives; it may hold any JSON. A token for which this is undefined, or throws, or answers
   * rights that are unknown, is refused.
   */
  parse(value: unknown): VaultPermissions | undefined
}

/** What can be done to one vault. */
export type VaultPermission = 'read' | 'write' | 'read-write'

/** 48 is to read and to reveal; 448 is to update, to create and to delete. */
const bits: ReadonlyMap<unknown, VaultPermission> = new Map([
  [48, 'read'],
  [448, 'write'],
  [496, 'read-write'],
])

/**
 * The published service's shape: `"1password.com/vts": [{ "u": vaultId, "a": bits }]`, where 48 is to read, 448 to
 * write, and 496 both. Any other number, another member, an id that is none, and a vault that stands there twice make
 * the token worthless: it is not guessed what was meant. An empty list is a caller without rights.
 */
export const connectScopes: ScopeReader = {
  claim: '1password.com/vts',
  parse(value) {
    if (!Array.isArray(value)) return undefined
    const rights = new Map<string, VaultPermission>()
    for (const entry of value) {
      const [vaultId, right] = readEntry(entry)
      if (vaultId === undefined || right === undefined || rights.has(vaultId)) return undefined
      rights.set(vaultId, right)
    }
    return Object.fromEntries(rights)
  },
}

/**
 * The claim that `connectScopes` reads these rights from.
 * @throws TypeError if it could not.
 */
export function connectClaim(vaults: Readonly<Record<string, VaultPermission>>): unknown {
  const claim = Object.entries(vaults).map(([u, right]) => ({ u, a: numberOf(right) }))
  if (connectScopes.parse(claim) === undefined)
    throw new TypeError('vaults must be rights by vault id')
  return claim
}

function readEntry(entry: unknown): readonly [string | undefined, VaultPermission | undefined] {
  const { u, a, ...others }: Record<string, unknown> = Object(entry)
  const isKnown = typeof u === 'string' && /^[\da-z]{26}$/.test(u) && isEmpty(others)
  return [isKnown ? u : undefined, bits.get(a)]
}

function numberOf(right: VaultPermission): unknown {
  return [...bits].find(([, known]) => known === right)?.[0]
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
