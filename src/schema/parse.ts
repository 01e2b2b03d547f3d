/** Parses untrusted values. No error contains a part of the value. */

import { problemOf } from '../base/argument.js'
import { invalidInputError } from '../base/fixed-errors.js'
import { safeGet } from '../base/safe-get.js'
import { suggestName } from '../base/suggest-name.js'
import { type InputIssue, InvalidInputError } from '../errors.js'
import * as z from './zod.js'

const compilations = new WeakMap<z.ZodMiniType, z.ZodMiniType>()

/**
 * Parses `input` with `schema` and returns the result.
 * @throws InvalidInputError with one issue for each invalid path. If one of the paths is
 * `category`, the message is `Invalid item category`, and the issue suggests a similar category.
 */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const result = (compilations.get(schema) ?? compile(schema)).safeParse(input)
  if (result.success) return result.data as z.output<Schema>
  const issues = result.error.issues.map(
    (issue): InputIssue => ({
      path: issue.path.map(String).join('/'),
      message: issueMessage(issue, input),
    }),
  )
  const category = issues.find(({ path }) => path === 'category')
  throw category === undefined
    ? invalidInputError(issues)
    : new InvalidInputError('Invalid item category', { issues })
}

/** Returns true if `value` is already an output of `schema`. */
export function matches<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): value is z.output<Schema> {
  return z.validate(compilations.get(schema) ?? compile(schema), value)
}

/**
 * Compiles a schema on its first use and returns the cached result after that. Where the runtime
 * forbids code generation from strings, zod interprets the schema instead.
 */
export function compile<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  let compiled = compilations.get(schema)
  if (compiled === undefined) {
    compiled = z.compile(schema)
    compilations.set(schema, compiled)
  }
  return compiled as Schema
}

function issueMessage(issue: z.core.$ZodIssue, input: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return problemOf(valueAt(issue.path, input), withArticle(issue.expected))
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}${suggestCategory(issue, input)}`
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be a time, such as 2026-01-31T12:00:00Z'
        : 'has an invalid format'
    case 'custom':
      return issue.message
    default:
      return 'is invalid'
  }
}

/** Returns the value at a path in the input. */
function valueAt(path: readonly PropertyKey[], input: unknown): unknown {
  return path.reduce<unknown>((parent, name) => safeGet(parent, name), input)
}

/** If the issue is about the category, suggests a similar one. */
function suggestCategory({ path, values }: z.core.$ZodIssueInvalidValue, input: unknown): string {
  const category = path.join('/') === 'category' ? safeGet(input, 'category') : undefined
  return typeof category === 'string' ? suggestName(category, values.map(String)) : ''
}

function withArticle(type: string): string {
  if (type === 'int') return 'an integer'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' elements long' : ''
}

/**
 * Returns true if `value` has more than `limit` levels of objects and arrays. Does not descend
 * further than that.
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  // There are two loops because each is many times slower for the other kind of value.
  if (Array.isArray(value)) {
    for (const element of value) if (isDeeperThan(element, limit - 1)) return true
    return false
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const key in members) {
    if (isDeeperThan(members[key], limit - 1)) return true
  }
  return false
}
