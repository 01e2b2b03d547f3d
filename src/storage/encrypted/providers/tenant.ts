/** A key provider with which each tenant can bring a KEK of its own. */

import { callback } from '../../../base/argument.js'
import { defineOptions, type OptionKinds } from '../../../base/options.js'
import { StorageError } from '../../../errors.js'
import { type KeyProvider, keyProvider, requireProvider } from './key-provider.js'

/** The ids of vaults, which no other scope has. */
const vaultIdPattern = /^[\da-z]{26}$/

/** The provider of the service, and those of its tenants. */
export interface TenantKeyOptions {
  /** Wraps the data keys of everything that is not in a tenant's vault. */
  readonly ours: KeyProvider
  /**
   * Returns the provider of a vault, or undefined if its tenant brings none. Called whenever keys of
   * the vault are to be wrapped or unwrapped: see `KeyProvider.ofScope`. If it rejects, calls of
   * this vault that need a key are rejected with 503.
   */
  ofVault(vaultId: string): KeyProvider | undefined | Promise<KeyProvider | undefined>
}

const tenantKeyOptions = defineOptions({
  ours: keyProvider,
  ofVault: callback(),
} satisfies OptionKinds<TenantKeyOptions>)

/**
 * Creates a key provider that wraps the data keys of a vault with the KEK of its tenant. `ours` is
 * used for every scope that is not a vault's id, and where `ofVault` returns undefined. In the vault
 * of a tenant, keys that `ours` has wrapped before can still be unwrapped, so that `rewrapKeys` can
 * move them. A stored name that is neither ours nor the tenant's is a DecryptionError.
 *
 * Calls of a vault are rejected with a StorageError (`STORAGE_FAILED`, 500) if `ofVault` returns
 * anything but a key provider, or one of whose `kekIds` is also one of ours: give a tenant's KEK a
 * name of its own.
 *
 * @throws TypeError if `options.ours` is not a key provider, or `options.ofVault` is not a function.
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

/** Wraps with `theirs`, and unwraps with the one that has the KEK. */
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
