/** Finds the vaults and items that references name. */

import { foldAsciiCase } from '../base/fold-case.js'
import { indexKeyOf } from '../base/index-key.js'
import { listPages } from '../base/list-pages.js'
import { quoteFilterValue } from '../core/filter/quote-filter-value.js'
import type { CallOptions } from '../core/operation/call-options.js'
import type { CallerOperations } from '../core/vault-service.js'
import { type DecryptionError, ForbiddenError, NotFoundError } from '../errors.js'
import type { ItemRef } from '../schema/ids.js'
import { isId } from '../schema/is-id.js'
import { ambiguousPartError, missingPartError, type SecretReference } from './secret-reference.js'

/** The number of vaults or items in a page of a list. */
const pageSize = 1000
/** How many characters a word of a filter can have, by default. */
const maxFilterWordLength = 250

/** A vault or an item in a list. */
interface Listed {
  readonly id: string
  readonly name: string
}

/** Returns a page of a list. It has `limit` elements unless it is the last one. */
type ListPage = (
  page: {
    readonly filter?: string
    readonly ignoreCase?: boolean
    readonly limit: number
    readonly after: string | undefined
  },
  options: CallOptions,
) => Promise<readonly Listed[]>

/** Searches by name. Each returns at most two ids. */
export interface NameSearches {
  findVaults(name: string): Promise<readonly string[]>
  findItems(vaultId: string, name: string): Promise<readonly string[]>
}

/**
 * Creates the searches for the names in these references. Each list is read completely at most
 * once.
 * @param canIgnoreCase - False if `vault` does not support `ignoreCase`, such as a 1Password
 * Connect server. Its lists are then read completely if no name matches in exactly this case.
 */
export function createNameSearches(
  vault: Pick<CallerOperations, 'listVaults' | 'listItems'>,
  references: readonly SecretReference[],
  canIgnoreCase: boolean,
): NameSearches {
  const wantedItems = toWantedNames(references.map(({ item }) => item))
  const findVaults = createNameSearch(
    async (page, options) => vault.listVaults(page, options),
    toWantedNames(references.map((reference) => reference.vault)),
    canIgnoreCase,
  )
  const itemSearches = memoize((vaultId: string) =>
    createNameSearch(
      async (page, options) => {
        const items = (await ifFound(vault.listItems({ vaultId, ...page }, options))) ?? []
        // An archived item counts for the length of the page, but cannot be found by name.
        return items.map(({ id, title = '', state }) => ({ id, name: state ? '' : title }))
      },
      wantedItems,
      canIgnoreCase,
    ),
  )
  return { findVaults, findItems: (vaultId, name) => itemSearches(vaultId)(name) }
}

/**
 * Returns the ids that a reference names. A name that looks like an id is taken as one, so only
 * other names need `listVaults` and `listItems`.
 * @throws NotFoundError (404) or InvalidInputError (400) if the vault or the item does not exist, or
 * if its name is ambiguous.
 */
export async function findItemRef(
  { findVaults, findItems }: NameSearches,
  reference: SecretReference,
): Promise<ItemRef> {
  const [vaultId, itemId] = [reference.vault, reference.item].map(foldAsciiCase)
  const vaults = isId(vaultId) ? [vaultId] : await findVaults(reference.vault)
  const vault = requireOnly(vaults, reference, 'vault')
  const items = isId(itemId) ? [itemId] : await findItems(vault, reference.item)
  return { vaultId: vault, itemId: requireOnly(items, reference, 'item') }
}

/** @throws The error for this part unless exactly one id was found. */
export function requireOnly(
  ids: readonly string[],
  reference: SecretReference,
  part: 'vault' | 'item',
): string {
  const [id, other] = ids
  if (id === undefined) throw missingPartError(reference, part)
  if (other !== undefined) throw ambiguousPartError(reference, part)
  return id
}

/** The names that a call looks for, of vaults or of items. */
interface WantedNames {
  /** The names by their folded form (`foldAsciiCase`). */
  readonly spellings: ReadonlyMap<string, ReadonlySet<string>>
  /** The index keys that several names share, which differ in more than case. */
  readonly sharedKeys: ReadonlySet<string>
}

function toWantedNames(names: readonly string[]): WantedNames {
  const spellings = new Map<string, Set<string>>()
  for (const name of names) {
    const folded = foldAsciiCase(name)
    spellings.set(folded, (spellings.get(folded) ?? new Set()).add(name))
  }
  const keys = new Set<string>()
  const sharedKeys = new Set<string>()
  for (const key of [...spellings.keys()].map(indexKeyOf))
    (keys.has(key) ? sharedKeys : keys).add(key)
  return { spellings, sharedKeys }
}

/**
 * Creates a search for names in a list. It returns at most two ids: of entries with exactly this
 * name or, if there are none, with this name in another case. If nothing has the name, but an
 * unreadable record may have it, rejects with that record's error.
 *
 * The index finds every entry with the same key, which is the start of the name in folded case. If
 * several names have the same start, the list is read completely, once, because each name would
 * otherwise read all entries with the key. The same is done for a name that is too long for a
 * filter.
 */
function createNameSearch(
  list: ListPage,
  wanted: WantedNames,
  canIgnoreCase: boolean,
): (name: string) => Promise<readonly string[]> {
  const readAll = memoize((_: 'all') => collectNamed(list, wanted.spellings))
  const readNamed = memoize((name: string) => {
    const folded = foldAsciiCase(name)
    const named = new Map([[folded, new Set(wanted.spellings.get(folded))]])
    return collectNamed(list, named, {
      filter: `title eq ${quoteFilterValue(name)}`,
      ignoreCase: canIgnoreCase,
    })
  })
  return memoize(async (name) => {
    const key = foldAsciiCase(name)
    if (name.length <= maxFilterWordLength && !wanted.sharedKeys.has(indexKeyOf(name))) {
      const { exact, folded } = await readNamed(canIgnoreCase ? key : name)
      const found = exact.get(name) ?? (canIgnoreCase ? (folded.get(key) ?? []) : undefined)
      if (found !== undefined) return found
    }
    const { exact, folded, unreadable } = await readAll('all')
    const found = exact.get(name) ?? folded.get(key)
    if (found === undefined && unreadable[0] !== undefined) throw unreadable[0]
    return found ?? []
  })
}

/** The result of a search for names in a list: at most two ids for each. */
interface Named {
  /** The ids by the exact name. */
  readonly exact: ReadonlyMap<string, readonly string[]>
  /** The ids by folded name (`foldAsciiCase`). */
  readonly folded: ReadonlyMap<string, readonly string[]>
  readonly unreadable: readonly DecryptionError[]
}

/**
 * Reads a list, and keeps the entries with one of these names, in any case. It ends early when each
 * name was found twice. Names that are longer than all of these are not folded.
 */
async function collectNamed(
  list: ListPage,
  spellings: WantedNames['spellings'],
  query: Pick<Parameters<ListPage>[0], 'filter' | 'ignoreCase'> = {},
): Promise<Named> {
  const exact = new Map<string, readonly string[]>()
  const folded = new Map<string, readonly string[]>()
  const unreadable: DecryptionError[] = []
  const missing = new Set([...spellings.values()].flatMap((names) => [...names]))
  const maxLength = [...missing].reduce((length, name) => Math.max(length, name.length), 0)
  const options = { onUnreadable: (error: DecryptionError) => unreadable.push(error) }
  for await (const { id, name } of walkList(list, options, query)) {
    if (name.length > maxLength) continue
    const key = foldAsciiCase(name)
    if (!spellings.has(key)) continue
    for (const [ids, text] of [
      [exact, name],
      [folded, key],
    ] as const)
      ids.set(text, [...(ids.get(text) ?? []).slice(0, 1), id])
    if (exact.get(name)?.length === 2 && missing.delete(name) && missing.size === 0) break
  }
  return { exact, folded, unreadable }
}

/** Yields the elements of a list. A page is read when its first element is requested. */
async function* walkList(
  list: ListPage,
  options: CallOptions,
  query: Pick<Parameters<ListPage>[0], 'filter' | 'ignoreCase'>,
): AsyncGenerator<Listed> {
  const pages = listPages((position) => list({ ...query, ...position }, options), pageSize)
  for await (const page of pages) yield* page
}

/** Returns the result, or undefined if the vault or the item does not exist or is denied. */
export function ifFound<Result>(call: Promise<Result>): Promise<Result | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof NotFoundError || error instanceof ForbiddenError) return undefined
    throw error
  })
}

/** Returns a function that calls `create` once for each key. */
export function memoize<Key extends string, Value>(
  create: (key: Key) => Value,
): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const value = values.get(key) ?? create(key)
    values.set(key, value)
    return value
  }
}
