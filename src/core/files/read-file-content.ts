/** Returns the content of a file. */

import { toChunks, toStream } from '../../base/blob-content.js'
import type { BlobContent } from '../../store.js'
import type { Call } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadFile, openContent } from './load-file.js'

/** The content of a file, with its name and size. */
export interface FileContent {
  readonly name: string
  /**
   * The size in bytes. If the stored content has a different length, the call or the stream fails.
   */
  readonly size: number
  /** Read it to its end, or cancel it. */
  readonly content: ReadableStream<Uint8Array>
}

/** The content of a file as the store has returned it. */
export interface StoredFileContent extends Omit<FileContent, 'content'> {
  readonly content: BlobContent
}

/** Converts the content to a stream, for calls in process. */
export function toFileContent(file: StoredFileContent): FileContent {
  return { ...file, content: toStream(file.content) }
}

/**
 * Returns the content of a file, which must be read to its end or cancelled. In process it is a
 * stream. Over HTTP, bytes from the store are sent unchanged.
 */
export const readFileContent = defineOperation({
  name: 'readFileContent',
  summary: 'Returns the content of a file',
  target: 'file',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  joinsTransactions: false,
  errors: readErrors,
  returns: 'content',
  async run(call, ref): Promise<StoredFileContent> {
    const { context, caller } = call
    const loadedFile = await loadFile(context, ref)
    const { name, size } = loadedFile.file
    const content = await openContent(context, loadedFile)
    return {
      name,
      size,
      content: caller.expiresAt === undefined ? content : endAtExpiry(call, content),
    }
  },
})

/** Returns the same content. Once the caller has expired, it fails instead of yielding a chunk. */
function endAtExpiry({ assertNotExpired }: Call, content: BlobContent): BlobContent {
  if (content instanceof Uint8Array) return content
  const chunks = toChunks(content)
  async function* check(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      assertNotExpired()
      yield chunk
    }
  }
  return toChunks(check, chunks.return)
}
