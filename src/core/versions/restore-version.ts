/** Makes an item again what it was in one of its versions. */

import * as z from 'zod/mini'
import { ifVersionInputSchema, versionInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { filesIn } from '../items/build-item.js'
import { assertNotArchived, updateItem } from '../records/update-item.js'
import { findVersion, type GetVersionInput } from './get-version.js'

/** Input of `restoreVersion`. */
export interface RestoreVersionInput extends GetVersionInput {
  /** Restores only over this version. */
  readonly ifVersion?: number | undefined
}

/** Makes the content of one of its versions the next version of an item. */
export const restoreVersion = defineOperation({
  name: 'restoreVersion',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: operationErrors.change,
  input: z.extend(versionInputSchema, ifVersionInputSchema.shape),
  returns: 'item',
  async run({ context, caller }, { version, ifVersion, ...ref }) {
    const { item: old } = await findVersion(context, ref, version)
    return updateItem(context, caller, { ...ref, ifVersion }, (item) =>
      restored(assertNotArchived(item), old),
    )
  },
})

/** The item with everything of `old` that a client may set; what the vault keeps, files too, stays. */
function restored(item: Item, old: Item): Item {
  const { id, vault, version, createdAt, updatedAt, lastEditedBy } = item
  const files = filesIn(old.sections, item.files)
  const { state: _, ...settable } = old
  return { ...settable, id, vault, version, createdAt, updatedAt, lastEditedBy, files }
}
