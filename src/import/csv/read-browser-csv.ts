/** Reads the CSV files of browsers. */

import { createCollector } from '../collector.js'
import { hostOf, toTimes } from '../field-values.js'
import { createItemBuilder, type ItemBuilder } from '../item-builder.js'
import { type ReadOptions, resolveArguments } from '../limits.js'
import type { ImportResult } from '../result.js'
import { type Columns, type Row, readRows } from './read-rows.js'
import { rowId } from './row-id.js'

/** The columns of Chrome, Edge and other browsers of the Chromium project. */
export const chromeColumns: Columns = {
  required: ['name', 'url', 'username', 'password'],
  optional: ['note'],
}

/** The columns of Firefox, in lower case. */
export const firefoxColumns: Columns = {
  required: ['url', 'username', 'password', 'guid'],
  optional: ['httprealm', 'formactionorigin', 'timecreated', 'timelastused', 'timepasswordchanged'],
  dropped: { timelastused: 'the time of the last use is left out' },
}

/** The address of the entry with the keys of the browser's own account. */
const firefoxAccount = 'chrome://FirefoxAccounts'

/**
 * Reads the CSV file of Chrome, Edge or another browser of the Chromium project. The URL, the user
 * name and the name identify a row, so that a changed password does not make it another item.
 * @param bytes The whole file, in UTF-8 or UTF-16. It is not changed.
 * @throws InvalidInputError if it is not such a file or exceeds a limit. No message contains a part
 * of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readChromeCsv(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  const limits = resolveArguments(bytes, options)
  const collector = createCollector('chrome', limits)
  for (const row of readRows(bytes, chromeColumns, { limits, collector })) {
    const identity = ['url', 'username', 'name'].map((name) => row.text(name, () => {}))
    const sourceId = collector.claimId(rowId(...identity))
    const report = collector.reportFor(sourceId)
    const url = row.text('url', report)
    const title = row.text('name', report) || hostOf(url) || 'Login'
    const builder = createItemBuilder(sourceId, report, title)
    addLogin(row, url, builder)
    builder.addNotes(row.text('note', report), `${row.path}/note`)
    collector.addItem({ sourceId, item: builder.build({ category: 'LOGIN', title }) }, [])
  }
  return collector.toResult()
}

/**
 * Reads the CSV file of Firefox. `guid` identifies a row. The entry of the browser's own account is
 * left out.
 * @param bytes The whole file, in UTF-8 or UTF-16. It is not changed.
 * @throws InvalidInputError if it is not such a file or exceeds a limit. No message contains a part
 * of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readFirefoxCsv(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  const limits = resolveArguments(bytes, options)
  const collector = createCollector('firefox', limits)
  for (const row of readRows(bytes, firefoxColumns, { limits, collector })) {
    const guid = row.text('guid', () => {}).replace(/^\{|\}$/g, '')
    const identity = ['url', 'username', 'httprealm'].map((name) => row.text(name, () => {}))
    const sourceId = collector.claimId(guid || rowId(...identity))
    const report = collector.reportFor(sourceId)
    const url = row.text('url', report)
    if (url === firefoxAccount) {
      report(row.path, 'item', 'the account of the browser itself is not a login')
      continue
    }
    const title = hostOf(url) || 'Login'
    const builder = createItemBuilder(sourceId, report, title)
    addLogin(row, url, builder)
    const add = (column: string, label: string): void =>
      builder.addField({
        ...{ path: `${row.path}/${column}`, id: column, label },
        value: row.text(column, report),
      })
    add('httprealm', 'HTTP realm')
    if (row.text('formactionorigin', report) !== url) add('formactionorigin', 'form action')
    const timeOf = (column: string) => {
      const text = row.text(column, report)
      const time = /^\d{1,15}$/.test(text) ? Number(text) : text
      return { path: `${row.path}/${column}`, time }
    }
    const times = { createdAt: timeOf('timecreated'), updatedAt: timeOf('timepasswordchanged') }
    collector.addItem(
      {
        sourceId,
        item: builder.build({ category: 'LOGIN', title }),
        ...toTimes(times, report),
      },
      [],
    )
  }
  return collector.toResult()
}

/** Adds the user name, the password and the URL of a row. */
export function addLogin(row: Row, url: string, builder: ItemBuilder): void {
  const { report } = builder
  builder.addField({
    ...{ path: `${row.path}/username`, id: 'username', label: 'username', purpose: 'USERNAME' },
    value: row.text('username', report),
  })
  builder.addField({
    ...{ path: `${row.path}/password`, id: 'password', label: 'password', purpose: 'PASSWORD' },
    type: 'CONCEALED',
    value: row.text('password', report),
  })
  builder.addUrl(url, '', `${row.path}/url`)
}
