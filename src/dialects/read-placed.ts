/** Reads an item's body with a dialect's schema, and holds the ids in it against the place of the operation. */

import type * as z from 'zod/mini'
import { InvalidInputError } from '../errors.js'
import type { VaultReference } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import type { ItemPlace } from './dialect.js'

/** What of a body is compared. */
interface Placed {
  readonly vault?: VaultReference | undefined
  readonly id?: unknown
}

/**
 * What `schema` makes of `body`, without the id and in the vault of the operation. The body names no other vault and,
 * where there is an item already, no other id.
 * @throws InvalidInputError
 */
export function readPlaced<Draft extends Placed>(
  schema: z.ZodMiniType<Draft>,
  body: unknown,
  place: ItemPlace,
): Omit<Draft, 'id' | 'vault'> & { readonly vault: VaultReference } {
  const { id, vault = { id: place.vaultId }, ...item } = parse(schema, body)
  if (vault.id !== place.vaultId) throw elsewhere('vault/id', 'vault')
  if (place.itemId !== undefined && id !== undefined && id !== place.itemId)
    throw elsewhere('id', 'item')
  return { ...item, vault }
}

function elsewhere(path: string, resource: string): InvalidInputError {
  return InvalidInputError.at(path, `must be the ${resource} of the operation`)
}
