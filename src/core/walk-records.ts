/** Every record of a collection, read page by page. */

import type { ListedRecord } from '../store.js'
import type { Context } from './context.js'

/** Ascending by id; only ids after `after` if it is given. */
export async function* walkRecords(
  context: Pick<Context, 'store'>,
  collection: string,
  limit = 500,
  after?: string,
): AsyncGenerator<ListedRecord> {
  let last = after
  do {
    const page = { limit, ...(last !== undefined && { after: last }) }
    const records = await context.store.records.list(collection, page)
    yield* records
    last = records.length < limit ? undefined : records.at(-1)?.id
  } while (last !== undefined)
}
