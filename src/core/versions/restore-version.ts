/** Restores an item to one of its versions. */

import { notFoundError } from '../../base/fixed-errors.js'
import { ifVersionInputSchema, versionInputSchema } from '../../schema/inputs.js'
import { type Item, itemSchema } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import { withoutMissingSections } from '../items/build-item.js'
import { defineOperation } from '../operation/define-operation.js'
import { changeErrors } from '../operation/operation-errors.js'
import { assertNotArchived } from '../records/change-item.js'
import { unknownMembersOf } from '../records/stored-json.js'
import { updateItem } from '../records/update-item.js'
import { firstVersionOf } from '../records/version-records.js'
import { type GetVersionInput, loadVersion } from './get-version.js'

/** Input of `restoreVersion`. */
export interface RestoreVersionInput extends GetVersionInput {
  /** Restores the item only if this is its current version. */
  readonly ifVersion?: number | undefined
}

/**
 * Restores the content of a version as the next version of the item. The item keeps its current
 * files, without references to sections that it no longer has.
 */
export const restoreVersion = defineOperation({
  name: 'restoreVersion',
  summary: 'Restores the content of a version as the next version of an item',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: changeErrors,
  input: z.extend(versionInputSchema, ifVersionInputSchema.shape),
  returns: 'item',
  async run(call, { version, ifVersion, ...ref }) {
    const { item: old } = await loadVersion(call.context, ref, version)
    return updateItem(call, { ...ref, ifVersion }, (item, stored) => {
      // Since the version was loaded, a new item may have taken the id of a deleted one.
      if (version < firstVersionOf(stored)) throw notFoundError('version', String(version))
      return withContentOf(old, assertNotArchived(item))
    })
  },
})

/** Returns the item with everything that a client can set from `old`. Everything else is kept. */
function withContentOf(old: Item, item: Item): Item {
  const { id, vault, version, createdAt, updatedAt, lastEditedBy } = item
  const files = withoutMissingSections(old.sections, item.files)
  const { state: _, ...settable } = old
  const unknown = unknownMembersOf(itemSchema, item)
  return { ...unknown, ...settable, id, vault, version, createdAt, updatedAt, lastEditedBy, files }
}
