/** Returns the details of a file, on request with its content. */

import { ContentTooLargeError, NotFoundError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import { type FileRef, isId } from '../../schema/ids.js'
import { inlineFilesInputSchema } from '../../schema/inputs.js'
import { defineOperation } from '../define-operation.js'
import { findHeader } from '../records/item-record.js'
import { type LoadedFile, requireLoadedFile } from './load-file.js'

/** Input of `getFileDetails`. */
export interface GetFileDetailsInput extends FileRef {
  /** True to return the content too, in base64; false if absent. */
  readonly inlineFiles?: boolean | undefined
}

/**
 * Returns the details of a file. The content is only read if it is returned. If the vault, the item
 * or the file does not exist, the error names the file (contract, section 7).
 *
 * In a dialect whose file ids are UUIDs, a malformed vault or item id is treated as one that does
 * not exist: the contract declares all ids of this route as UUIDs and lists no 400 for them
 * (section 4.4).
 */
export const getFileDetails = defineOperation({
  name: 'getFileDetails',
  target: 'file',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  input: inlineFilesInputSchema,
  allowsMalformedIds: ({ dialect }) => dialect.fileIds === 'uuid',
  async run({ context }, { inlineFiles, ...ref }): Promise<FileDetails> {
    const { vaultId, itemId, fileId } = ref
    const header = isId(vaultId) && isId(itemId) ? await findHeader(context, ref) : undefined
    if (header === undefined) throw new NotFoundError('file', fileId)
    const loadedFile = requireLoadedFile(context, header, ref)
    const { file } = loadedFile
    if (!inlineFiles) return file
    if (file.size > context.maxInlineBytes) {
      throw new ContentTooLargeError(
        `File is too large to inline in request. Use the ${file.content_path} endpoint instead.`,
      )
    }
    return withInlineContent(loadedFile)
  },
})

/** Returns the details of a file with its content in base64 (RFC 4648, section 4). */
export async function withInlineContent({ file, open }: LoadedFile): Promise<FileDetails> {
  return { ...file, content: await encodeBase64(await open()) }
}

/** Divisible by 3, so that only the last chunk has padding. */
const chunkBytes = 24_576

async function encodeBase64(content: ReadableStream<Uint8Array>): Promise<string> {
  const bytes = new Uint8Array(await new Response(content).arrayBuffer())
  let text = ''
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    // Spread arguments would cost five times as much.
    const chunk = bytes.subarray(start, start + chunkBytes)
    text += btoa(Reflect.apply(String.fromCharCode, undefined, chunk))
  }
  return text
}
