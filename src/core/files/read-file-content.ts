/** Returns the content of a file as a stream. */

import { defineOperation } from '../define-operation.js'
import { withSignal } from '../runtime/abort.js'
import { loadFile } from './load-file.js'

/** The content of a file, with its name and size. */
export interface FileContent {
  readonly name: string
  /** Bytes. If the stored content has another length, the stream fails with a StorageError. */
  readonly size: number
  /** Must be read to its end or cancelled. */
  readonly content: ReadableStream<Uint8Array>
}

/** Returns the content of a file as a stream, which must be read to its end or cancelled. */
export const readFileContent = defineOperation({
  name: 'readFileContent',
  target: 'file',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  async run({ context }, ref): Promise<FileContent> {
    const { file, open } = await loadFile(context, ref)
    return { name: file.name, size: file.size, content: withSignal(await open(), context.signal) }
  },
})
