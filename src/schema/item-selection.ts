/** Which items are meant, and which state. */

import * as z from 'zod/mini'
import { idSchema } from './id.js'
import { ifVersionInputSchema } from './if-version.js'
import { itemStateSchema } from './item.js'

/** How many items are read in one call at most. */
const mostItems = 100

/** Reads what `getItems` is told: 1 to 100 ids, none twice. */
export const itemIdsSchema = z.object({
  itemIds: z
    .array(idSchema)
    .check(
      z.minLength(1),
      z.maxLength(mostItems),
      z.refine((ids) => new Set(ids).size === ids.length, 'must not name an item twice'),
    )
    .register(z.globalRegistry, { uniqueItems: true }),
})

/** Reads what `setItemState` is told: a state, or none or null for an item in use. */
export const itemStateInputSchema = z.extend(ifVersionInputSchema, {
  state: z.optional(z.nullable(itemStateSchema)),
})
