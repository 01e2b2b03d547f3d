/** The version that a change requires. */

import * as z from 'zod/mini'

/** Reads `ifVersion`. 0 is allowed: nothing has this version, so the change is refused with 412. */
export const ifVersionInputSchema = z.object({ ifVersion: z.optional(z.int().check(z.gte(0))) })
