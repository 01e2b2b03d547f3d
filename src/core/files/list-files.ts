/** Lists the files of an item and, on request, their contents. */

import { createPacer } from '../../base/pacer.js'
import type { FileDetails } from '../../schema/file.js'
import type { ItemRef } from '../../schema/ids.js'
import { inlineFilesInputSchema } from '../../schema/inputs.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { withInlineContent } from './get-file-details.js'
import { loadFiles } from './load-file.js'

/** Input of `listFiles`. */
export interface ListFilesInput extends ItemRef {
  /**
   * If true, returns the contents as well, in base64: of each file that is not larger than
   * `maxInlineFileSizeKb`, as long as the contents together fit into `limits.inlinedBytes`.
   * Default: false.
   */
  readonly inlineFiles?: boolean | undefined
}

/**
 * Returns the details of the files of an item, in the item's order, or an empty array. A file is
 * returned without its content if it is too large to be inlined, or if too little is left after the
 * contents before it. Only contents that are returned are read.
 */
export const listFiles = defineOperation({
  name: 'listFiles',
  summary: 'Returns the details of the files of an item, with their contents on request',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  joinsTransactions: false,
  errors: readErrors,
  input: inlineFilesInputSchema,
  async run({ context }, { inlineFiles, ...ref }): Promise<readonly FileDetails[]> {
    const details: FileDetails[] = []
    let remainingBytes = context.limits.inlinedBytes
    const pace = createPacer()
    for (const loadedFile of await loadFiles(context, ref)) {
      const { size } = loadedFile.file
      const isInlined =
        inlineFiles === true && size <= Math.min(context.maxInlineBytes, remainingBytes)
      if (isInlined) {
        remainingBytes -= size
        await pace(size)
      }
      details.push(isInlined ? await withInlineContent(context, loadedFile) : loadedFile.file)
    }
    return details
  },
})
