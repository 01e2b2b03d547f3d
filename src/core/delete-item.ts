/** Removes an item and its files for good. */

import type { Caller } from './caller.js'
import { raced, requireVersion } from './change-item.js'
import type { Context } from './context.js'
import { itemKey, parseHead } from './item-record.js'
import { removeVersions } from './item-versions.js'
import { markBlobs, unmarkBlobs } from './mark-blobs.js'
import { permit } from './permit.js'
import { readItem } from './read-item.js'

/** What `deleteItem` is told. */
export interface DeleteItemInput {
  readonly vaultId: string
  readonly itemId: string
  /** Removes only this version. */
  readonly ifVersion?: number | undefined
}

/**
 * The operation `deleteItem` of the service. The record goes first: contents that nothing names are found and swept,
 * a record that names missing contents could not be mended. Its older versions go with it.
 */
export async function deleteItem(
  context: Context,
  caller: Caller | undefined,
  input: DeleteItemInput,
): Promise<void> {
  const place = { vaultId: input.vaultId, itemId: input.itemId }
  await permit(caller, place, 'write')
  const key = itemKey(place)
  const { records, blobs } = context.store
  const mark = await context.queue(`${key.collection}/${key.id}`, () =>
    raced(input.itemId, async () => {
      const { item, head } = await readItem(context, place)
      requireVersion(item, input.ifVersion)
      const noted = await markBlobs(context, place, Object.values(parseHead(head).blobs))
      if (await records.delete(key, item.version)) return noted
      await unmarkBlobs(context, noted)
      return undefined
    }),
  )
  const leftovers = [removeVersions(context, place), ...mark.blobIds.map((id) => blobs.delete(id))]
  const outcomes = await Promise.allSettled(leftovers)
  if (outcomes.every(({ status }) => status === 'fulfilled')) await unmarkBlobs(context, mark)
}
