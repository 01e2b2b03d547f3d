/** The uses of values that a caller with the permission `use` is allowed. */

import { type Kind, kindOf, list } from '../../base/argument.js'
import { defineOptions, type OptionKinds, omittable } from '../../base/options.js'
import { SecretUseError } from '../../errors.js'
import { isId } from '../../schema/is-id.js'
import { isOrigin } from '../../schema/is-origin.js'
import type { SecretUseTarget } from '../../schema/secret-use.js'

/**
 * A use of values that a caller with the permission `use` is allowed. It must match every member
 * that is set.
 */
export interface AllowedUse {
  /**
   * The ids of the items whose values can be used. By default all items of the vaults on which the
   * caller has the permission `use`.
   */
  readonly items?: readonly string[]
  /**
   * The origins of the requests, such as `https://api.example.com`. A value is never sent to an
   * origin that its item does not have. By default every origin of the item is allowed.
   */
  readonly origins?: readonly string[]
  /** The methods of the requests, in upper case, such as `GET`. By default all are allowed. */
  readonly methods?: readonly string[]
  /**
   * The places of the values in the requests, such as `header:authorization`, with the names of
   * headers in lower case. By default all are allowed.
   */
  readonly places?: readonly string[]
}

/** The kind of a list of strings. `expected` is the noun in the message. */
const listOf = (expected: string, isValid: (value: string) => boolean) =>
  omittable(
    list(
      `a list of ${expected}`,
      kindOf<string>(`one of ${expected}`, (value) => typeof value === 'string' && isValid(value)),
    ),
  )

/** Servers and `fetch` write the names of headers in lower case. */
const placePattern = /^(?:header:[^A-Z]+|(?!header:)[a-z]+(?::.+)?)$/s

const allowedUse = defineOptions({
  items: listOf('ids of items, 26 characters of a-z and 0-9', isId),
  origins: listOf('origins, such as https://api.example.com', isOrigin),
  methods: listOf('methods in upper case, such as GET', (one) => /^[A-Z-]{1,32}$/.test(one)),
  places: listOf('places, such as header:authorization', (one) => placePattern.test(one)),
} satisfies OptionKinds<AllowedUse, keyof AllowedUse>)

/** The kind of a list of allowed uses. The list and its elements are copied. */
export const allowedUses: Kind<readonly AllowedUse[]> = list(
  'a list of what the caller may use, such as { items, origins, methods, places }',
  (use, path) =>
    Object.fromEntries(
      Object.entries(allowedUse.read(use, path)).filter(([, values]) => values !== undefined),
    ),
)

/** The use of a value of an item. */
interface ItemUse {
  readonly itemId: string
  readonly use: SecretUseTarget
}

/**
 * Checks a use of a value.
 * @param uses - The uses that the caller is allowed. Default: none.
 * @throws SecretUseError (403) if none of them matches. The message says which part does not match.
 */
export function assertUseAllowed(
  uses: readonly AllowedUse[] | undefined,
  { itemId, use: { origin, method, place } }: ItemUse,
): void {
  const ofItem = (uses ?? []).filter(({ items }) => isListed(items, itemId))
  const atOrigin = ofItem.filter(({ origins }) => isListed(origins, origin))
  const byMethod = atOrigin.filter(({ methods }) => isListed(methods, method))
  const inPlace = byMethod.filter(({ places }) => isListed(places, place))
  const refuse = (problem: string): never => {
    throw new SecretUseError(`the caller may not use the item${problem}`, { reason: 'CALLER' })
  }
  if (ofItem.length === 0) refuse('')
  if (atOrigin.length === 0) refuse(' at the origin of the request')
  if (byMethod.length === 0) refuse(' with the method of the request')
  if (inPlace.length === 0) refuse(' in this place of the request')
}

/** Returns true if the list contains the value, or if there is no list. */
function isListed(list: readonly string[] | undefined, value: string | undefined): boolean {
  return list === undefined || (value !== undefined && list.includes(value))
}
