/** Removes an item and its files for good. */

import type { Caller } from './caller.js'
import { raced, requireVersion } from './change-item.js'
import type { Context } from './context.js'
import { itemKey, parseHead } from './item-record.js'
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
 * a record that names missing contents could not be mended.
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
  const orphans = await context.queue(`${key.collection}/${key.id}`, () =>
    raced(input.itemId, async () => {
      const { item, head } = await readItem(context, place)
      const blobIds = Object.values(parseHead(head).blobs)
      requireVersion(item, input.ifVersion)
      return (await records.delete(key, item.version)) ? blobIds : undefined
    }),
  )
  await Promise.allSettled(orphans.map((id) => blobs.delete(id)))
}
