/** The contract dialect: bodies must have exactly the form that the contract requires. */

import { InvalidInputError } from '../errors.js'
import { itemDraftSchema, type ParsedItem, type VaultReference } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import type * as z from '../schema/zod.js'
import type { Dialect, DraftRef } from './dialect.js'

/** The default dialect, which follows the contract to the letter. */
export const contractDialect: Dialect = {
  name: 'contract',
  parseItem: (body, ref) => parseWithRef(itemDraftSchema, body, ref),
  parsePatch: (body) => parse(patchSchema, body),
  formatItem: (item) => item,
  fileIds: 'uuid',
  headers: {},
  queryAliases: {},
}

/** A body that can omit its vault. */
type ParsedBody = Omit<ParsedItem, 'vault'> & {
  readonly vault?: VaultReference | undefined
  readonly id?: unknown
}

/**
 * Parses `body` with `schema`. Returns the item with the vault of `ref`, without its id and the
 * attributes that the service sets.
 * @throws InvalidInputError if the body is invalid, or contains the id of another vault or, if
 * `ref` has an `itemId`, of another item.
 */
export function parseWithRef(
  schema: z.ZodMiniType<ParsedBody>,
  body: unknown,
  ref: DraftRef,
): ParsedItem {
  const draft = parse(schema, body)
  const { id, vault = { id: ref.vaultId } } = draft
  if (vault.id !== ref.vaultId) throw wrongRefError('vault/id', 'vault')
  if (ref.itemId !== undefined && id !== undefined && id !== ref.itemId)
    throw wrongRefError('id', 'item')
  const { category, title, favorite, tags, urls, sections, fields } = draft
  return { vault, category, title, favorite, tags, urls, sections, fields }
}

function wrongRefError(path: string, resource: string): InvalidInputError {
  return InvalidInputError.at(path, `must be the ${resource} of the operation (${resource}Id)`)
}
