/** The contract to the letter: what it requires is there, and as it says. */

import type * as z from 'zod/mini'
import { InvalidInputError } from '../errors.js'
import type { KeptAttribute, VaultReference } from '../schema/item.js'
import { itemDraftSchema } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import type { Dialect, ItemPlace } from './dialect.js'

/** The default dialect. */
export const contractDialect: Dialect = {
  name: 'contract',
  readItem: (body, place) => readPlaced(itemDraftSchema, body, place),
  readPatch: (body) => parse(patchSchema, body),
  answerItem: (item) => item,
  fileIds: 'uuid',
  headers: {},
  queryNames: {},
}

/** The members of a body that are compared, and those that are dropped. */
type Placed = { readonly [Name in KeptAttribute]?: unknown } & {
  readonly vault?: VaultReference | undefined
  readonly id?: unknown
}

/**
 * What `schema` makes of `body`, in the vault of the operation, without the id and the attributes that the vault sets.
 * The body names no other vault and, where there is an item already, no other id.
 * @throws InvalidInputError
 */
export function readPlaced<Draft extends Placed>(
  schema: z.ZodMiniType<Draft>,
  body: unknown,
  place: ItemPlace,
): Omit<Draft, 'id' | 'vault' | KeptAttribute> & { readonly vault: VaultReference } {
  const {
    id,
    vault = { id: place.vaultId },
    state: _state,
    version: _version,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    lastEditedBy: _lastEditedBy,
    files: _files,
    ...item
  } = parse(schema, body)
  if (vault.id !== place.vaultId) throw elsewhere('vault/id', 'vault')
  if (place.itemId !== undefined && id !== undefined && id !== place.itemId)
    throw elsewhere('id', 'item')
  return { ...item, vault }
}

function elsewhere(path: string, resource: string): InvalidInputError {
  return InvalidInputError.at(path, `must be the ${resource} of the operation`)
}
