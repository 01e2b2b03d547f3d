/** Describes the options of a public function once: their kinds, names and defaults. */

import { argumentError, findProblem, isBareObject, type Kind } from './argument.js'
import { suggestName } from './suggest-name.js'

/**
 * The kinds of all options. With `satisfies`, the compiler reports an option that is missing, that
 * the interface does not have, whose kind has another type, or that is `optional` in only one
 * place. It also reports an optional member that does not accept undefined, unless it is named in
 * `Omittable`, and one that is named there but does.
 */
export type OptionKinds<Options, Omittable extends keyof Options = never> = {
  readonly [Name in keyof Options]-?: Options extends Required<Pick<Options, Name>>
    ? Kind<Options[Name]>
    : undefined extends Required<Options>[Name]
      ? Kind<Name extends Omittable ? never : Options[Name]>
      : Kind<Name extends Omittable ? Options[Name] | undefined : never>
}

type AnyKinds = Readonly<Record<string, Kind<unknown, never>>>

/** The options, with their defaults. */
export type OptionValues<Kinds extends AnyKinds> = {
  readonly [Name in keyof Kinds]: ReturnType<Kinds[Name]>
}

type GivenOptions<Kinds extends AnyKinds> = {
  readonly [Name in keyof Kinds as undefined extends Parameters<Kinds[Name]>[0] ? Name : never]?:
    | Parameters<Kinds[Name]>[0]
    | undefined
} & {
  readonly [Name in keyof Kinds as undefined extends Parameters<Kinds[Name]>[0]
    ? never
    : Name]: Parameters<Kinds[Name]>[0]
}

/** The options of a function. */
export interface OptionsDefinition<Kinds extends AnyKinds> {
  readonly kinds: Kinds
  /**
   * Returns the options, checked and with their defaults.
   * @param path - Names the options in messages.
   * @throws TypeError if `options` is not an object, has an unknown member, or is itself the value
   * of a required option.
   * @throws TypeError or RangeError if an option is not of its kind.
   */
  read(options: GivenOptions<Kinds>, path?: string): OptionValues<Kinds>
}

/**
 * Defines options.
 * @example
 * const storeOptions = defineOptions({
 *   busyTimeoutMs: optional(integer({ min: 0, max: maxTimerMs }), 5_000),
 *   driver: optional(callback()),
 * } satisfies OptionKinds<StoreOptions>)
 */
export function defineOptions<Kinds extends AnyKinds>(kinds: Kinds): OptionsDefinition<Kinds> {
  const entries = Object.entries(kinds)
  return {
    kinds,
    read(options, path = 'options') {
      assertNames(options, kinds, path)
      const values: Record<string, unknown> = {}
      for (const [name, kind] of entries)
        values[name] = kind(Reflect.get(options, name) as never, `${path}.${name}`, options)
      return values as OptionValues<Kinds>
    },
  }
}

/**
 * Checks the names of options. A member that is undefined is ignored.
 * @throws TypeError if `options` is not an object, or has an unknown member. The message has the
 * path and a similar known name.
 */
export function assertNames(options: object, kinds: AnyKinds, path = 'options'): void {
  if (!isBareObject(options))
    throw unwrappedError(options, kinds, path) ?? argumentError(options, path, 'an object')
  for (const [name, member] of Object.entries(options)) {
    if (member === undefined || Object.hasOwn(kinds, name)) continue
    const shown = name.slice(0, 64).replace(/[^\w$-]/g, '?')
    const message = `${path}.${shown} is unknown${suggestName(name, Object.keys(kinds))}`
    throw unwrappedError(options, kinds, path) ?? new TypeError(message)
  }
}

/**
 * Returns the error for passing the value of a required option without an object around it. A
 * string or a number could be anything, unless there is only one such option.
 */
function unwrappedError(value: unknown, kinds: AnyKinds, path: string): TypeError | undefined {
  if (Object.keys(Object(value)).some((name) => Object.hasOwn(kinds, name))) return undefined
  const required = Object.entries(kinds).flatMap(([name, kind]) => {
    const problem = findProblem(kind, undefined)
    return problem === undefined ? [] : [{ name, kind, problem }]
  })
  const [found, ...others] = required.filter(({ kind }) => findProblem(kind, value) === undefined)
  const isClear = others.length === 0 && (required.length === 1 || Object(value) === value)
  if (found === undefined || !isClear) return undefined
  const { name, problem } = found
  return new TypeError(`${problem.replace(/^.*? must be /, `${path} is `)}: pass { ${name} }`)
}

/** The kind of an option that can be left out. It is then `byDefault`. */
export function optional<Value, Given, const Default extends Value | undefined = undefined>(
  kind: Kind<Value, Given>,
  byDefault?: Default,
): Kind<Value | NoInfer<Default>, Given | undefined> {
  return (value, path, owner) =>
    value === undefined ? (byDefault as Default) : kind(value, path, owner)
}

/**
 * The kind of an option that can be left out, but that must not be undefined, because a value that
 * is missing by mistake would then widen or prolong an access. If it is left out, it is `byDefault`.
 */
export function omittable<Value, Given, const Default extends Value | undefined = undefined>(
  kind: Kind<Value, Given>,
  byDefault?: Default,
): Kind<Value | NoInfer<Default>, Given | undefined> {
  return (value, path, owner = {}) => {
    if (value !== undefined) return kind(value, path, owner)
    if (!Object.hasOwn(owner, path.slice(path.lastIndexOf('.') + 1))) return byDefault as Default
    throw new TypeError(`${path} is undefined: leave it out if you do not need it`)
  }
}

/** The kind of an option that is itself an object of options, all of which can be left out. */
export function nested<Kinds extends AnyKinds>({
  read,
}: OptionsDefinition<Kinds>): Kind<OptionValues<Kinds>, GivenOptions<Kinds> | undefined> {
  return (value = {} as GivenOptions<Kinds>, path) => read(value, path)
}
