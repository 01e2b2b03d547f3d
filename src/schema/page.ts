/** Which part of a list is wanted. */

import * as z from 'zod/mini'
import { idSchema } from './id.js'

/** Reads what every list is told: a condition, and a page of what meets it. */
export const pageInputSchema = z.object({
  /** What it says is read by `parseFilter`. */
  filter: z.optional(z.string().check(z.maxLength(4096))),
  /** At most so many. */
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  /** Only what has a greater id. */
  after: z.optional(idSchema),
})
