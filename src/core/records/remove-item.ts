/** Removes an item with all that belongs to it: contents, older versions. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { itemChange, withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { itemKey, parseHeader } from './item-record.js'
import { loadAnyItem, loadItem } from './load-item.js'
import { withPendingRemoval } from './removing-blobs.js'
import { assertVersion, type ItemChange, withOptimisticRetry } from './update-item.js'

/**
 * Resolves with the number of the item's contents when its record is gone. The record goes first: contents that nothing
 * names are found and swept, a record that names missing contents could not be mended. `read` finds the item.
 * @throws NotFoundError, PreconditionFailedError, or ConflictError when others always came first.
 */
export async function deleteItemRecord(
  context: Context,
  ref: ItemChange,
  read: typeof loadItem = loadItem,
): Promise<number> {
  const key = itemKey(ref)
  let contents = 0
  await withPendingRemoval(context, ref, undefined, (note) =>
    withOptimisticRetry(context, key, 'item', async () => {
      const { item, header } = await read(context, ref)
      assertVersion(item, ref.ifVersion)
      return withChangeHooks(context, itemChange('item.deleted', item), async () => {
        const pending = await note(Object.values(parseHeader(header).blobs))
        contents = pending.blobIds.length
        return (await context.store.records.delete(key, item.version)) ? pending : undefined
      })
    }),
  )
  return contents
}

/** The same for an item of any state; 0 if somebody else was faster. */
export async function deleteItemIfPresent(context: Context, ref: ItemRef): Promise<number> {
  try {
    return await deleteItemRecord(context, ref, loadAnyItem)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return 0
  }
}
