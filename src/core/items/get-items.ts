/** Returns several items of a vault in one call. */

import { batchesOf } from '../../base/batches.js'
import { createPacer } from '../../base/pacer.js'
import { ContentTooLargeError } from '../../errors.js'
import { getItemsInputSchema } from '../../schema/inputs.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { isItemRecord, itemKey, parseItemRecord, type StoredItem } from '../records/item-record.js'
import { requireVaultRecord } from '../records/vault-record.js'

/** The number of records that are read concurrently. */
const maxConcurrentReads = 8

/** Input of `getItems`. */
export interface GetItemsInput {
  readonly vaultId: string
  /** 1 to 100 distinct ids. */
  readonly itemIds: readonly string[]
}

/**
 * Returns the items in the order of `itemIds`, without those that do not exist or are marked as
 * deleted. Up to eight are read concurrently, so they are not a snapshot. The vault's existence is
 * checked only if an item is missing.
 * @throws ContentTooLargeError if more than one item is requested and the records together are
 * larger than `limits.getItemsBytes`.
 */
export const getItems = defineOperation({
  name: 'getItems',
  summary: 'Returns several items of a vault, without those that do not exist',
  target: 'vault',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'CONTENT_TOO_LARGE'],
  input: getItemsInputSchema,
  returns: 'items',
  async run({ context }, { vaultId, itemIds }) {
    const pace = createPacer()
    const items: StoredItem[] = []
    let left = itemIds.length === 1 ? Number.POSITIVE_INFINITY : context.limits.getItemsBytes
    for (const batch of batchesOf(itemIds, maxConcurrentReads)) {
      const refs = batch.map((itemId) => ({ vaultId, itemId }))
      const records = await Promise.all(refs.map((ref) => context.store.records.get(itemKey(ref))))
      for (const record of records) left -= record?.body.length ?? 0
      if (left < 0)
        throw new ContentTooLargeError(
          'the items are too large for one response: request fewer items',
        )
      for (const [index, ref] of refs.entries()) {
        const record = records[index]
        if (!isItemRecord(record)) continue
        await pace(record.body.length)
        const stored = parseItemRecord(record, ref)
        if (stored.item.state !== 'DELETED') items.push(stored)
      }
    }
    if (items.length < itemIds.length) await requireVaultRecord(context, vaultId)
    return items
  },
})
