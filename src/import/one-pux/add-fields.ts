/** Adds the fields of a 1PUX item: those of its web form, and those of its sections. */

import type { FieldType } from '../../schema/field.js'
import type { FieldInput, ItemBuilder } from '../item-builder.js'
import type { Source } from '../source.js'

/** Adds a file that a field refers to. */
export type AddFile = (attributes: Source, section: string) => void

/** The types of the fields of web forms; any other one is text. */
const formFieldTypes: ReadonlyMap<string, FieldType> = new Map([
  ['E', 'EMAIL'],
  ['P', 'CONCEALED'],
  ['U', 'URL'],
])

/** The kinds of values that are one text or number, by the name of the value's only member. */
const valueTypes: ReadonlyMap<string, FieldType> = new Map([
  ['string', 'STRING'],
  ['concealed', 'CONCEALED'],
  ['totp', 'TOTP'],
  ['url', 'URL'],
  ['phone', 'STRING'],
  ['menu', 'MENU'],
  ['gender', 'MENU'],
  ['creditCardType', 'MENU'],
  ['creditCardNumber', 'CONCEALED'],
  ['email', 'EMAIL'],
  ['date', 'DATE'],
  ['monthYear', 'MONTH_YEAR'],
])

const addressParts = ['street', 'city', 'zip', 'state', 'country']

/** Attributes of fields that only tell a form how to look and behave. */
const presentation = [
  ...['indexAtSource', 'guarded', 'multiline', 'dontGenerate', 'inputTraits'],
  ...['placeholder', 'clipboardFilter'],
]

/** Adds the fields of the web form that a login was saved from. */
export function addFormFields(details: Source, builder: ItemBuilder): void {
  let section: string | undefined
  for (const field of details.objects('loginFields')) {
    const [designation, id, name] = ['designation', 'id', 'name'].map((key) => field.text(key))
    const type = formFieldTypes.get(field.text('fieldType')) ?? 'STRING'
    const value = field.text('value') || field.object('value').text('email_address')
    const input = { path: `${field.path}/value`, value }
    if (designation === 'username')
      builder.addField({ ...input, id: 'username', label: 'username', purpose: 'USERNAME' })
    else if (designation === 'password')
      builder.addField({
        ...input,
        ...{ id: 'password', label: 'password', type: 'CONCEALED', purpose: 'PASSWORD' },
      })
    else if (value !== '') {
      section ??= builder.addSection('web-form', 'Web form')
      builder.addField({
        ...input,
        id: id || name || 'field',
        label: name || id || '',
        type,
        section,
      })
    }
  }
}

/** Adds the sections with their fields. `addFile` is called for each field that is a file. */
export function addSections(details: Source, builder: ItemBuilder, addFile: AddFile): void {
  for (const section of details.objects('sections')) {
    section.ignore('hideAddAnotherField')
    const id = builder.addSection(section.text('name'), section.text('title'))
    for (const field of section.objects('fields')) addSectionField(field, id, builder, addFile)
  }
}

function addSectionField(
  field: Source,
  section: string,
  builder: ItemBuilder,
  addFile: AddFile,
): void {
  field.ignore(...presentation)
  const input = { id: field.text('id'), label: field.text('title'), section }
  const value = field.object('value')
  for (const kind of value.names()) {
    const type = valueTypes.get(kind)
    const path = `${value.path}/${kind}`
    if (type !== undefined) {
      const text = value.text(kind) || value.object(kind).text('email_address')
      // A month that was not filled in is 0.
      builder.addField({
        ...input,
        path,
        type,
        value: text === '0' && kind === 'monthYear' ? '' : text,
      })
    } else if (kind === 'address') addAddress(value.object(kind), input, builder)
    else if (kind === 'sshKey') addSshKey(value.object(kind), section, builder)
    else if (kind === 'file') addFile(value.object(kind), section)
    else if (kind === 'reference')
      value.drop(kind, 'field', 'a reference to another item of the export has no counterpart')
    else value.drop(kind, 'field', 'the field has a value of an unknown kind')
  }
}

/** Adds one field for each part of an address. */
function addAddress(
  address: Source,
  { id, label, section }: Pick<FieldInput, 'id' | 'label' | 'section'>,
  builder: ItemBuilder,
): void {
  for (const part of addressParts)
    builder.addField({
      path: `${address.path}/${part}`,
      id: `${id}-${part}`,
      label: `${label || id} ${part}`,
      value: address.text(part),
      section,
    })
}

/** Adds an SSH key with the ids of `sshKeyFields`. The key of the metadata has a fixed form. */
function addSshKey(key: Source, section: string, builder: ItemBuilder): void {
  const metadata = key.object('metadata')
  const [original, stored] = [key.text('privateKey'), metadata.text('privateKey')]
  const add = (id: string, label: string, value: string, type: FieldType = 'STRING'): void =>
    builder.addField({ path: `${key.path}/metadata`, id, label, value, type, section })
  add('private_key', 'private key', stored || original, 'CONCEALED')
  add('public_key', 'public key', metadata.text('publicKey'))
  add('fingerprint', 'fingerprint', metadata.text('fingerprint'))
  add('key_type', 'key type', metadata.text('keyType'))
}
