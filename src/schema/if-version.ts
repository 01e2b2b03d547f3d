/** The version that a change requires. */

import * as z from 'zod/mini'
import { parse } from './parse.js'

/** Reads `ifVersion`. 0 is allowed: nothing has this version, so the change is refused with 412. */
export const ifVersionInputSchema = z.object({ ifVersion: z.optional(z.int().check(z.gte(0))) })

/** The version that an input requires; undefined if it requires none. @throws InvalidInputError */
export function parseIfVersion({
  ifVersion,
}: {
  readonly ifVersion?: unknown
}): number | undefined {
  return ifVersion === undefined ? undefined : parse(ifVersionInputSchema, { ifVersion }).ifVersion
}
