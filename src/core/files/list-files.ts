/** Answers what is known of the files of an item, with the contents that are small enough if that is asked for. */

import type { FileDetails } from '../../schema/file.js'
import type { ItemRef } from '../../schema/ids.js'
import { inlineFilesInputSchema } from '../../schema/inputs.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { withInlineContent } from './get-file-details.js'
import { findFiles } from './load-file.js'

/** Input of `listFiles`. */
export interface ListFilesInput extends ItemRef {
  /**
   * Whether `content` is returned as well, of each file that is not larger than is inlined and still fits into
   * `limits.inlinedBytes` after the contents before it.
   */
  readonly inlineFiles?: boolean | undefined
}

/**
 * Returns the details of the files of an item, in the item's order; empty if it has no files. A file that is too large
 * to be inlined, by itself or after the contents before it, is returned without its content. Only contents that are
 * returned are read.
 */
export const listFiles = defineOperation({
  name: 'listFiles',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: operationErrors.read,
  input: inlineFilesInputSchema,
  async run({ context }, { inlineFiles, ...ref }): Promise<readonly FileDetails[]> {
    const details: FileDetails[] = []
    let left = context.limits.inlinedBytes
    for (const found of await findFiles(context, ref)) {
      const { size } = found.file
      const isInlined = inlineFiles === true && size <= Math.min(context.maxInlineBytes, left)
      if (isInlined) left -= size
      details.push(isInlined ? await withInlineContent(found) : found.file)
    }
    return details
  },
})
