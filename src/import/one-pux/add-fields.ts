/** Adds the fields of a 1PUX item: those of its web form, and those of its sections. */

import type { FieldType } from '../../index.js'
import type { FieldInput, ItemBuilder } from '../item-builder.js'
import {
  dropMember,
  ignoreMembers,
  namesOf,
  objectOf,
  objectsOf,
  type Source,
  textOf,
} from '../source.js'
import { cutText } from '../text.js'

/** Adds a file that a field refers to. */
export type AddFile = (attributes: Source, section: string) => void

/** The types of the fields of web forms. A field of any other type is text. */
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

/** The characters of the name of an address that each of its parts repeats. */
const maxPartLength = 150

const addressParts = ['street', 'city', 'zip', 'state', 'country']

/** Attributes of fields that only tell a form how to look and behave. */
const presentation = [
  ...['indexAtSource', 'guarded', 'multiline', 'dontGenerate', 'inputTraits'],
  ...['placeholder', 'clipboardFilter'],
]

/** Adds the fields of the web form that a login was saved from. */
export function addFormFields(details: Source, builder: ItemBuilder): void {
  let section: string | undefined
  for (const field of objectsOf(details, 'loginFields')) {
    const [designation, id, name] = ['designation', 'id', 'name'].map((key) => textOf(field, key))
    const type = formFieldTypes.get(textOf(field, 'fieldType')) ?? 'STRING'
    const value = textOf(field, 'value') || textOf(objectOf(field, 'value'), 'email_address')
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
  for (const section of objectsOf(details, 'sections')) {
    ignoreMembers(section, 'hideAddAnotherField')
    const id = builder.addSection(textOf(section, 'name'), textOf(section, 'title'))
    for (const field of objectsOf(section, 'fields')) addSectionField(field, id, builder, addFile)
  }
}

function addSectionField(
  field: Source,
  section: string,
  builder: ItemBuilder,
  addFile: AddFile,
): void {
  ignoreMembers(field, ...presentation)
  const input = { id: textOf(field, 'id'), label: textOf(field, 'title'), section }
  const value = objectOf(field, 'value')
  for (const kind of namesOf(value)) {
    const type = valueTypes.get(kind)
    const path = `${value.path}/${kind}`
    if (type !== undefined) {
      const text = textOf(value, kind) || textOf(objectOf(value, kind), 'email_address')
      // A month that was not filled in is 0.
      builder.addField({
        ...input,
        path,
        type,
        value: text === '0' && kind === 'monthYear' ? '' : text,
      })
    } else if (kind === 'address') addAddress(objectOf(value, kind), input, builder)
    else if (kind === 'sshKey') addSshKey(objectOf(value, kind), section, builder)
    else if (kind === 'file') addFile(objectOf(value, kind), section)
    else if (kind === 'reference')
      dropMember(
        value,
        kind,
        'field',
        'a reference to another item of the export has no counterpart',
      )
    else dropMember(value, kind, 'field', 'the field has a value of an unknown kind')
  }
}

/** Adds one field for each part of an address. */
function addAddress(
  address: Source,
  { id, label, section }: Pick<FieldInput, 'id' | 'label' | 'section'>,
  builder: ItemBuilder,
): void {
  const [shortId, shortLabel] = [id, label || id].map((name) => cutText(name, maxPartLength))
  for (const part of addressParts)
    builder.addField({
      path: `${address.path}/${part}`,
      id: `${shortId}-${part}`,
      label: `${shortLabel} ${part}`,
      value: textOf(address, part),
      section,
    })
}

/**
 * Adds an SSH key with the ids that published clients use. The key of the metadata has a fixed form.
 */
function addSshKey(key: Source, section: string, builder: ItemBuilder): void {
  const metadata = objectOf(key, 'metadata')
  const [original, stored] = [textOf(key, 'privateKey'), textOf(metadata, 'privateKey')]
  const add = (id: string, label: string, value: string, type: FieldType = 'STRING'): void =>
    builder.addField({ path: `${key.path}/metadata`, id, label, value, type, section })
  add('private_key', 'private key', stored || original, 'CONCEALED')
  add('public_key', 'public key', textOf(metadata, 'publicKey'))
  add('fingerprint', 'fingerprint', textOf(metadata, 'fingerprint'))
  add('key_type', 'key type', textOf(metadata, 'keyType'))
}
