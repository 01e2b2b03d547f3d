/** Checks the arguments of public functions. No message contains a value: it can be a secret. */

import { suggestName } from './suggest-name.js'

/** An example of any function, for {@link assertLike}. */
export const anyFunction = (): void => {}

/** An example of a store, for {@link assertLike}. */
export const anyStore = {
  records: { get: anyFunction, put: anyFunction, delete: anyFunction, list: anyFunction },
  blobs: { read: anyFunction, write: anyFunction, delete: anyFunction },
}

/** @throws TypeError `<path> must be <expected>` if `isValid` is false. */
export function assertArgument(isValid: boolean, path: string, expected: string): void {
  if (!isValid) throw new TypeError(`${path} must be ${expected}`)
}

/**
 * Checks that `value` has the type of `example` and, if that is an object, each of its members.
 * @throws TypeError that contains the path of the first value of another type, and the right type;
 * for a promise in place of an object, that `await` could be missing.
 */
export function assertLike(value: unknown, example: unknown, path: string): void {
  const type = typeof example
  if (type === 'object' && value instanceof Promise)
    throw new TypeError(`${path} is a promise: is await missing?`)
  const names = type === 'object' && Object.keys(Object(example))
  const expected = names ? `an object with ${names.join(', ') || 'any members'}` : `a ${type}`
  assertArgument(value !== null && typeof value === type, path, expected)
  for (const name of names || [])
    assertLike(Object(value)[name], Object(example)[name], `${path}.${name}`)
}

/** @throws TypeError if `options` is not an object, or if it is a list, bytes or a promise. */
export function assertOptions(options: unknown, path = 'options'): void {
  const isObject = typeof options === 'object' && options !== null
  const isList = Array.isArray(options) || ArrayBuffer.isView(options)
  assertArgument(isObject && !isList && !('then' in options), path, 'an object')
}

/**
 * An object with all members of an object of options, such as their defaults. The compiler reports a
 * name that is missing or that no option has.
 */
export type KnownNames<Options> = Readonly<Record<keyof Options, unknown>>

/**
 * Checks the names of options. A member that is undefined is ignored.
 * @throws TypeError if `options` is not an object, or if it has an unknown member: with its path
 * and the known name that is similar.
 */
export function assertKnown<Options extends object>(
  options: Options,
  known: KnownNames<Options>,
  path = 'options',
): void {
  assertOptions(options, path)
  for (const [name, member] of Object.entries(options)) {
    if (member === undefined || Object.hasOwn(known, name)) continue
    const shown = name.slice(0, 64).replace(/[^\w$-]/g, '?')
    throw new TypeError(`${path}.${shown} is unknown${suggestName(name, Object.keys(known))}`)
  }
}

/** @throws TypeError if one of these members of `options` is neither absent nor a function. */
export function assertCallbacks(options: object, ...names: readonly string[]): void {
  for (const name of names) {
    const member: unknown = Reflect.get(options, name)
    if (member !== undefined) assertLike(member, anyFunction, `options.${name}`)
  }
}

/**
 * Checks that `value` is a function, but not one of `makers`: functions of this library whose result
 * is needed, and which are easily passed without being called. They are recognized by their names.
 * A maker whose name a minifier has changed throws when it is called.
 * @throws TypeError if it is anything else.
 */
export function assertResult(value: unknown, path: string, ...makers: readonly string[]): void {
  const isResult = typeof value === 'function' && !makers.includes(value.name)
  assertArgument(isResult, path, `a function, such as the result of ${makers[0]}`)
}
