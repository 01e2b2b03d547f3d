/** Lists the versions of an item. */

import type { ItemVersion } from '../../schema/item.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { readVersions } from '../records/version-records.js'

/** Input of `listVersions`. */
export interface ListVersionsInput {
  readonly vaultId: string
  readonly itemId: string
}

/** Returns the current version of an item and its archived ones, newest first. */
export const listVersions = defineOperation({
  name: 'listVersions',
  summary: 'Returns the versions of an item',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: readErrors,
  async run(call, ref): Promise<readonly ItemVersion[]> {
    const current = await loadItem(call.context, ref)
    const { item } = current
    const versions = new Map([[item.version, toVersion(item)]])
    for await (const archived of readVersions(call, ref, current))
      versions.set(archived.item.version, toVersion(archived.item))
    return [...versions.values()].sort((left, right) => right.version - left.version)
  },
})

function toVersion({ version, updatedAt, lastEditedBy }: ItemVersion): ItemVersion {
  return { version, updatedAt, lastEditedBy }
}
