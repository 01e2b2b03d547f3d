/** Puts things into a test vault. */

import type { Item } from '../../../src/index.js'
import { noteDraft, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../bytes.js'

/** A new note. */
export function addNote({ service, caller, vaultId }: TestVault): Promise<Item> {
  return service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
}

/** A new small file of the item. */
export function addFile(
  { service, caller, vaultId }: TestVault,
  itemId: string,
): ReturnType<TestVault['service']['attachFile']> {
  return service.attachFile(caller, { vaultId, itemId, name: 'f', content: utf8('text') })
}
