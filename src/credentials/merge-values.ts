/** Checks the values that a caller saves, and completes them with the stored ones. */

import { invalidInputError } from '../base/fixed-errors.js'
import { isObject } from '../base/is-object.js'
import { type InputIssue, InvalidInputError } from '../errors.js'
import {
  type CredentialField,
  type CredentialKind,
  type CredentialValues,
  isSecret,
} from './credential-kind.js'

/** The values of a credential as a caller saves them. */
export interface MergedValues {
  readonly values: CredentialValues
  /** The ids of the secrets that the caller has not entered. Their stored values are kept. */
  readonly keptSecrets: readonly string[]
}

/**
 * Returns the values to store. A missing value or an empty secret keeps the stored value. Null
 * removes an optional value. So does an empty string if the value is not secret.
 * @param given The values by field id.
 * @throws InvalidInputError that names each field that is invalid.
 */
export function mergeValues(
  { fields }: CredentialKind,
  given: unknown,
  stored: CredentialValues,
): MergedValues {
  if (!isObject(given)) throw InvalidInputError.at('', 'the values must be an object')
  const issues: InputIssue[] = []
  const ids = Object.keys(fields)
  // The message does not repeat the other names, because one may be a value in the wrong place.
  if (Object.keys(given).some((id) => !ids.includes(id)))
    issues.push({ path: '', message: `unknown value: this credential has only ${ids.join(', ')}` })
  const values: [string, string][] = []
  const keptSecrets: string[] = []
  for (const [id, field] of Object.entries(fields)) {
    const value: unknown = Object.hasOwn(given, id) ? Reflect.get(given, id) : undefined
    const isKept = value === undefined || (value === '' && isSecret(field))
    const merged = isKept ? ownValue(stored, id) : value
    const message = findProblem(merged, field, isKept)
    if (message !== undefined) issues.push({ path: id, message })
    if (typeof merged !== 'string' || merged === '') continue
    values.push([id, merged])
    if (isKept && isSecret(field)) keptSecrets.push(id)
  }
  if (issues.length > 0) throw invalidInputError(issues)
  return { values: Object.fromEntries(values), keptSecrets }
}

/** A field id can equal the name of a member that every object inherits. */
function ownValue(values: CredentialValues, id: string): string | undefined {
  return Object.hasOwn(values, id) ? values[id] : undefined
}

/** White space, including zero-width characters, at the start or end of a pasted value. */
const blankAtEnd = /^[\s\u200b\u2060]|[\s\u200b\u2060]$/

function findProblem(value: unknown, field: CredentialField, isKept: boolean): string | undefined {
  if (value === undefined || value === null || value === '')
    return field.optional === true ? undefined : 'is required'
  if (typeof value !== 'string') return 'must be a string or null'
  if (!isSecret(field) || isKept) return undefined
  if (value.startsWith('…'))
    return 'is the hint of the stored value: leave it empty to keep that value'
  return blankAtEnd.test(value) ? 'must not begin or end with white space' : undefined
}
