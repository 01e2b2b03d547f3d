/** Removes everything that lies in a vault, but the vault itself. */

import type { ListedRecord } from '../store.js'
import type { Context } from './context.js'
import { itemCollection } from './item-record.js'
import { versionCollection } from './item-versions.js'
import { markCollection, markIn } from './mark-blobs.js'
import { removeAnyItem } from './remove-item.js'
import { anHour, isOld, sweepMark } from './sweep-mark.js'
import { walkRecords } from './walk-records.js'

/**
 * Removes the items, whatever their state, then the older versions and the contents that crashes have left behind, and
 * takes the pending record of every upload that is under way: it is refused in the end. Pending records that were swept
 * before stay until they are `olderThan` milliseconds old. `isDue` is called after a record was found and before it is
 * removed; when it resolves with false, nothing more is removed. Resolves with the number of contents removed.
 */
export async function emptyVault(
  context: Context,
  vaultId: string,
  isDue: () => Promise<boolean>,
  olderThan = anHour,
): Promise<number> {
  const { records } = context.store
  const versions = versionCollection(vaultId)
  const removals: Readonly<Record<string, (record: ListedRecord) => Promise<number>>> = {
    [itemCollection(vaultId)]: ({ id }) => removeAnyItem(context, { vaultId, itemId: id }),
    [versions]: ({ id, version }) =>
      records.delete({ collection: versions, id }, version).then(() => 0),
    [markCollection(vaultId)]: async (record) => {
      const mark = markIn(vaultId, record)
      return mark.swept && !isOld(context, mark, olderThan) ? 0 : sweepMark(context, mark)
    },
  }
  let contents = 0
  for (const [collection, remove] of Object.entries(removals)) {
    for await (const record of walkRecords(context, collection)) {
      if (!(await isDue())) return contents
      contents += await remove(record)
    }
  }
  return contents
}
