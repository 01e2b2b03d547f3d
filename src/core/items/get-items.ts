/** Answers many items of a vault in one call. */

import { ContentTooLargeError } from '../../errors.js'
import { createPacer } from '../../pacer.js'
import { getItemsInputSchema } from '../../schema/inputs.js'
import { parse } from '../../schema/parse.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { itemKey } from '../records/item-record.js'
import { parseItemRecord, type StoredItem } from '../records/load-item.js'
import { requireVaultRecord } from '../records/vault-record.js'
import type { Context } from '../runtime/context.js'

/** Records that are read at the same time. */
const maxConcurrentReads = 8

/** What `getItems` is told. */
export interface GetItemsInput {
  readonly vaultId: string
  /** 1 to 100 ids, none twice. */
  readonly itemIds: readonly string[]
}

/**
 * The operation `getItems` of the service: the items in the order of their ids, without those that are not there or
 * marked as deleted. A few are read at the same time, each as it is at some moment of the call. The vault is looked for
 * only if an item is missing.
 * @throws ContentTooLargeError if more than one item is asked for and their records are larger than
 * `limits.getItemsBytes`.
 */
export async function getItems(
  context: Context,
  caller: Caller | undefined,
  input: GetItemsInput,
): Promise<readonly StoredItem[]> {
  const { vaultId } = input
  await authorize(caller, { vaultId }, 'read')
  const { itemIds } = parse(getItemsInputSchema, input)
  const pace = createPacer()
  const items: StoredItem[] = []
  let left = itemIds.length === 1 ? Number.POSITIVE_INFINITY : context.limits.getItemsBytes
  for (let start = 0; start < itemIds.length; start += maxConcurrentReads) {
    const places = itemIds
      .slice(start, start + maxConcurrentReads)
      .map((itemId) => ({ vaultId, itemId }))
    const records = await Promise.all(places.map((ref) => context.store.records.get(itemKey(ref))))
    for (const record of records) left -= record?.body.length ?? 0
    if (left < 0)
      throw new ContentTooLargeError('the items are too large for one answer: ask for fewer items')
    for (const [index, ref] of places.entries()) {
      const record = records[index]
      if (record === undefined) continue
      await pace(record.body.length)
      const found = parseItemRecord(record, ref)
      if (found.item.state !== 'DELETED') items.push(found)
    }
  }
  if (items.length < itemIds.length) await requireVaultRecord(context, vaultId)
  return items
}
