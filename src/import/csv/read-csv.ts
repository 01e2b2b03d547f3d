/** Reads the CSV files of browsers and of LastPass. */

import { InvalidInputError, type ItemCategory } from '../../index.js'
import { createCollector } from '../collector.js'
import { type ExportFile, openExportFile } from '../export-file.js'
import { hostOf, toTimes } from '../field-values.js'
import { createItemBuilder, type ItemBuilder, maxTagLength } from '../item-builder.js'
import type { ImportLimits, ReadOptions } from '../limits.js'
import type { ImportResult } from '../result.js'
import { cutText, linesOf } from '../text.js'
import { type Columns, type Row, readRows, rowId } from './read-rows.js'

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
 * name and the name identify a row, so that a changed password does not make it a new item.
 * @param bytes The complete file, in UTF-8 or UTF-16. It is not changed.
 * @throws InvalidInputError if it is not such a file or exceeds a limit. No message contains a part
 * of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` is not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readChromeCsv(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  return readChromeCsvFile(openExportFile(bytes, options))
}

/** Reads such a file as `readChromeCsv` does. */
export function readChromeCsvFile(file: ExportFile): ImportResult {
  const collector = createCollector('chrome', file.limits)
  for (const row of readRows(file, chromeColumns, collector)) {
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
 * @param bytes The complete file, in UTF-8 or UTF-16. It is not changed.
 * @throws InvalidInputError if it is not such a file or exceeds a limit. No message contains a part
 * of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` is not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readFirefoxCsv(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  return readFirefoxCsvFile(openExportFile(bytes, options))
}

/** Reads such a file as `readFirefoxCsv` does. */
export function readFirefoxCsvFile(file: ExportFile): ImportResult {
  const collector = createCollector('firefox', file.limits)
  for (const row of readRows(file, firefoxColumns, collector)) {
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

/** The columns of LastPass. */
export const lastPassColumns: Columns = {
  required: ['url', 'username', 'password', 'extra', 'name', 'grouping'],
  optional: ['totp', 'fav'],
}

/** The URL of every row that is a note and not a login. */
const noteUrl = 'http://sn'

/**
 * Reads the CSV file of LastPass. Folders become tags. A note with a template, such as a credit
 * card, becomes an item of that category. The URL, the user name, the name and the folder identify
 * a row, so that a changed password does not make it a new item.
 * @param bytes The complete file, in UTF-8 or UTF-16. It is not changed.
 * @throws InvalidInputError if it is not such a file or exceeds a limit. No message contains a part
 * of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` is not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readLastPassCsv(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  return readLastPassCsvFile(openExportFile(bytes, options))
}

/** Reads such a file as `readLastPassCsv` does. */
export function readLastPassCsvFile(file: ExportFile): ImportResult {
  const collector = createCollector('lastpass', file.limits)
  const countLine = createLineCount(file.limits)
  for (const row of readRows(file, lastPassColumns, collector)) {
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
    const category = isNote ? addNoteFields(extra, path, builder, countLine) : 'LOGIN'
    if (!isNote) builder.addNotes(extra, path)
    const folder = cutText(row.text('grouping', report), maxTagLength + 1)
    builder.addTag(folder.replaceAll('\\', '/'), `${row.path}/grouping`)
    const favorite = row.text('fav', report) === '1'
    collector.addItem({ sourceId, item: builder.build({ category, title, favorite }) }, [])
  }
  return collector.toResult()
}

/** Adds the user name, the password and the URL of a row. */
function addLogin(row: Row, url: string, builder: ItemBuilder): void {
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

/** The categories of the templates. Any other template becomes `CUSTOM`. */
const templates: ReadonlyMap<string, ItemCategory> = new Map([
  ['Credit Card', 'CREDIT_CARD'],
  ['Bank Account', 'BANK_ACCOUNT'],
  ['Address', 'IDENTITY'],
  ["Driver's License", 'DRIVER_LICENSE'],
  ['Passport', 'PASSPORT'],
  ['Social Security', 'SOCIAL_SECURITY_NUMBER'],
  ['Email Account', 'EMAIL_ACCOUNT'],
  ['Server', 'SERVER'],
  ['Database', 'DATABASE'],
  ['SSH Key', 'SSH_KEY'],
  ['Wi-Fi Password', 'WIRELESS_ROUTER'],
  ['Software License', 'SOFTWARE_LICENSE'],
  ['Membership', 'MEMBERSHIP'],
])

/** The names of values that are concealed. */
const concealed = /\b(?:password|passphrase|private key|pin|security code|number|iban)\b/i

/**
 * Adds the text of a note: its fields if it has a template, otherwise the entire text as notes.
 * @returns The category of the item.
 */
function addNoteFields(
  text: string,
  path: string,
  builder: ItemBuilder,
  countLine: () => void,
): ItemCategory {
  const lines = linesOf(text)
  const first = lines.next().value ?? ''
  if (!first.startsWith('NoteType:')) {
    builder.addNotes(text, path)
    return 'SECURE_NOTE'
  }
  for (const { name, value } of readFields(lines, countLine)) {
    // The language that the template was shown in, and dates that were not filled in.
    if (name === 'Language' || /^,*$/.test(value)) continue
    if (name === 'Notes') builder.addNotes(value, path)
    else
      builder.addField({
        ...{ path, id: name, label: name, value },
        type: concealed.test(name) ? 'CONCEALED' : 'STRING',
      })
  }
  const category = templates.get(first.slice('NoteType:'.length))
  if (category === undefined)
    builder.report(path, 'converted', 'the template of the note is unknown and became CUSTOM')
  return category ?? 'CUSTOM'
}

/** Returns the values by name. A line without a name continues the value of the line above. */
function readFields(
  lines: Iterable<string>,
  countLine: () => void,
): { name: string; value: string }[] {
  const fields: { name: string; lines: string[] }[] = []
  for (const line of lines) {
    countLine()
    const last = fields.at(-1)
    const [name = '', value] = splitOnce(line)
    // The notes are the last field and can contain colons.
    const isField = value !== undefined && last?.name !== 'Notes' && /^\w/.test(name)
    if (isField) fields.push({ name, lines: [value] })
    else if (last === undefined) fields.push({ name: 'Notes', lines: [line] })
    else last.lines.push(line)
  }
  return fields.map(({ name, lines: parts }) => ({ name, value: parts.join('\n').trimEnd() }))
}

/** Returns a function that throws when it is called for more lines of an export than the limit. */
function createLineCount({ elements: limit }: ImportLimits): () => void {
  let count = 0
  return () => {
    if (++count > limit)
      throw InvalidInputError.at('', `the fields of all notes have more than ${limit} lines`)
  }
}

function splitOnce(line: string): [string, string?] {
  const colon = line.indexOf(':')
  return colon < 0 ? [line] : [line.slice(0, colon), line.slice(colon + 1)]
}
