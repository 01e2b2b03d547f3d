/** A key provider with which each tenant can bring their own KEK. */

import { callback } from '../../../base/argument.js'
import { defineOptions, type OptionKinds } from '../../../base/options.js'
import { StorageError } from '../../../errors.js'
import { type KeyProvider, keyProvider, requireProvider } from './key-provider.js'

/** The form of vault ids, which no other scope has. */
const vaultIdPattern = /^[\da-z]{26}$/

/** Your own provider, and those of your tenants. */
export interface TenantKeyOptions {
  /** Wraps the secrets of everything that is not in a tenant's vault. */
  readonly ours: KeyProvider
  /**
   * Returns the provider of a vault, or undefined if its tenant brings none. It is called whenever
   * keys of the vault must be wrapped or unwrapped (see `KeyProvider.ofScope`). If it rejects,
   * calls for this vault that need a key fail with 503.
   */
  ofVault(vaultId: string): KeyProvider | undefined | Promise<KeyProvider | undefined>
}

const tenantKeyOptions = defineOptions({
  ours: keyProvider,
  ofVault: callback(),
} satisfies OptionKinds<TenantKeyOptions>)

/**
 * Creates a key provider that wraps the secret of a vault with its tenant's KEK. `ours` is used
 * if `ofVault` returns undefined, and for everything outside vaults.
 *
 * In a tenant's vault, keys that `ours` wrapped earlier can still be unwrapped, so that
 * `rewrapKeys` can move them. If a stored name is neither ours nor the tenant's, unwrapping fails
 * with a DecryptionError. Give a tenant's KEK its own name. Calls for a vault are rejected with a
 * StorageError (`STORAGE_FAILED`, 500) if `ofVault` returns a provider with one of our `kekIds`, or
 * anything but a key provider.
 *
 * @throws TypeError if `options.ours` is not a key provider, or `options.ofVault` is not a
 * function.
 * @example
 * ```ts
 * import { createLocalKeyProvider, createTenantKeyProvider, readKeyFile } from 'cofferkit/encrypted'
 *
 * const keys = createTenantKeyProvider({
 *   ours: createLocalKeyProvider({ key: await readKeyFile('vault.key') }),
 *   ofVault: (vaultId) => providersOfTenants.get(vaultId), // undefined: use ours
 * })
 * ```
 */
export function createTenantKeyProvider(options: TenantKeyOptions): KeyProvider {
  const { ours, ofVault } = tenantKeyOptions.read(options)
  return {
    currentKekId: ours.currentKekId,
    kekIds: ours.kekIds,
    wrap: (key, context) => ours.wrap(key, context),
    unwrap: (kekId, wrapped, context) => ours.unwrap(kekId, wrapped, context),
    async ofScope(scope) {
      const found = vaultIdPattern.test(scope) ? await ofVault(scope) : undefined
      return found === undefined ? ours : acceptBoth(requireProvider(found, 'ofVault'), ours)
    },
  }
}

/** Wraps with `theirs`, and unwraps with the provider that has the KEK. */
function acceptBoth(theirs: KeyProvider, ours: KeyProvider): KeyProvider {
  if (theirs.kekIds.some((kekId) => ours.kekIds.includes(kekId)))
    throw new StorageError('ofVault must return a key provider with other kekIds than ours')
  return {
    currentKekId: theirs.currentKekId,
    kekIds: [...theirs.kekIds, ...ours.kekIds],
    wrap: (key, context) => theirs.wrap(key, context),
    unwrap: (kekId, wrapped, context) =>
      (theirs.kekIds.includes(kekId) ? theirs : ours).unwrap(kekId, wrapped, context),
  }
}
