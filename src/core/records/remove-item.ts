/** Removes an item with all that belongs to it: contents, older versions. */

import type { ItemPlace } from '../../dialects/dialect.js'
import { NotFoundError } from '../../errors.js'
import { deedOf, witnessed } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { itemKey, parseHead } from './item-record.js'
import { readAnyItem, readItem } from './load-item.js'
import { removingBlobs } from './removing-blobs.js'
import { type ItemChange, raced, requireVersion } from './update-item.js'

/**
 * Resolves with the number of the item's contents when its record is gone. The record goes first: contents that nothing
 * names are found and swept, a record that names missing contents could not be mended. `read` finds the item.
 * @throws NotFoundError, PreconditionFailedError, or ConflictError when others always came first.
 */
export async function removeItem(
  context: Context,
  place: ItemChange,
  read: typeof readItem = readItem,
): Promise<number> {
  const key = itemKey(place)
  let contents = 0
  await removingBlobs(context, place, undefined, (note) =>
    raced(context, key, 'item', async () => {
      const { item, head } = await read(context, place)
      requireVersion(item, place.ifVersion)
      return witnessed(context, deedOf('item.deleted', item), async () => {
        const mark = await note(Object.values(parseHead(head).blobs))
        contents = mark.blobIds.length
        return (await context.store.records.delete(key, item.version)) ? mark : undefined
      })
    }),
  )
  return contents
}

/** The same for an item of any state; 0 if somebody else was faster. */
export async function removeAnyItem(context: Context, place: Required<ItemPlace>): Promise<number> {
  try {
    return await removeItem(context, place, readAnyItem)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return 0
  }
}
