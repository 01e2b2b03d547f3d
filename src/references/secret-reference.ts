/** Secret references: the text `op://vault/item/[section/]field`, parsed and formatted. */

import { object } from '../base/argument.js'
import { invalidInputError } from '../base/fixed-errors.js'
import { type InputIssue, InvalidInputError, NotFoundError } from '../errors.js'

/** The maximum number of characters of a reference. */
const maxReferenceLength = 1024

/**
 * An attribute of a field or a file. Of a field: `value`, `type`, `title` (its label), `id`,
 * `purpose`, `otp` for its one-time code, and `access_token` for the token of an OAuth grant. Of a file: `content`, `size` in bytes, `id`, `name`.
 */
export type ReferenceAttribute = (typeof attributes)[number]

/**
 * A parsed secret reference. Each name is 1 or more of `A-Z a-z 0-9 _ . -` and spaces, and can be
 * an id.
 */
export interface SecretReference {
  /** The id or the name of the vault. */
  readonly vault: string
  /** The id or the title of the item. */
  readonly item: string
  /**
   * The id or the label of the section. By default every field and file of the item is searched.
   */
  readonly section?: string | undefined
  /** The id or the label of the field, or the id or the name of a file. */
  readonly field: string
  /** Default: the value of the field or the content of the file. */
  readonly attribute?: ReferenceAttribute | undefined
  /**
   * Set if the value must be a private key in the format of OpenSSH. It cannot be combined with
   * `attribute`.
   */
  readonly sshFormat?: 'openssh' | undefined
}

const fieldAttributes = ['value', 'type', 'title', 'id', 'purpose', 'otp', 'access_token'] as const
const fileAttributes = ['content', 'size', 'name'] as const
const attributes = [...fieldAttributes, ...fileAttributes]

const schemePattern = /^op:\/\//i
const namePattern = /^[\w. -]+$/
const referencePattern =
  /^op:\/\/([\w. -]+)\/([\w. -]+)\/(?:([\w. -]+)\/)?([\w. -]+)(?:\?(?:attr(?:ibute)?=(\w+)|ssh-format=openssh))?$/i

/** Returns true if a string begins with `op://`, in any case. */
export function hasReferenceScheme(text: string): boolean {
  return schemePattern.test(text)
}

/**
 * Parses a secret reference: `op://`, three or four names with slashes between them, and at most
 * one parameter. Nothing is decoded. `?attribute=` or `?attr=` names an attribute. `totp` is an
 * alias of `otp`. The only other parameter is `?ssh-format=openssh`. The scheme and the parameter
 * can have any case.
 * @throws InvalidInputError (400) if the string is not a reference or has more than 1,024
 * characters. The message does not contain the string.
 * @example
 * parseSecretReference('op://Team/Mail/password')
 * // { vault: 'Team', item: 'Mail', field: 'password' }
 */
export function parseSecretReference(text: string): SecretReference {
  const reference = tryParseReference(text)
  if (reference === undefined) throw InvalidInputError.at('reference', problemOf(text))
  return reference
}

/** A string that must be a reference. */
export interface ReferenceText {
  /** The path of the string in the input. */
  readonly path: string
  readonly text: unknown
}

/**
 * Parses texts.
 * @returns The strings with their references.
 * @throws InvalidInputError with an issue for each string that is not a reference.
 */
export function parseReferences<Text extends ReferenceText>(
  texts: readonly Text[],
): readonly (Text & { readonly reference: SecretReference })[] {
  const issues: InputIssue[] = []
  const parsed = texts.flatMap((one) => {
    const { path, text } = one
    const reference = tryParseReference(text)
    if (reference !== undefined) return [{ ...one, reference }]
    issues.push({ path, message: problemOf(text) })
    return []
  })
  if (issues.length > 0) throw invalidInputError(issues)
  return parsed
}

/**
 * Formats a secret reference.
 * @returns A string that is parsed as an equal reference.
 * @throws InvalidInputError (400) if a name is empty or has a character that a reference cannot
 * contain, if both `attribute` and `sshFormat` are set, or if the string is too long.
 * @example
 * formatSecretReference({ vault: 'Team', item: 'Mail', field: 'code', attribute: 'otp' })
 * // 'op://Team/Mail/code?attribute=otp'
 */
export function formatSecretReference(reference: SecretReference): string {
  object()(reference, 'reference')
  const { vault, item, section = '_', field, attribute, sshFormat } = reference
  const issues = Object.entries({ vault, item, section, field }).flatMap(([path, name]) =>
    isName(name) ? [] : [{ path, message: nameRule }],
  )
  if (issues.length > 0) throw invalidInputError(issues)
  if (attribute !== undefined && sshFormat !== undefined)
    throw InvalidInputError.at('sshFormat', 'cannot be combined with attribute')
  const text = toText(reference)
  parseSecretReference(text)
  return text
}

/** Formats a reference whose names are valid. */
export function toText({
  vault,
  item,
  section,
  field,
  attribute,
  sshFormat,
}: SecretReference): string {
  const names = section === undefined ? [vault, item, field] : [vault, item, section, field]
  const format = sshFormat === undefined ? '' : `?ssh-format=${sshFormat}`
  return `op://${names.join('/')}${attribute === undefined ? format : `?attribute=${attribute}`}`
}

const nameRule =
  'must be 1 or more letters, digits, spaces and the characters -, _ and .: use the id of anything with another name'

function isName(value: unknown): boolean {
  return typeof value === 'string' && namePattern.test(value)
}

/** Returns the reference, or undefined if the string is not one. */
export function tryParseReference(text: unknown): SecretReference | undefined {
  if (typeof text !== 'string' || text.length > maxReferenceLength) return undefined
  const match = referencePattern.exec(text)
  if (match === null) return undefined
  const [, vault = '', item = '', section, field = '', attributeName] = match
  const names = { vault, item, ...(section !== undefined && { section }), field }
  if (!text.includes('?')) return names
  if (attributeName === undefined) return { ...names, sshFormat: 'openssh' }
  const attribute = toAttribute(attributeName)
  return attribute && { ...names, attribute }
}

function toAttribute(name: string): ReferenceAttribute | undefined {
  const lowerCase = name.toLowerCase()
  return attributes.find((one) => one === (lowerCase === 'totp' ? 'otp' : lowerCase))
}

/** Returns the rule that an invalid reference breaks. */
function problemOf(text: unknown): string {
  if (typeof text !== 'string') return 'must be a string'
  if (text.length > maxReferenceLength)
    return `must be at most ${maxReferenceLength} characters long`
  const [path = ''] = text.split('?')
  const names = path.replace(schemePattern, '').split('/')
  if (!hasReferenceScheme(text) || (names.length !== 3 && names.length !== 4))
    return 'must have the form op://vault/item/[section/]field'
  if (!names.every(isName)) return `${nameRule}, in each of its names`
  return referencePattern.test(text)
    ? `must have one of these attributes: ${attributes.join(', ')}`
    : 'must have ?attribute= or ?ssh-format=openssh as its only parameter'
}

/** A part of a reference that names something. */
type ReferencePart = 'vault' | 'item' | 'section' | 'field'

/** Returns the error for a part that names nothing. A missing file is a missing `field`. */
export function missingPartError(reference: SecretReference, part: ReferencePart): NotFoundError {
  const message = `${toText(reference)}: ${part} not found`
  return new NotFoundError(message, { resource: part, id: String(reference[part]) })
}

/** Returns the error for a part that names more than one vault, item, field or file. */
export function ambiguousPartError(
  reference: SecretReference,
  part: ReferencePart,
): InvalidInputError {
  const canAddSection = part === 'field' && reference.section === undefined
  const remedy = canAddSection ? 'use its id, or add its section' : 'use its id'
  return invalidPartError(reference, part, `the name of the ${part} is ambiguous: ${remedy}`)
}

/** Returns the error for a part or a parameter that does not fit what the reference names. */
export function invalidPartError(
  reference: SecretReference,
  path: ReferencePart | 'attribute' | 'sshFormat',
  problem: string,
): InvalidInputError {
  return new InvalidInputError(`${toText(reference)}: ${problem}`, {
    issues: [{ path: path, message: problem }],
  })
}
