/** Finds and reads the items that references name. */

import { foldAsciiCase } from '../base/fold-case.js'
import type { CallerOperations } from '../core/vault-service.js'
import { isId } from '../schema/is-id.js'
import type { Item } from '../schema/item.js'
import { createNameSearches, ifFound, memoize, requireOnly } from './find-item.js'
import { missingPartError, type SecretReference } from './secret-reference.js'

/**
 * Creates a function that reads the item of one of these references. A vault and an item are looked
 * up by id, then by their exact name, then by their name in any case. Each vault name is looked up
 * once, and each list is read completely at most once. An archived item is found only by its id.
 * The function throws NotFoundError for the vault or the item, even if the caller cannot read the
 * vault, InvalidInputError if a name is ambiguous, and the errors of the operations.
 */
export function createItemReader(
  vault: CallerOperations,
  references: readonly SecretReference[],
  canIgnoreCase: boolean,
): (reference: SecretReference) => Promise<Item> {
  const { findVaults, findItems } = createNameSearches(vault, references, canIgnoreCase)
  const findVault = memoize(async (name: string): Promise<readonly string[]> => {
    const id = foldAsciiCase(name)
    const found = isId(id) ? await ifFound(vault.getVault({ vaultId: id })) : undefined
    return found === undefined ? findVaults(name) : [found.id]
  })

  return async (reference) => {
    const vaultId = requireOnly(await findVault(reference.vault), reference, 'vault')
    const id = foldAsciiCase(reference.item)
    const item = isId(id) ? await ifFound(vault.getItem({ vaultId, itemId: id })) : undefined
    if (item !== undefined) return item
    const itemId = requireOnly(await findItems(vaultId, reference.item), reference, 'item')
    const named = await ifFound(vault.getItem({ vaultId, itemId }))
    if (named === undefined) throw missingPartError(reference, 'item')
    return named
  }
}
