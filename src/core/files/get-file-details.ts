/** Returns the details of a file and, on request, its content. */

import { toBase64 } from '../../base/base64.js'
import { readContent } from '../../base/blob-content.js'
import { notFoundError } from '../../base/fixed-errors.js'
import { ContentTooLargeError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import type { FileRef } from '../../schema/ids.js'
import { inlineFilesInputSchema } from '../../schema/inputs.js'
import { isId } from '../../schema/is-id.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { findHeader } from '../records/item-record.js'
import type { Context } from '../runtime/context.js'
import { type LoadedFile, openContent, requireLoadedFile } from './load-file.js'

/** Input of `getFileDetails`. */
export interface GetFileDetailsInput extends FileRef {
  /** If true, the content is returned as well, in base64. Default: false. */
  readonly inlineFiles?: boolean | undefined
}

/**
 * Returns the details of a file. The content is read only if it is returned. If the vault, the item
 * or the file does not exist, the error names the file (contract, section 7).
 *
 * In a dialect whose file ids are UUIDs, a malformed vault or item id is treated as one that does
 * not exist, because the contract declares all ids of this route as UUIDs and lists no 400 for them
 * (section 4.4).
 */
export const getFileDetails = defineOperation({
  name: 'getFileDetails',
  summary: 'Returns the details of a file, with its content on request',
  target: 'file',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  joinsTransactions: false,
  errors: [...readErrors, 'CONTENT_TOO_LARGE'],
  input: inlineFilesInputSchema,
  allowsMalformedIds: ({ dialect }) => dialect.fileIds === 'uuid',
  async run({ context }, { inlineFiles, ...ref }): Promise<FileDetails> {
    const { vaultId, itemId, fileId } = ref
    const header = isId(vaultId) && isId(itemId) ? await findHeader(context, ref) : undefined
    if (header === undefined) throw notFoundError('file', fileId)
    const loadedFile = requireLoadedFile(header, ref)
    const { file } = loadedFile
    if (!inlineFiles) return file
    if (file.size > context.maxInlineBytes) {
      throw new ContentTooLargeError(
        `File is too large to inline in request. Use the ${file.content_path} endpoint instead.`,
      )
    }
    return withInlineContent(context, loadedFile)
  },
})

/** Returns the details of a file with its content in base64 (RFC 4648, section 4). */
export async function withInlineContent(
  context: Context,
  loadedFile: LoadedFile,
): Promise<FileDetails> {
  const content = await openContent(context, loadedFile)
  return { ...loadedFile.file, content: toBase64(await readContent(content)) }
}
