/** Operations of a patch, a variant of JSON Patch (RFC 6902; contract, section 4.3). */

import * as z from './zod.js'

/**
 * One change to an item. The differences from JSON Patch (RFC 6902) are in
 * [the contract page](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#patches).
 */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace'
  /**
   * A JSON Pointer (RFC 6901) to the item, an attribute of the item, a field by its id, or an
   * attribute of a field.
   */
  readonly path: string
  /** Any JSON value. Required for `add` and `replace`, ignored for `remove`. */
  readonly value?: unknown
}

/** Parses a {@link PatchOperation}. */
export const patchOperationSchema = z.object({
  op: z.enum(['add', 'remove', 'replace']),
  path: z.string(),
  value: z.optional(z.unknown()),
})

/** Parses a patch. */
export const patchSchema = z.array(patchOperationSchema)
