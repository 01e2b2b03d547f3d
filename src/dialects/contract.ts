/** The contract to the letter: what it requires is there, and as it says. */

import { InvalidInputError } from '../errors.js'
import { itemDraftSchema } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import type { Dialect } from './dialect.js'

/** The default dialect. */
export const contractDialect: Dialect = {
  name: 'contract',
  readItem(body, place) {
    const { id, ...item } = parse(itemDraftSchema, body)
    if (item.vault.id !== place.vaultId) throw elsewhere('vault/id', 'vault')
    if (place.itemId !== undefined && id !== undefined && id !== place.itemId)
      throw elsewhere('id', 'item')
    return item
  },
  readPatch: (body) => parse(patchSchema, body),
}

function elsewhere(path: string, resource: string): InvalidInputError {
  return InvalidInputError.at(path, `must be the ${resource} of the operation`)
}
