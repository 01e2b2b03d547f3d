/** The body of every error's answer. */

import * as z from 'zod/mini'

/** Reads an error body (contract, section 2.8). */
export const errorBodySchema = z.object({ status: z.int(), message: z.string() })
