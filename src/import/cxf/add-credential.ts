/** Adds a credential of the Credential Exchange Format to an item. */

import { toBase64 } from '../../base/base64.js'
import type { FieldType } from '../../index.js'
import { maxTotpSecretLength, toTotpLabel } from '../field-values.js'
import type { FieldInput, ItemBuilder } from '../item-builder.js'
import {
  hasMember,
  ignoreMembers,
  numberOf,
  objectOf,
  objectsOf,
  reportAt,
  type Source,
  skipSource,
  textOf,
} from '../source.js'
import { type CredentialKind, credentialKinds } from './members.js'

/** The types of fields by `fieldType`. */
const fieldTypes: ReadonlyMap<string, FieldType> = new Map([
  ['string', 'STRING'],
  ['concealed-string', 'CONCEALED'],
  ['email', 'EMAIL'],
  ['number', 'STRING'],
  ['boolean', 'STRING'],
  ['date', 'DATE'],
  ['year-month', 'MONTH_YEAR'],
  ['wifi-network-security-type', 'MENU'],
  ['country-code', 'STRING'],
  ['subdivision-code', 'STRING'],
])

const totpAlgorithms = ['sha1', 'sha256', 'sha512']

/** Adds everything of a credential that a vault can store. Reports the rest. */
export function addCredential(credential: Source, builder: ItemBuilder): void {
  const type = textOf(credential, 'type')
  const kind = credentialKinds.get(type)
  if (kind !== undefined) addMembers(credential, kind, builder)
  if (type === 'basic-auth') addBasicAuth(credential, builder)
  else if (type === 'generated-password') addGeneratedPassword(credential, builder)
  else if (type === 'note') addNote(credential, builder)
  else if (type === 'totp') addTotp(credential, builder)
  else if (type === 'ssh-key') addSshKey(credential, builder)
  else if (type === 'custom-fields') addCustomFields(credential, builder)
  else if (type === 'passkey')
    skipSource(credential, 'passkey', 'a passkey can only be moved by the service that uses it')
  else if (type === 'file')
    skipSource(credential, 'file', 'the content of a file is not part of the JSON document')
  else if (type === 'item-reference')
    skipSource(credential, 'field', 'a reference to another item has no counterpart')
  else if (kind === undefined)
    skipSource(credential, 'field', 'the type of the credential is unknown')
}

function addMembers(credential: Source, kind: CredentialKind, builder: ItemBuilder): void {
  const present = kind.members.filter(([name]) => hasMember(credential, name))
  if (present.length === 0) return
  const section = builder.addSection(textOf(credential, 'type'), kind.label)
  for (const [name, id] of present)
    addField(objectOf(credential, name), { id, label: toLabel(name), section }, builder)
}

function addBasicAuth(credential: Source, builder: ItemBuilder): void {
  const username = { id: 'username', label: 'username', purpose: 'USERNAME' } as const
  const password = { id: 'password', label: 'password', purpose: 'PASSWORD' } as const
  addField(objectOf(credential, 'username'), username, builder)
  addField(objectOf(credential, 'password'), password, builder)
}

function addGeneratedPassword(credential: Source, builder: ItemBuilder): void {
  builder.addField({
    path: `${credential.path}/password`,
    ...{ id: 'password', label: 'password', type: 'CONCEALED', purpose: 'PASSWORD' },
    value: textOf(credential, 'password'),
  })
}

function addNote(credential: Source, builder: ItemBuilder): void {
  const content = objectOf(credential, 'content')
  ignoreMembers(content, 'id', 'fieldType', 'label')
  // A note of a draft of the format is text, not a field.
  const value = textOf(content, 'value') || textOf(credential, 'content')
  builder.addNotes(value, `${credential.path}/content`)
}

/** The parameters are those of Google's key URIs. Importers must ignore unknown algorithms. */
function addTotp(credential: Source, builder: ItemBuilder): void {
  const algorithm = textOf(credential, 'algorithm') || 'sha1'
  if (!totpAlgorithms.includes(algorithm)) {
    skipSource(credential, 'field', 'the algorithm of the one-time password is unknown')
    return
  }
  const issuer = textOf(credential, 'issuer')
  const name = [issuer, textOf(credential, 'username')].filter((part) => part !== '').join(':')
  const given = textOf(credential, 'secret')
  const isLong = given.length > maxTotpSecretLength
  const secret = isLong ? '' : given.replace(/[\s=-]/g, '')
  const parameters = [
    `secret=${encodeURIComponent(secret)}`,
    ...(issuer === '' ? [] : [`issuer=${toTotpLabel(issuer)}`]),
    `algorithm=${algorithm.toUpperCase()}`,
    `digits=${numberOf(credential, 'digits') ?? 6}`,
    `period=${numberOf(credential, 'period') ?? 30}`,
  ]
  builder.addField({
    path: `${credential.path}/secret`,
    ...{ id: 'totp', label: 'one-time password', type: 'TOTP' },
    value: isLong ? given : secret && `otpauth://totp/${toTotpLabel(name)}?${parameters.join('&')}`,
  })
}

/** A longer key than any is kept unchanged. */
const maxKeyLength = 65_536

/** The private key is PKCS #8 (RFC 5958) in base64url; it becomes PEM (RFC 7468). */
function addSshKey(credential: Source, builder: ItemBuilder): void {
  const path = `${credential.path}/privateKey`
  const encoded = textOf(credential, 'privateKey')
  const bytes = decodeBase64Url(encoded)
  const pem = bytes && toPem(bytes)
  if (pem === undefined && encoded !== '')
    builder.report(path, 'converted', 'the key is not base64url and is kept unchanged')
  const key = { id: 'private_key', label: 'private key', type: 'CONCEALED' } as const
  builder.addField({ path, ...key, value: pem ?? encoded })
  const add = (name: string, id: string, label: string): void =>
    builder.addField({
      path: `${credential.path}/${name}`,
      id,
      label,
      value: textOf(credential, name),
    })
  add('keyType', 'key_type', 'key type')
  add('keyComment', 'key_comment', 'comment')
}

function decodeBase64Url(text: string): Uint8Array | undefined {
  if (text.length > maxKeyLength || !/^[\w-]+={0,2}$/.test(text)) return undefined
  try {
    const binary = atob(text.replaceAll('=', '').replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function toPem(bytes: Uint8Array): string {
  const lines = toBase64(bytes).replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`
}

function addCustomFields(credential: Source, builder: ItemBuilder): void {
  const id = textOf(credential, 'id')
  const section = builder.addSection(id || 'custom-fields', textOf(credential, 'label'))
  for (const field of objectsOf(credential, 'fields'))
    addField(field, { id: 'field', section }, builder)
}

/** Adds an editable field; its own label wins. */
function addField(
  field: Source,
  { label, ...input }: Pick<FieldInput, 'id' | 'label' | 'purpose' | 'section'>,
  builder: ItemBuilder,
): void {
  ignoreMembers(field, 'id')
  const fieldType = textOf(field, 'fieldType')
  const type = fieldTypes.get(fieldType)
  const value = textOf(field, 'value')
  if (value !== '' && type === undefined)
    reportAt(field, 'fieldType', 'converted', 'the type of the field is unknown and became text')
  const ownLabel = textOf(field, 'label') || label
  const isPassword = input.purpose === 'PASSWORD'
  builder.addField({
    path: `${field.path}/value`,
    ...input,
    ...(ownLabel !== undefined && { label: input.purpose ? (label ?? ownLabel) : ownLabel }),
    type: isPassword ? 'CONCEALED' : (type ?? 'STRING'),
    value,
  })
}

/** Returns `full name` for `fullName`. */
function toLabel(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
