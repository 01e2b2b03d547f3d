/** Reads the CSV file of LastPass. */

import { createCollector } from '../collector.js'
import { hostOf } from '../field-values.js'
import { createItemBuilder } from '../item-builder.js'
import { type ReadOptions, resolveArguments } from '../limits.js'
import type { ImportResult } from '../result.js'
import { addNoteFields } from './add-note-fields.js'
import { addLogin } from './read-browser-csv.js'
import { type Columns, readRows } from './read-rows.js'
import { rowId } from './row-id.js'

/** The columns of LastPass. */
export const lastPassColumns: Columns = {
  required: ['url', 'username', 'password', 'extra', 'name', 'grouping'],
  optional: ['totp', 'fav'],
}

/** The URL of every row that is a note and not a login. */
const noteUrl = 'http://sn'

/**
 * Reads the CSV file of LastPass. Folders become tags. A note with a template, such as a credit
 * card, becomes an item of that category. The URL, the user name, the name and the folder identify a
 * row, so that a changed password does not make it another item.
 * @param bytes The whole file, in UTF-8 or UTF-16. It is not changed.
 * @throws InvalidInputError if it is not such a file or exceeds a limit. No message contains a part
 * of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readLastPassCsv(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  const limits = resolveArguments(bytes, options)
  const collector = createCollector('lastpass', limits)
  for (const row of readRows(bytes, lastPassColumns, { limits, collector })) {
    const names = ['url', 'username', 'name', 'grouping']
    const sourceId = collector.claimId(rowId(...names.map((name) => row.text(name, () => {}))))
    const report = collector.reportFor(sourceId)
    const url = row.text('url', report)
    const extra = row.text('extra', report)
    const isNote = url === noteUrl
    const title = row.text('name', report) || (isNote ? 'Note' : hostOf(url)) || 'Login'
    const builder = createItemBuilder(sourceId, report, title)
    addLogin(row, isNote ? '' : url, builder)
    builder.addField({
      ...{ path: `${row.path}/totp`, id: 'totp', label: 'one-time password', type: 'TOTP' },
      value: row.text('totp', report),
    })
    const path = `${row.path}/extra`
    const category = isNote ? addNoteFields(extra, path, builder) : 'LOGIN'
    if (!isNote) builder.addNotes(extra, path)
    builder.addTag(row.text('grouping', report).replaceAll('\\', '/'))
    const favorite = row.text('fav', report) === '1'
    collector.addItem({ sourceId, item: builder.build({ category, title, favorite }) }, [])
  }
  return collector.toResult()
}
