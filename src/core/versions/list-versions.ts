/** Answers which versions of an item there are. */

import type { ItemVersion } from '../../schema/item.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { loadItem } from '../records/load-item.js'
import { readVersions } from '../records/version-records.js'

/** Input of `listVersions`. */
export interface ListVersionsInput {
  readonly vaultId: string
  readonly itemId: string
}

/** Returns the versions of an item, the newest first: its current one and those that are archived. */
export const listVersions = defineOperation({
  name: 'listVersions',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: operationErrors.read,
  async run({ context }, ref): Promise<readonly ItemVersion[]> {
    const { item } = await loadItem(context, ref)
    const versions = new Map([[item.version, summarize(item)]])
    for await (const archived of readVersions(context, ref))
      versions.set(archived.item.version, summarize(archived.item))
    return [...versions.values()].sort((one, other) => other.version - one.version)
  },
})

function summarize({ version, updatedAt, lastEditedBy }: ItemVersion): ItemVersion {
  return { version, updatedAt, lastEditedBy }
}
