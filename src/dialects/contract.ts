/** The contract to the letter: what it requires is there, and as it says. */

import { itemDraftSchema } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import type { Dialect } from './dialect.js'
import { readPlaced } from './read-placed.js'

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
