/** Creates the vaults that a server begins with. */

import type { Caller, Vault, VaultService } from '../../index.js'
import type { Seed } from '../../testing.js'
import { CommandError } from '../command-error.js'
import { formatCount } from '../command-line.js'
import { inSeed } from '../read-seed.js'

/** The vaults of a server, and the sentence about its seed, if there is one. */
export interface FirstVaults {
  readonly vaults: readonly Vault[]
  readonly seed: string | undefined
}

interface SeedInput {
  readonly seed: Seed | undefined
  readonly file: string | undefined
  readonly isRequired: boolean
}

/**
 * Returns the vaults of the store. If it has none, creates those of the seed, or one named Default
 * if there is no seed or the seed is empty. A store that has vaults is left unchanged.
 * @param input - The seed, and the file that it was read from, which errors name. With
 * `isRequired`, a seed that is not used is an error.
 * @throws CommandError if the seed is invalid, or is required and not used.
 */
export async function ensureVaults(
  service: VaultService,
  caller: Caller,
  { seed, file = '', isRequired }: SeedInput,
): Promise<FirstVaults> {
  let hasVaults = false
  const onUnreadable = (): void => {
    hasVaults = true
  }
  const existing = await service.listVaults(caller, {}, { onUnreadable })
  hasVaults ||= existing.length > 0
  if (hasVaults && seed !== undefined && isRequired)
    throw new CommandError(
      `${file} cannot be used, because the store already has vaults`,
      'Pass --store memory to begin with the seed every time.',
    )
  if (hasVaults)
    return { vaults: existing, seed: seed && 'not used, because the store already has vaults' }
  const { plantSeed } = await import('../../testing.js')
  const planted =
    seed === undefined ? [] : await inSeed(file, () => plantSeed(service, caller, seed))
  const items = planted.reduce((sum, one) => sum + one.items.length, 0)
  const vaults = planted.map(({ vault }) => vault)
  if (vaults.length === 0) vaults.push(await service.createVault(caller, { name: 'Default' }))
  return {
    vaults,
    seed:
      seed && `created ${formatCount(planted.length, 'vault')} and ${formatCount(items, 'item')}`,
  }
}
