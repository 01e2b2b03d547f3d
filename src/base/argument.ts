/**
 * Kinds of arguments, and how they are checked. No message contains a value, because it may be a
 * secret.
 */

import { safeGet } from './safe-get.js'

/**
 * Returns the value if it is of the kind.
 * @param path - Names the value in the message, such as `options.prefix`.
 * @param owner - The object that the value is a member of: the `this` of a function.
 * @throws TypeError if the value has the wrong type or format. The message is `<path> must be …`,
 * or says that the value is a promise.
 * @throws RangeError if a number is out of range.
 */
export type Kind<Value, Given = Value> = (value: Given, path: string, owner?: object) => Value

/** An example of any function, for {@link like}. */
export const anyFunction = (): void => {}

/** An example of a store, for {@link like}. */
export const anyStore = {
  records: { get: anyFunction, put: anyFunction, delete: anyFunction, list: anyFunction },
  blobs: { read: anyFunction, write: anyFunction, delete: anyFunction },
}

/** Returns the error for a value of the wrong type or format. */
export function argumentError(value: unknown, path: string, expected: string): TypeError {
  return new TypeError(`${path} ${problemOf(value, expected)}`)
}

/** Returns what is wrong with a value of the wrong type or format. It follows the value's path. */
export function problemOf(value: unknown, expected: string): string {
  return isPromise(value) ? 'is a promise: is await missing?' : `must be ${expected}`
}

function isPromise(value: unknown): boolean {
  return typeof safeGet(value, 'then') === 'function'
}

/**
 * Returns the first argument.
 * @param given - The argument, and then those that it may be mistaken for, by name.
 * @throws TypeError or RangeError if it is not of the kind.
 * @throws TypeError that names both arguments if two are swapped.
 */
export function readArgument<Value, Given>(
  kind: Kind<Value, Given>,
  given: Readonly<Record<string, unknown>>,
): Value {
  const [[name, value] = ['', undefined], ...others] = Object.entries(given)
  try {
    return kind(value as Given, name)
  } catch (error) {
    for (const [other, candidate] of others)
      if (findProblem(kind, candidate) === undefined)
        throw new TypeError(`${name} and ${other} are swapped`)
    throw error
  }
}

/**
 * Returns the message for a value, without its path, or undefined if the value is of the kind.
 * @param owner - The object that the value is a member of.
 */
export function findProblem(
  kind: Kind<unknown, never>,
  value: unknown,
  owner?: object,
): string | undefined {
  try {
    kind(value as never, '', owner)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The kind of the values that pass a check. `expected` follows `must be` in the message. */
export function kindOf<Value>(
  expected: string,
  isValid: (value: unknown) => boolean,
): Kind<Value, Value> {
  return (value, path) => {
    if (isValid(value)) return value
    throw argumentError(value, path, expected)
  }
}

/** A boolean. */
export function flag(): Kind<boolean> {
  return kindOf('a boolean', (value) => typeof value === 'boolean')
}

/** A string. If it must match a pattern, `expected` describes the pattern. */
export function text(expected = 'a string', pattern = /^/): Kind<string> {
  return kindOf(expected, (value) => typeof value === 'string' && pattern.test(value))
}

/** A string of at least one character. */
export function notEmpty(): Kind<string> {
  return text('a non-empty string', /./s)
}

/** One of a few values, such as names. */
export function oneOf<const Value>(...values: readonly Value[]): Kind<Value> {
  const names = values.join(', ')
  const expected = values.length > 3 ? `one of ${names}` : names.replace(/, ([^,]*)$/, ' or $1')
  return kindOf(expected, (value) => values.includes(value as Value))
}

/** A function. It keeps the object of which it is a member as its `this`. */
export function callback<Callback extends (...values: never) => unknown>(): Kind<Callback> {
  return result()
}

/**
 * A function, but not one of `makers`: functions of this library that are easily passed without
 * being called. They are recognized by name. A maker whose name a minifier has changed throws when
 * it is called.
 */
export function result<Callback extends (...values: never) => unknown>(
  ...makers: readonly string[]
): Kind<Callback> {
  const [maker] = makers
  const expected = maker === undefined ? 'a function' : `a function, such as the result of ${maker}`
  return (value, path, owner) => {
    const isResult = typeof value === 'function' && !makers.includes(value.name)
    if (!isResult) throw argumentError(value, path, expected)
    if (owner === undefined) return value
    const bound: Callback = Function.prototype.bind.call(value, owner)
    return Object.assign(bound, value)
  }
}

/** A clock: a function that returns a `Date`. */
export const clock: Kind<() => Date> = (value, path, owner) => {
  const now = callback<() => Date>()(value, path, owner)
  like(anyFunction)(Object(now()).getTime, `${path}().getTime`)
  return now
}

/** A value of the type of `example` and, if that is an object, with each of its members. */
export function like<Value>(example: unknown): Kind<Value> {
  const type = typeof example
  const members = type === 'object' ? Object.entries(Object(example)) : []
  const names = members.map(([name]) => name).join(', ') || 'any members'
  const expected = type === 'object' ? `an object with ${names}` : `a ${type}`
  return (value, path) => {
    const isLike = typeof value === type && value !== null && !(value instanceof Promise)
    if (!isLike) throw argumentError(value, path, expected)
    for (const [name, member] of members) like(member)(Object(value)[name], `${path}.${name}`)
    return value
  }
}

/** Anything with a method of this name. It may itself be a function, as some clients are. */
export function withMethod<Value>(name: string): Kind<Value> {
  return (value, path) => {
    if (value instanceof Promise) throw argumentError(value, path, '')
    like(anyFunction)(Object(value)[name], `${path}.${name}`)
    return value
  }
}

/** A valid `Date`, of any realm. */
export function date(): Kind<Date> {
  return kindOf(
    'a valid Date',
    (value) =>
      Object.prototype.toString.call(value) === '[object Date]' && !Number.isNaN(Number(value)),
  )
}

/** A `Uint8Array`. */
export function bytes(): Kind<Uint8Array> {
  return kindOf('a Uint8Array', (value) => value instanceof Uint8Array)
}

/** An object that is not a list, bytes or a promise. */
export function object<Value extends object>(): Kind<Value> {
  return kindOf('an object', isBareObject)
}

/** A list whose elements are of a kind. `expected` follows `must be` if the value is not a list. */
export function list<Value, Given>(
  expected: string,
  element: Kind<Value, Given>,
): Kind<readonly Value[], readonly Given[]> {
  return (values, path) => {
    if (!Array.isArray(values)) throw argumentError(values, path, expected)
    return values.map((value, index) => element(value, `${path}[${index}]`))
  }
}

/** The range of a number. Without `max` it ends at the largest number of its kind. */
export interface Range {
  readonly min: number
  readonly max?: number
  /** Named in messages, for numbers that are easily passed in another unit. */
  readonly unit?: Unit
}

type Unit = 'seconds' | 'milliseconds'

/** An integer of at most 2^53 - 1. */
export function integer(range: Range): Kind<number> {
  return numberKind('a whole number', range, Number.isSafeInteger)
}

/** A number, but not Infinity. */
export function number(range: Range): Kind<number> {
  return numberKind('a number', range, Number.isFinite)
}

/** A number, or Infinity for no limit. */
export function limit(range: Range): Kind<number> {
  const kind = numberKind('a number', range, Number.isFinite, ', or Infinity')
  return (value, path) => (value === Number.POSITIVE_INFINITY ? value : kind(value, path))
}

function numberKind(
  noun: string,
  { min, max, unit }: Range,
  isValid: (value: number) => boolean,
  suffix = '',
): Kind<number> {
  const [start, end] = [min, max].map((limit) => limit?.toLocaleString('en'))
  const units = unit === undefined ? '' : ` ${unit}`
  const range =
    max === undefined ? `of ${start}${units} or more` : `from ${start} to ${end}${units}`
  const expected = `${noun} ${range}${suffix}`
  return (value, path) => {
    if (typeof value !== 'number') throw argumentError(value, path, expected)
    if (isValid(value) && value >= min && value <= (max ?? value)) return value
    throw new RangeError(`${path} must be ${expected}`)
  }
}

/** Returns true for an object that is not a list, bytes or a promise. */
export function isBareObject(value: unknown): value is Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null
  return isObject && !Array.isArray(value) && !ArrayBuffer.isView(value) && !('then' in value)
}
