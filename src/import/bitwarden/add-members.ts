/** Adds the fields of an item of a Bitwarden export. */

import type { FieldType } from '../../schema/field.js'
import type { ItemBuilder } from '../item-builder.js'
import type { Source } from '../source.js'
import type { Member } from './members.js'

/** The types of custom fields; 3 refers to another field. */
const customFieldTypes: readonly (FieldType | undefined)[] = ['STRING', 'CONCEALED', 'STRING']

/** Adds the fields of a login. */
export function addLogin(login: Source, builder: ItemBuilder): void {
  builder.addField({
    path: `${login.path}/username`,
    ...{ id: 'username', label: 'username', purpose: 'USERNAME', value: login.text('username') },
  })
  builder.addField({
    path: `${login.path}/password`,
    ...{ id: 'password', label: 'password', type: 'CONCEALED', purpose: 'PASSWORD' },
    value: login.text('password'),
  })
  builder.addField({
    path: `${login.path}/totp`,
    ...{ id: 'totp', label: 'one-time password', type: 'TOTP', value: login.text('totp') },
  })
  for (const uri of login.objects('uris')) {
    uri.ignore('uriChecksum')
    builder.addUrl(uri.text('uri'), '', `${uri.path}/uri`)
    uri.drop('match', 'attribute', 'how a URL is compared has no counterpart')
  }
  login.ignore('uri')
  login.drop(
    'fido2Credentials',
    'passkey',
    'a passkey can only be moved by the service that uses it',
  )
  login.drop('passwordRevisionDate', 'attribute', 'the time of the last password is left out')
  login.drop('autofillOnPageLoad', 'attribute', 'settings for filling in have no counterpart')
}

/** Adds a field for each member that the item has. */
export function addMembers(source: Source, members: readonly Member[], builder: ItemBuilder): void {
  for (const [name, id, label, type = 'STRING'] of members)
    builder.addField({ path: `${source.path}/${name}`, id, label, type, value: source.text(name) })
}

/** Adds the month in which a card expires. */
export function addExpiry(card: Source, builder: ItemBuilder): void {
  const [month, year] = [card.text('expMonth'), card.text('expYear')]
  if (month === '' && year === '') return
  const path = `${card.path}/expMonth`
  const isMonth = /^\d{1,2}$/.test(month) && /^\d{4}$/.test(year)
  const value = isMonth ? `${year}${month.padStart(2, '0')}` : [month, year].join(' ').trim()
  builder.addField({ path, id: 'expiry', label: 'expiry date', type: 'MONTH_YEAR', value })
}

/** Adds the custom fields, in a section of their own. */
export function addCustomFields(item: Source, builder: ItemBuilder): void {
  const section = builder.addSection('fields', 'Fields')
  for (const field of item.objects('fields')) {
    const number = field.number('type') ?? 0
    const type = customFieldTypes[number]
    const label = field.text('name')
    if (type === undefined) {
      field.skip('field', 'the field refers to another field, or has an unknown type')
      continue
    }
    field.ignore('linkedId')
    const input = { path: `${field.path}/value`, label, type, section }
    builder.addField({ ...input, id: label || 'field', value: field.text('value') })
  }
}
