/** The contract dialect: bodies must have exactly the form that the contract requires. */

import type * as z from 'zod/mini'
import { InvalidInputError } from '../errors.js'
import type { ManagedAttribute, VaultReference } from '../schema/item.js'
import { itemDraftSchema } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import type { Dialect, DraftRef } from './dialect.js'

/** The default dialect: the contract to the letter. */
export const contractDialect: Dialect = {
  name: 'contract',
  parseItem: (body, ref) => parseWithRef(itemDraftSchema, body, ref),
  parsePatch: (body) => parse(patchSchema, body),
  formatItem: (item) => item,
  fileIds: 'uuid',
  headers: {},
  queryAliases: {},
}

/** The attributes of a body that are compared with the ref, and those that are removed. */
type HasRef = { readonly [Name in ManagedAttribute]?: unknown } & {
  readonly vault?: VaultReference | undefined
  readonly id?: unknown
}

/**
 * Parses `body` with `schema`. Returns the item with the vault of `ref`, without its id and the
 * attributes that the service sets.
 * @throws InvalidInputError also if the body contains the id of another vault or, if `ref` has an
 * `itemId`, of another item.
 */
export function parseWithRef<Draft extends HasRef>(
  schema: z.ZodMiniType<Draft>,
  body: unknown,
  ref: DraftRef,
): Omit<Draft, 'id' | ManagedAttribute> & { readonly vault: VaultReference } {
  const {
    id,
    state: _state,
    version: _version,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    lastEditedBy: _lastEditedBy,
    files: _files,
    ...item
  } = parse(schema, body)
  const { vault = { id: ref.vaultId } } = item
  if (vault.id !== ref.vaultId) throw wrongRefError('vault/id', 'vault')
  if (ref.itemId !== undefined && id !== undefined && id !== ref.itemId)
    throw wrongRefError('id', 'item')
  return Object.assign(item, { vault })
}

function wrongRefError(path: string, resource: string): InvalidInputError {
  return InvalidInputError.at(path, `must be the ${resource} of the operation (${resource}Id)`)
}
