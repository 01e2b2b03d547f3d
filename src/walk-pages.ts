/** Reads records page by page. */

import { StorageError } from './errors.js'
import { createPacer, turn } from './pacer.js'
import type { ListedRecord, RecordQuery } from './store.js'

/** Bodies of a page; with the last of them and what is made of them, all that a walk holds at a time. */
const pageBytes = 2_097_152

/**
 * Every record of the page, and of those that `list` returns after it. The event loop gets a turn between two pages and
 * before a stretch of work on more than 262,144 bytes. No page is asked for before its first record is.
 * @throws StorageError if the ids do not ascend: a store that repeats a page would otherwise be read without end.
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
    await turn()
  }
}
