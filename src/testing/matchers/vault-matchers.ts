/** Matchers for items, errors and outputs. */

import { argumentError, like, text } from '../../base/argument.js'
import { type ErrorCode, errorStatuses, isVaultError } from '../../index.js'
import { findSecrets } from './find-secrets.js'
import { findDifferences } from './item-differences.js'

/** The parts of a matcher's context used here. */
export interface MatcherContext {
  /** Compares deeply, with asymmetric matchers such as `expect.any(String)`. */
  equals(left: unknown, right: unknown): boolean
}

/** The result of a matcher. */
export interface MatcherResult {
  readonly pass: boolean
  /** Returns the message of the failure, of `expect(…)` or of `expect(…).not`. */
  readonly message: () => string
}

/** The matchers as methods of `expect(…)`. */
export interface VaultMatchers<Result = unknown> {
  /**
   * Passes for an error of the library, a response of a vault, or an error object of a client that
   * has a `status`.
   * @param expected A status, such as 404, or a code, such as `NOT_FOUND`. Only the library's
   * errors have a code. For anything else, the status that belongs to the code is compared.
   */
  toBeVaultError(expected: number | ErrorCode): Result
  /**
   * Passes for an item or a draft with a field of this id or, if there is none, of this label.
   * @param name The id or the label.
   * @param value The value that the field must have, or an asymmetric matcher. By default any value
   * passes.
   */
  toHaveField(name: string, value?: unknown): Result
  /**
   * Passes for an item that has everything in the draft. Fields and sections are matched by id, and
   * the item can have more of them. Attributes that the vault sets, `generate` and `recipe` are
   * ignored.
   */
  toMatchItem(draft: object): Result
  /**
   * Passes if the value contains none of the secrets. The value can be a string, an error with its
   * cause, an object or bytes. Secrets are found even if they are base64-, URL- or JSON-encoded.
   * @param secrets Strings of at least one character each.
   */
  toContainNoSecret(secrets: readonly string[]): Result
}

/**
 * The matchers, for `expect.extend`. Each throws a TypeError if the expected value has the wrong
 * type.
 */
export const vaultMatchers = {
  /** {@link VaultMatchers.toBeVaultError} */
  toBeVaultError(received: unknown, expected: number | ErrorCode): MatcherResult {
    const statuses: Readonly<Record<string, number>> = errorStatuses
    const status = typeof expected === 'string' ? statuses[expected] : expected
    const isStatus = typeof status === 'number' && status >= 400 && status <= 599
    if (!isStatus)
      throw argumentError(expected, 'expected', 'a status from 400 to 599, or the code of an error')
    const wanted = `a vault error with ${expected}`
    if (isVaultError(received)) {
      const { code } = received
      const pass = [code, received.status].includes(expected)
      return result(pass, wanted, `${code} (${received.status})`)
    }
    if (received instanceof Promise) return result(false, wanted, 'a promise: await it')
    const { status: actual, headers } = Object(received)
    const type: unknown = headers instanceof Headers ? headers.get('content-type') : undefined
    if (typeof actual !== 'number')
      return result(false, wanted, `${kindOf(received)} without a status`)
    if (typeof type === 'string' && !type.startsWith('application/json'))
      return result(false, wanted, `${actual} with another content type than JSON`)
    return result(actual === status, wanted, String(actual))
  },

  /** {@link VaultMatchers.toHaveField} */
  toHaveField(
    this: MatcherContext,
    received: unknown,
    name: string,
    ...values: readonly unknown[]
  ): MatcherResult {
    text()(name, 'name')
    const { fields } = Object(received)
    const wanted = `a field ${name}`
    if (!Array.isArray(fields)) return result(false, wanted, `${kindOf(received)} without fields`)
    const find = (member: string) => fields.find((field) => Object(field)[member] === name)
    const field: unknown = find('id') ?? find('label')
    if (field === undefined) {
      const ids = fields.map((each) => Object(each).id).join(', ')
      return result(false, wanted, `fields ${ids}`)
    }
    if (values.length === 0) return result(true, wanted, 'one')
    const pass = this.equals(Object(field).value, values[0])
    return result(pass, `${wanted} with this value`, 'another value')
  },

  /** {@link VaultMatchers.toMatchItem} */
  toMatchItem(this: MatcherContext, received: unknown, draft: object): MatcherResult {
    like({})(draft, 'draft')
    const paths = findDifferences(received, draft, (left, right) => this.equals(left, right))
    return result(
      paths.length === 0,
      'an item like the draft',
      `differences at ${paths.join(', ')}`,
    )
  },

  /** {@link VaultMatchers.toContainNoSecret} */
  toContainNoSecret(received: unknown, secrets: readonly string[]): MatcherResult {
    const isList =
      Array.isArray(secrets) &&
      secrets.length > 0 &&
      secrets.every((secret) => typeof secret === 'string' && secret !== '')
    if (!isList)
      throw argumentError(secrets, 'secrets', 'a list of strings of at least one character')
    const found = findSecrets(received, secrets)
    const places = found.map(({ index, path }) => `secrets[${index}] at ${path || 'its top'}`)
    return result(found.length === 0, 'no secret', places.join(', '))
  },
}

function result(pass: boolean, wanted: string, got: string): MatcherResult {
  const message = pass ? `expected anything but ${wanted}` : `expected ${wanted}, got ${got}`
  return { pass, message: () => message }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Error) return 'an Error'
  return typeof value === 'object' ? 'an object' : `a value of type ${typeof value}`
}
