/** Kinds of credentials: their fields, the origins they are sent to, and how they are verified. */

import {
  argumentError,
  callback,
  flag,
  isBareObject,
  type Kind,
  kindOf,
  text,
} from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { toRuleError } from '../base/rule-error.js'
import { InvalidInputError, RuleError } from '../errors.js'

/** A field of a kind of credential. */
export interface CredentialField {
  /**
   * Set this to false if views may contain the value, as for the name of a host. Otherwise the field
   * is stored as CONCEALED, and no view contains its value. Default: true.
   */
  readonly secret?: boolean | undefined
  /** The label of the field in the item. Default: the id of the field. */
  readonly label?: string | undefined
  /** True if a credential can be saved without the value. Default: false. */
  readonly optional?: boolean | undefined
}

/** The fields of a kind of credential by their ids. */
export type CredentialFields = Readonly<Record<string, CredentialField>>

/**
 * The values of a credential by field id. Optional values may be missing.
 * @typeParam Fields - The fields of its kind. They determine the names of the values.
 */
export type CredentialValues<Fields extends CredentialFields = CredentialFields> = {
  readonly [Id in keyof Fields as Fields[Id] extends CredentialField & {
    readonly optional?: false | undefined
  }
    ? Id
    : never]: string
} & {
  readonly [Id in keyof Fields as Fields[Id] extends CredentialField & {
    readonly optional?: false | undefined
  }
    ? never
    : Id]?: string
}

/**
 * A kind of credential, such as the keys of one provider.
 * @typeParam Fields - The fields. They determine the values that `origins` and `verify` receive.
 * Both have the type of a method, so that TypeScript accepts a kind with known fields wherever it
 * accepts any kind.
 */
export interface CredentialKind<Fields extends CredentialFields = CredentialFields> {
  /**
   * The fields, at least one, by their ids: 1 to 64 letters, digits, `_` and `-`, beginning with a
   * letter.
   */
  readonly fields: Fields
  /**
   * The only origins to which the credential may be sent, such as `https://api.example.com`. If
   * each customer has a different host, pass a function that computes the origins from the values.
   * The origins become the URLs of the item. By default a stored item keeps its URLs.
   *
   * If new values make the function return a different origin, the caller must enter every secret
   * again. Otherwise someone who cannot read the key could have it sent to their own host. An
   * origin must be https, or http on `localhost`, `127.0.0.1` or `[::1]`.
   */
  readonly origins?:
    | readonly string[]
    | { find(values: CredentialValues<Fields>): readonly string[] }['find']
    | undefined
  /**
   * Asks the provider whether the values work. Return true if they do, and false if the provider
   * rejects them. If you cannot tell, throw. Then, or after the timeout, `onVerifyError` is called,
   * and `whenUnverified` decides. Any other result fails with RuleError (500). Pass `signal` to
   * `fetch`. It is aborted when the time is up.
   */
  readonly verify?:
    | {
        verify(
          values: CredentialValues<Fields>,
          options: { readonly signal: AbortSignal },
        ): Promise<boolean>
      }['verify']
    | undefined
}

/**
 * The kinds of credentials by their names: 1 to 64 letters, digits, `_`, `.` and `-`, beginning with
 * a letter or a digit.
 * @typeParam Fields - The fields of each kind.
 */
export type CredentialKinds<
  Fields extends Readonly<Record<string, CredentialFields>> = Readonly<
    Record<string, CredentialFields>
  >,
> = {
  readonly [Name in keyof Fields]: CredentialKind<Fields[Name]>
}

/** The names of kinds. */
export type CredentialName<Kinds extends CredentialKinds> = keyof Kinds & string

/** The ids of the fields of a kind. */
export type CredentialFieldId<Kind extends CredentialKind> = keyof Kind['fields'] & string

const namePattern = /^[A-Za-z\d][\w.-]{0,63}$/
const fieldIdPattern = /^[A-Za-z][\w-]{0,63}$/

const anyKinds = kindOf('an object with kinds by their names', isBareObject)
const anyFields = kindOf('an object with fields by their ids', isBareObject)

/** @throws TypeError that names the first member of `kinds` that is invalid. */
export function assertKinds(kinds: CredentialKinds): void {
  anyKinds(kinds, 'kinds')
  for (const [name, kind] of Object.entries(kinds)) {
    if (!namePattern.test(name))
      throw argumentError(name, 'each key of kinds', 'a name of letters, digits, _, . and -')
    kindOptions.read(kind, `kinds.${name}`)
  }
}

const fieldOptions = defineOptions({
  secret: optional(flag(), true),
  label: optional(text()),
  optional: optional(flag(), false),
} satisfies OptionKinds<CredentialField>)

const readFields: Kind<CredentialKind['fields']> = (fields, path) => {
  anyFields(fields, path)
  if (Object.keys(fields).length === 0)
    throw argumentError(fields, path, 'an object with at least one field')
  for (const [id, field] of Object.entries(fields)) {
    if (!fieldIdPattern.test(id))
      throw argumentError(id, `each key of ${path}`, 'an id of letters, digits, _ and -')
    fieldOptions.read(field, `${path}.${id}`)
  }
  return fields
}

const kindOptions = defineOptions({
  fields: readFields,
  origins: optional(
    kindOf(
      'a list of origins, such as https://api.example.com, or a function',
      (value) => typeof value === 'function' || (Array.isArray(value) && value.every(isOrigin)),
    ),
  ),
  verify: optional(callback()),
} satisfies OptionKinds<CredentialKind>)

const ownHosts = ['localhost', '127.0.0.1', '[::1]']

function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { origin, protocol, hostname } = new URL(value)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && ownHosts.includes(hostname))
  return isSafe && origin === value
}

/** Returns true if no view may contain the value of the field. */
export function isSecret({ secret }: CredentialField): boolean {
  return secret !== false
}

/**
 * Returns the origins to which a credential with these values is sent, or undefined if its kind
 * does not name any.
 * @throws InvalidInputError if the kind's function returns something that is not an origin, because
 * it depends on the values.
 * @throws RuleError if the function fails or does not return a list.
 */
export function findOrigins(
  kind: CredentialKind,
  values: CredentialValues,
): readonly string[] | undefined {
  if (typeof kind.origins !== 'function') return kind.origins
  let found: unknown
  try {
    found = kind.origins({ ...values })
  } catch (error) {
    throw toRuleError(error, 'origins')
  }
  if (!Array.isArray(found)) throw new RuleError('origins did not return a list')
  if (found.every(isOrigin)) return found
  throw InvalidInputError.at(
    '',
    'the values must result in origins such as https://api.example.com',
  )
}
