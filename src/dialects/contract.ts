/** The contract to the letter: what it requires is there, and as it says. */

import type * as z from 'zod/mini'
import { InvalidInputError } from '../errors.js'
import type { KeptAttribute, VaultReference } from '../schema/item.js'
import { itemDraftSchema } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import type { Dialect, DraftRef } from './dialect.js'

/** The default dialect. */
export const contractDialect: Dialect = {
  name: 'contract',
  parseItem: (body, ref) => parseWithRef(itemDraftSchema, body, ref),
  parsePatch: (body) => parse(patchSchema, body),
  formatItem: (item) => item,
  fileIds: 'uuid',
  headers: {},
  queryAliases: {},
}

/** The members of a body that are compared, and those that are dropped. */
type HasRef = { readonly [Name in KeptAttribute]?: unknown } & {
  readonly vault?: VaultReference | undefined
  readonly id?: unknown
}

/**
 * What `schema` makes of `body`, in the vault of the operation, without the id and the attributes that the vault sets.
 * The body names no other vault and, where there is an item already, no other id.
 * @throws InvalidInputError
 */
export function parseWithRef<Draft extends HasRef>(
  schema: z.ZodMiniType<Draft>,
  body: unknown,
  ref: DraftRef,
): Omit<Draft, 'id' | 'vault' | KeptAttribute> & { readonly vault: VaultReference } {
  const {
    id,
    vault = { id: ref.vaultId },
    state: _state,
    version: _version,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    lastEditedBy: _lastEditedBy,
    files: _files,
    ...item
  } = parse(schema, body)
  if (vault.id !== ref.vaultId) throw wrongRefError('vault/id', 'vault')
  if (ref.itemId !== undefined && id !== undefined && id !== ref.itemId)
    throw wrongRefError('id', 'item')
  return { ...item, vault }
}

function wrongRefError(path: string, resource: string): InvalidInputError {
  return InvalidInputError.at(path, `must be the ${resource} of the operation`)
}
