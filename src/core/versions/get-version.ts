/** Returns an item as it was in one of its versions. */

import { notFoundError } from '../../base/fixed-errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { versionInputSchema } from '../../schema/inputs.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem, type StoredItem } from '../records/item-record.js'
import { readVersion } from '../records/version-records.js'
import type { Context } from '../runtime/context.js'

/** Input of `getVersion`. */
export interface GetVersionInput {
  readonly vaultId: string
  readonly itemId: string
  /** The number of the version, 1 or more. */
  readonly version: number
}

/** Returns an item as it was in one of its versions. */
export const getVersion = defineOperation({
  name: 'getVersion',
  summary: 'Returns an item as it was in one of its versions',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: readErrors,
  input: versionInputSchema,
  returns: 'item',
  async run({ context }, { version, ...ref }) {
    return loadVersion(context, ref, version)
  },
})

/**
 * Loads a version of an item.
 * @throws NotFoundError for the vault, the item or the version, whichever is missing first.
 */
export async function loadVersion(
  context: Context,
  ref: ItemRef,
  version: number,
): Promise<StoredItem> {
  const current = await loadItem(context, ref)
  if (current.item.version === version) return current
  const archived = await readVersion(context, ref, current, version)
  if (archived === undefined) throw notFoundError('version', String(version))
  return archived
}
