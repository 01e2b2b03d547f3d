/** Answers what is known of the files of an item, with the contents that are small enough if that is asked for. */

import type { FileDetails } from '../../schema/file.js'
import type { ItemRef } from '../../schema/ids.js'
import { parseInlineFiles } from '../../schema/inputs.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import type { Context } from '../runtime/context.js'
import { withInlineContent } from './get-file-details.js'
import { findFiles } from './load-file.js'

/** What `listFiles` is told. */
export interface ListFilesInput extends ItemRef {
  /**
   * Whether `content` is returned as well, of each file that is not larger than is inlined and still fits into
   * `limits.inlinedBytes` after the contents before it.
   */
  readonly inlineFiles?: boolean | undefined
}

/**
 * The operation `listFiles` of the service: in the order of the item, empty if it has no files. A file that is too large
 * to be inlined, alone or after the contents before it, is answered without its content. No content is touched unless it
 * is answered.
 */
export async function listFiles(
  context: Context,
  caller: Caller | undefined,
  input: ListFilesInput,
): Promise<readonly FileDetails[]> {
  const { vaultId, itemId } = input
  await authorize(caller, { vaultId, itemId }, 'read')
  const inlineFiles = parseInlineFiles(input)
  const details: FileDetails[] = []
  let left = context.limits.inlinedBytes
  for (const found of await findFiles(context, { vaultId, itemId })) {
    const { size } = found.file
    const isInlined = inlineFiles && size <= Math.min(context.maxInlineBytes, left)
    if (isInlined) left -= size
    details.push(isInlined ? await withInlineContent(found) : found.file)
  }
  return details
}
