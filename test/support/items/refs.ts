/** Refs of the item and the files of a test vault. */

import type { Item } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'

/** Returns the ref of the item. */
export function itemRef({ vaultId, item }: Pick<TestVault, 'vaultId' | 'item'>): {
  readonly vaultId: string
  readonly itemId: string
} {
  return { vaultId, itemId: item.id }
}

/** Returns the ref of a file of the item, of the small file by default. */
export function fileRef(
  { vaultId, item, smallFile }: Pick<TestVault, 'vaultId' | 'item' | 'smallFile'>,
  { id }: { readonly id: string } = smallFile,
): { readonly vaultId: string; readonly itemId: string; readonly fileId: string } {
  return { vaultId, itemId: item.id, fileId: id }
}

/** Returns the current item. */
export function getCurrentItem(vault: TestVault): Promise<Item> {
  return vault.service.getItem(vault.caller, itemRef(vault))
}
