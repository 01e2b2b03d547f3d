/** Iterates over the records of a list, page by page. */

import { StorageError } from '../errors.js'
import type { ListedRecord, RecordQuery } from '../store.js'
import { createPacer, yieldToEventLoop } from './pacer.js'

/** The bytes of the bodies of a page. No more is held at a time, besides the page's last record. */
const pageBytes = 2_097_152

/**
 * Yields every record of the page, and of the pages that follow it. A page is loaded when its first
 * record is requested. The event loop gets a turn between two pages, and before a stretch of work
 * on more than 262,144 bytes.
 *
 * @param list Returns one page, such as `RecordStore.list` of one collection.
 * @param page The first page. `maxBytes` is 2,097,152 by default.
 * @throws StorageError (`STORAGE_FAILED`) if the ids do not ascend, because a store that repeats a
 * page would otherwise be read forever.
 */
export async function* walkPages(
  list: (page: RecordQuery) => Promise<readonly ListedRecord[]>,
  { limit, maxBytes = pageBytes, ...rest }: RecordQuery,
): AsyncGenerator<ListedRecord> {
  const pace = createPacer()
  let { after } = rest
  for (;;) {
    const page = { ...rest, limit, maxBytes, ...(after !== undefined && { after }) }
    const records = await list(page)
    let bytes = 0
    for (const record of records) {
      if (after !== undefined && record.id <= after)
        throw new StorageError('the store lists records out of order')
      after = record.id
      bytes += record.body.length
      const pause = pace(record.body.length)
      if (pause) await pause
      yield record
    }
    if (records.length < limit && bytes < maxBytes) return
    await yieldToEventLoop()
  }
}
