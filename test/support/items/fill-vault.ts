/** Adds items and files to a test vault. */

import type { Item } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { utf8 } from '../bytes.js'
import { noteDraft } from '../drafts.js'

/** Adds a note. */
export function addNote({ service, caller, vaultId }: TestVault): Promise<Item> {
  return service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
}

/** Adds a small file to the item. */
export function addFile(
  { service, caller, vaultId }: TestVault,
  itemId: string,
): ReturnType<TestVault['service']['attachFile']> {
  return service.attachFile(caller, { vaultId, itemId, name: 'f', content: utf8('text') })
}
