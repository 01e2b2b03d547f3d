/** Makes an item again what it was in one of its versions. */

import { parseIfVersion, versionInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import { parse } from '../../schema/parse.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { filesIn } from '../items/build-item.js'
import type { StoredItem } from '../records/load-item.js'
import { assertNotArchived, updateItem } from '../records/update-item.js'
import type { Context } from '../runtime/context.js'
import { findVersion, type GetVersionInput } from './get-version.js'

/** What `restoreVersion` is told. */
export interface RestoreVersionInput extends GetVersionInput {
  /** Restores only over this version. */
  readonly ifVersion?: number | undefined
}

/** The operation `restoreVersion` of the service. */
export async function restoreVersion(
  context: Context,
  caller: Caller | undefined,
  input: RestoreVersionInput,
): Promise<StoredItem> {
  const { vaultId, itemId } = input
  const editor = await authorize(caller, { vaultId, itemId }, 'read', 'write')
  const { version } = parse(versionInputSchema, input)
  const ifVersion = parseIfVersion(input)
  const { item: old } = await findVersion(context, { vaultId, itemId }, version)
  return updateItem(context, editor, { vaultId, itemId, ifVersion }, (item) =>
    restored(assertNotArchived(item), old),
  )
}

/** The item with everything of `old` that a client may set; what the vault keeps, files too, stays. */
function restored(item: Item, old: Item): Item {
  const { id, vault, version, createdAt, updatedAt, lastEditedBy } = item
  const files = filesIn(old.sections, item.files)
  const { state: _, ...settable } = old
  return { ...settable, id, vault, version, createdAt, updatedAt, lastEditedBy, files }
}
