/** Answers what is known of a file, with its content if that is asked for and small enough. */

import { ContentTooLargeError, NotFoundError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import { type FileRef, isId } from '../../schema/ids.js'
import { inlineFilesInputSchema } from '../../schema/inputs.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { findHeader } from '../records/load-item.js'
import { fileOf, type LoadedFile } from './load-file.js'

/** Input of `getFileDetails`. */
export interface GetFileDetailsInput extends FileRef {
  /** Whether `content` is answered as well. */
  readonly inlineFiles?: boolean | undefined
}

/**
 * Returns the details of a file. The content is only read if it is returned. If the vault, the item or the file does not
 * exist, the error names the file (contract, section 7). In a dialect whose file ids are UUIDs, a malformed vault or item
 * id is treated as one that does not exist: the contract declares all ids of this route as UUIDs and lists no 400 for
 * them (section 4.4).
 */
export const getFileDetails = defineOperation({
  name: 'getFileDetails',
  target: 'file',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: [...operationErrors.read, 'CONTENT_TOO_LARGE'],
  input: inlineFilesInputSchema,
  allowsMalformedIds: ({ dialect }) => dialect.fileIds === 'uuid',
  async run({ context }, { inlineFiles, ...ref }): Promise<FileDetails> {
    const { vaultId, itemId, fileId } = ref
    const header = isId(vaultId) && isId(itemId) ? await findHeader(context, ref) : undefined
    if (header === undefined) throw new NotFoundError('file', fileId)
    const found = fileOf(context, header, ref)
    const { file } = found
    if (!inlineFiles) return file
    if (file.size > context.maxInlineBytes) {
      throw new ContentTooLargeError(
        `File is too large to inline in request. Use the ${file.content_path} endpoint instead.`,
      )
    }
    return withInlineContent(found)
  },
})

/** What is known of the file, and its content in base64 (RFC 4648, section 4). */
export async function withInlineContent({ file, open }: LoadedFile): Promise<FileDetails> {
  return { ...file, content: await base64Of(await open()) }
}

/** Divisible by 3, so that only the last part is padded. */
const partBytes = 24_576

async function base64Of(content: ReadableStream<Uint8Array>): Promise<string> {
  const bytes = new Uint8Array(await new Response(content).arrayBuffer())
  let text = ''
  for (let start = 0; start < bytes.length; start += partBytes) {
    // Spread arguments would cost five times as much.
    const part = bytes.subarray(start, start + partBytes)
    text += btoa(Reflect.apply(String.fromCharCode, undefined, part))
  }
  return text
}
