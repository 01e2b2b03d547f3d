/** Answers an item as it was in one of its versions. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { versionInputSchema } from '../../schema/inputs.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { loadItem, type StoredItem } from '../records/load-item.js'
import { readVersion } from '../records/version-records.js'
import type { Context } from '../runtime/context.js'

/** Input of `getVersion`. */
export interface GetVersionInput {
  readonly vaultId: string
  readonly itemId: string
  /** 1 or more. */
  readonly version: number
}

/** Returns an item as it was in one of its versions. */
export const getVersion = defineOperation({
  name: 'getVersion',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: operationErrors.read,
  input: versionInputSchema,
  returns: 'item',
  async run({ context }, { version, ...ref }) {
    return findVersion(context, ref, version)
  },
})

/** @throws NotFoundError if the vault, the item or the version is not there. */
export async function findVersion(
  context: Context,
  ref: ItemRef,
  version: number,
): Promise<StoredItem> {
  const found = await loadItem(context, ref)
  if (found.item.version === version) return found
  const kept = await readVersion(context, ref, version)
  if (kept === undefined) throw new NotFoundError('version', String(version))
  return kept
}
