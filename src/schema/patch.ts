/** One operation of a patch, in the modified JSON Patch of the contract's section 4.3. */

import * as z from 'zod/mini'

/** Changes one place of an item. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace'
  /** A JSON Pointer (RFC 6901) to the item, an attribute of it, a field by the field's id, or an attribute of a field. */
  readonly path: string
  /** Any JSON; required for `add` and `replace`, not read for `remove`. */
  readonly value?: unknown
}

/** Reads a {@link PatchOperation}. */
export const patchOperationSchema = z.object({
  op: z.enum(['add', 'remove', 'replace']),
  path: z.string(),
  value: z.optional(z.unknown()),
})

/** Reads a whole patch. */
export const patchSchema = z.array(patchOperationSchema)
