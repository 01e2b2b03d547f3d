/** Which items are meant, and which state. */

import * as z from 'zod/mini'
import { idSchema } from './ids.js'
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

/** Reads what every list is told: a condition, and a page of what meets it. */
export const pageInputSchema = z.object({
  /** What it says is read by `parseFilter`. */
  filter: z.optional(z.string().check(z.maxLength(4096))),
  /** At most so many. */
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  /** Only what has a greater id. */
  after: z.optional(idSchema),
})
