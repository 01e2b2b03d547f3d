/** Reads the items of OAuth grants for their keeper. */

import { collectionOf, itemRecords } from '../../base/stored-records.js'
import { findGrantStatus } from '../../schema/grant-item.js'
import type { Item } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { isItemRecord, loadItem, parseItemRecord } from '../records/item-record.js'
import { listRecords } from '../records/list-records.js'
import { requireVaultRecord } from '../records/vault-record.js'

/** Returns the item of a grant. It is called when the grant is used, refreshed or shown. */
export const loadGrant = defineOperation({
  name: 'loadGrant',
  summary: 'Returns the item of an OAuth grant',
  target: 'item',
  permissions: ['read'],
  errors: readErrors,
  async run({ context }, ref): Promise<Item> {
    return (await loadItem(context, ref)).item
  },
})

/** Returns the items of the grants of a vault, without those that are marked as deleted. */
export const listGrants = defineOperation({
  name: 'listGrants',
  summary: 'Returns the items of the OAuth grants of a vault',
  target: 'vault',
  permissions: ['read'],
  errors: readErrors,
  input: z.object({}),
  async run({ context, reportUnreadable }, { vaultId }): Promise<readonly Item[]> {
    await requireVaultRecord(context, vaultId)
    return listRecords(
      { store: context.store, reportUnreadable },
      collectionOf(itemRecords, vaultId),
      { plan: {} },
      async (record) => {
        if (!isItemRecord(record)) return undefined
        const { item } = parseItemRecord(record, { vaultId, itemId: record.id })
        const isListed = item.state !== 'DELETED' && findGrantStatus(item) !== undefined
        return isListed ? item : undefined
      },
    )
  },
})
