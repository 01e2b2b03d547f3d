/** Where the things of a test vault lie. */

import type { Item } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'

/** The ids by which the test vault's item is found. */
export function itemPlace({ vaultId, item }: Pick<TestVault, 'vaultId' | 'item'>): {
  readonly vaultId: string
  readonly itemId: string
} {
  return { vaultId, itemId: item.id }
}

/** The ids by which a file of the test vault's item is found, its small file if none is named. */
export function filePlace(
  { vaultId, item, smallFile }: Pick<TestVault, 'vaultId' | 'item' | 'smallFile'>,
  { id }: { readonly id: string } = smallFile,
): { readonly vaultId: string; readonly itemId: string; readonly fileId: string } {
  return { vaultId, itemId: item.id, fileId: id }
}

/** The test vault's item as it is now. */
export function itemNow(vault: TestVault): Promise<Item> {
  return vault.service.getItem(vault.caller, itemPlace(vault))
}
