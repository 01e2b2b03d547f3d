/** Finds the vaults and items that references name. */

import { formatFilter } from '../core/filter/filter.js'
import type { CallOptions } from '../core/operation/call-options.js'
import { indexKeyOf } from '../core/records/stored-json.js'
import type { CallerOperations } from '../core/vault-service.js'
import { type DecryptionError, ForbiddenError, NotFoundError } from '../errors.js'
import { type ItemRef, isId } from '../schema/ids.js'
import { foldCase } from './find-named.js'
import { ambiguousPartError, missingPartError, type SecretReference } from './secret-reference.js'

/** The number of vaults or items in a page of a list. */
const pageSize = 1000
/** The characters that a word of a filter can have, by default. */
const maxFilterWordLength = 250

/** A vault or an item in a list. */
interface Listed {
  readonly id: string
  readonly name: string
}

/** Returns a page of a list. It has `limit` elements unless it is the last one. */
type ListPage = (
  page: {
    readonly filter: string | undefined
    readonly limit: number
    readonly after: string | undefined
  },
  options: CallOptions,
) => Promise<readonly Listed[]>

/** Searches for names: at most two ids of what has a name. */
export interface NameSearches {
  findVaults(name: string): Promise<readonly string[]>
  findItems(vaultId: string, name: string): Promise<readonly string[]>
}

/** Creates the searches for the names of these references. Each list is read at most once. */
export function createNameSearches(
  vault: Pick<CallerOperations, 'listVaults' | 'listItems'>,
  references: readonly SecretReference[],
): NameSearches {
  const wantedItems = toWantedNames(references.map(({ item }) => item))
  const findVaults = createNameSearch(
    async (page, options) => vault.listVaults(page, options),
    toWantedNames(references.map((reference) => reference.vault)),
  )
  const itemSearches = memoize((vaultId: string) =>
    createNameSearch(async (page, options) => {
      const items = (await ifFound(vault.listItems({ vaultId, ...page }, options))) ?? []
      // An archived item counts for the length of the page, but has no name to be found by.
      return items.map(({ id, title = '', state }) => ({ id, name: state ? '' : title }))
    }, wantedItems),
  )
  return { findVaults, findItems: (vaultId, name) => itemSearches(vaultId)(name) }
}

/**
 * Returns the ids that a reference names. A name in the form of an id is one, so that only other
 * names need `listVaults` and `listItems`.
 * @throws NotFoundError (404) or InvalidInputError (400) if the vault or the item does not exist, or
 * if its name is ambiguous.
 */
export async function findItemRef(
  { findVaults, findItems }: NameSearches,
  reference: SecretReference,
): Promise<ItemRef> {
  const [vaultId, itemId] = [reference.vault, reference.item].map(foldCase)
  const vaults = isId(vaultId) ? [vaultId] : await findVaults(reference.vault)
  const vault = requireOnly(vaults, reference, 'vault')
  const items = isId(itemId) ? [itemId] : await findItems(vault, reference.item)
  return { vaultId: vault, itemId: requireOnly(items, reference, 'item') }
}

/** @throws The error of the part unless exactly one id was found. */
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
  /** The names after `foldCase`. */
  readonly folded: ReadonlySet<string>
  /** The index keys that several of the names have. */
  readonly sharedKeys: ReadonlySet<string>
  /** The length of the longest name. */
  readonly maxLength: number
}

function toWantedNames(names: readonly string[]): WantedNames {
  const distinct = [...new Set(names)]
  const keys = new Set<string>()
  const sharedKeys = new Set<string>()
  for (const key of distinct.map(indexKeyOf)) (keys.has(key) ? sharedKeys : keys).add(key)
  const maxLength = distinct.reduce((length, name) => Math.max(length, name.length), 0)
  return { folded: new Set(distinct.map(foldCase)), sharedKeys, maxLength }
}

/**
 * Creates a search for names in a list. It returns the ids of what has exactly this name or, if
 * nothing has it, of what has it in another case; at most two. The list is read as a whole at most
 * once, and only what has a `wanted` name is kept. Rejects with the error of an unreadable record if
 * nothing has the name, because that record can have it.
 *
 * The index finds whatever has the same key, which is the start of a name. A key that several wanted
 * names have is looked up in the whole list, because each name would read all that have the key.
 * So is a name that is too long for a filter.
 */
function createNameSearch(
  list: ListPage,
  wanted: WantedNames,
): (name: string) => Promise<readonly string[]> {
  const readAll = memoize(async (_: 'all') => {
    const exact = new Map<string, readonly string[]>()
    const folded = new Map<string, readonly string[]>()
    const unreadable: DecryptionError[] = []
    const options = { onUnreadable: (error: DecryptionError) => unreadable.push(error) }
    for await (const { id, name } of walkList(list, options)) {
      if (name.length > wanted.maxLength) continue
      const key = foldCase(name)
      if (!wanted.folded.has(key)) continue
      exact.set(name, [...(exact.get(name) ?? []).slice(0, 1), id])
      folded.set(key, [...(folded.get(key) ?? []).slice(0, 1), id])
    }
    return { exact, folded, unreadable }
  })
  return memoize(async (name) => {
    const exact: string[] = []
    const isLong = name.length > maxFilterWordLength
    if (isLong || wanted.sharedKeys.has(indexKeyOf(name))) {
      exact.push(...((await readAll('all')).exact.get(name) ?? []))
    } else {
      const filter = formatFilter({ op: 'eq', attribute: 'title', value: name })
      for await (const listed of walkList(list, {}, filter))
        if (listed.name === name && exact.push(listed.id) > 1) break
    }
    if (exact.length > 0) return exact
    const { folded, unreadable } = await readAll('all')
    const found = folded.get(foldCase(name))
    if (found === undefined && unreadable[0] !== undefined) throw unreadable[0]
    return found ?? []
  })
}

/** Yields the elements of a list, and reads a page of it when its first one is requested. */
async function* walkList(
  list: ListPage,
  options: CallOptions,
  filter?: string,
): AsyncGenerator<Listed> {
  let after: string | undefined
  for (;;) {
    const page = await list({ filter, limit: pageSize, after }, options)
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)?.id
  }
}

/** Returns undefined instead of rejecting if the vault or the item does not exist or is denied. */
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
