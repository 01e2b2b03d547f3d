/** Reads the value that a reference names in its item. */

import { decodeUtf8 } from '../base/decode-utf8.js'
import type { CallerOperations } from '../core/vault-service.js'
import { totpCode } from '../dialects/connect/totp.js'
import { ContentTooLargeError, NotFoundError } from '../errors.js'
import type { Field } from '../schema/field.js'
import type { FileDetails } from '../schema/file.js'
import { accessTokenField } from '../schema/grant-item.js'
import type { ItemRef } from '../schema/ids.js'
import type { Item } from '../schema/item.js'
import { findNamed } from './find-named.js'
import {
  ambiguousPartError,
  invalidPartError,
  missingPartError,
  type SecretReference,
  toText,
} from './secret-reference.js'

/** The maximum size of a file whose content is returned. */
const maxFileBytes = 1_048_576
const openSshHeader = '-----BEGIN OPENSSH PRIVATE KEY-----'

/** The operations and the clock that values are read with. */
export interface ValueSource {
  readonly vault: CallerOperations
  now(): Date
  /** Returns the access token of the grant in an item. Not set without a token keeper. */
  readonly accessToken?: ((ref: ItemRef) => Promise<string>) | undefined
}

/**
 * Returns the value that a reference names in its item, or an empty string if the field does not
 * have it. If no field has the name, a file can be found by it.
 * @throws NotFoundError (404) for the section or the field.
 * @throws InvalidInputError (400) if the name of the field is ambiguous, if the field or the file
 * does not have the attribute, or if a file is not UTF-8 text.
 * @throws ContentTooLargeError (413) if the file is larger than 1,048,576 bytes.
 * @throws The errors of the token keeper.
 */
export async function readValue(
  source: ValueSource,
  item: Item,
  reference: SecretReference,
): Promise<string> {
  const { section, field: name, sshFormat } = reference
  const sections =
    section === undefined ? undefined : findNamed(item.sections, section, ({ label }) => label)
  if (sections?.length === 0) throw missingPartError(reference, 'section')
  const isInSection = (element: Field | FileDetails): boolean =>
    sections?.some(({ id }) => id === element.section?.id) ?? true
  const fields = findNamed(item.fields.filter(isInSection), name, ({ label }) => label)
  const files = findNamed(item.files.filter(isInSection), name, (file) => file.name)
  const value =
    fields.length > 0
      ? await readFieldAttribute(source, item, requireOne(fields, reference), reference)
      : await readFileAttribute(source, item, requireOne(files, reference), reference)
  if (sshFormat !== undefined && !value.startsWith(openSshHeader))
    throw invalidPartError(reference, 'sshFormat', 'the value is not a private key in that format')
  return value
}

function requireOne<Element>(found: readonly Element[], reference: SecretReference): Element {
  const [element, other] = found
  if (element === undefined) throw missingPartError(reference, 'field')
  if (other !== undefined) throw ambiguousPartError(reference, 'field')
  return element
}

async function readFieldAttribute(
  { now, accessToken }: ValueSource,
  item: Item,
  field: Field,
  reference: SecretReference,
): Promise<string> {
  switch (reference.attribute) {
    case undefined:
    case 'value':
      return field.value ?? ''
    case 'type':
      return field.type
    case 'title':
      return field.label ?? ''
    case 'id':
      return field.id
    case 'purpose':
      return field.purpose ?? ''
    case 'otp': {
      const code = totpCode(field, now())
      if (code !== undefined) return code
      throw invalidPartError(reference, 'attribute', 'the field has no one-time code')
    }
    case 'access_token':
      if (field.id !== accessTokenField)
        throw invalidPartError(reference, 'attribute', 'the field is not the token of a grant')
      if (accessToken === undefined)
        throw invalidPartError(
          reference,
          'attribute',
          'the resolver was created without the option tokens',
        )
      return accessToken({ vaultId: item.vault.id, itemId: item.id })
    default:
      throw invalidPartError(reference, 'attribute', 'a field does not have this attribute')
  }
}

async function readFileAttribute(
  { vault }: ValueSource,
  item: Item,
  file: FileDetails,
  reference: SecretReference,
): Promise<string> {
  switch (reference.attribute) {
    case undefined:
    case 'content':
      break
    case 'size':
      return String(file.size)
    case 'id':
      return file.id
    case 'name':
      return file.name
    default:
      throw invalidPartError(reference, 'attribute', 'a file does not have this attribute')
  }
  if (file.size > maxFileBytes) {
    const problem = `the file is larger than ${maxFileBytes} bytes`
    throw new ContentTooLargeError(`${toText(reference)}: ${problem}`)
  }
  const ref = { vaultId: item.vault.id, itemId: item.id, fileId: file.id }
  const { content } = await vault.readFileContent(ref).catch((error: unknown) => {
    throw error instanceof NotFoundError ? missingPartError(reference, 'field') : error
  })
  const bytes = await new Response(content).arrayBuffer()
  const text = decodeUtf8(bytes)
  if (text === undefined) throw invalidPartError(reference, 'field', 'the file is not UTF-8 text')
  return text
}
