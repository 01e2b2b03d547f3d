/** Finds an item by its title. */

import { assertLike } from '../assert-argument.js'
import type { Caller, Item, VaultService } from '../index.js'

/**
 * Returns the only item with a title, in all vaults that the caller can read or in those of a name.
 * @throws Error if no item or more than one has the title, TypeError if it is not a string.
 */
export async function findItem(
  service: VaultService,
  caller: Caller,
  title: string,
  vaultName?: string,
): Promise<Item> {
  assertLike(title, '', 'title')
  const vaults = await service.listVaults(caller, {})
  const found: { readonly vaultId: string; readonly itemId: string }[] = []
  for (const { id: vaultId, name } of vaults) {
    if (vaultName !== undefined && name !== vaultName) continue
    for (const item of await service.listItems(caller, { vaultId }))
      if (item.title === title) found.push({ vaultId, itemId: item.id })
  }
  const [ref] = found
  if (ref === undefined || found.length > 1) {
    const count = ref === undefined ? 'no item has' : `${found.length} items have`
    const place = vaultName === undefined ? 'in any vault' : 'in a vault with this name'
    throw new Error(`findItem: ${count} this title ${place}`)
  }
  return service.getItem(caller, ref)
}
