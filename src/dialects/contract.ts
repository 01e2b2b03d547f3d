/** The contract to the letter: what it requires is there, and as it says. */

import * as z from 'zod'
import { InvalidInputError } from '../errors.js'
import { itemDraftSchema } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import type { Dialect } from './dialect.js'

const draft = z.compile(itemDraftSchema)
const patch = z.compile(patchSchema)

/** The default dialect. */
export const contractDialect: Dialect = {
  name: 'contract',
  readItem(body, place) {
    const item = parse(draft, body)
    if (item.vault.id !== place.vaultId) throw elsewhere('vault/id', 'vault')
    if (place.itemId !== undefined && item.id !== undefined && item.id !== place.itemId) throw elsewhere('id', 'item')
    return item
  },
  readPatch: (body) => parse(patch, body),
}

function elsewhere(path: string, resource: string): InvalidInputError {
  return new InvalidInputError([{ path, message: `must be the ${resource} of the operation` }])
}
