/** Adds the fields of a LastPass note with a template: lines of a name, a colon and a value. */

import type { ItemCategory } from '../../schema/item.js'
import type { ItemBuilder } from '../item-builder.js'

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
 * Adds the text of a note: its fields if it has a template, or the whole text as the notes.
 * @returns The category of the item.
 */
export function addNoteFields(text: string, path: string, builder: ItemBuilder): ItemCategory {
  const [first = '', ...lines] = text.split(/\r\n|\n|\r/)
  if (!first.startsWith('NoteType:')) {
    builder.addNotes(text, path)
    return 'SECURE_NOTE'
  }
  for (const { name, value } of readFields(lines)) {
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
function readFields(lines: readonly string[]): { name: string; value: string }[] {
  const fields: { name: string; lines: string[] }[] = []
  for (const line of lines) {
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

function splitOnce(line: string): [string, string?] {
  const colon = line.indexOf(':')
  return colon < 0 ? [line] : [line.slice(0, colon), line.slice(colon + 1)]
}
