/** Answers the bytes of a file. */

import type { FileRef } from '../../schema/ids.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import type { Context } from '../runtime/context.js'
import { loadFile } from './load-file.js'

/** The content of a file and what is needed to hand it on. */
export interface FileContent {
  readonly name: string
  /** Bytes; the content is exactly as long, or its stream fails with a StorageError. */
  readonly size: number
  readonly content: ReadableStream<Uint8Array>
}

/** The operation `readFileContent` of the service. Whoever gets the stream reads it to its end or cancels it. */
export async function readFileContent(
  context: Context,
  caller: Caller | undefined,
  input: FileRef,
): Promise<FileContent> {
  const { vaultId, itemId, fileId } = input
  await authorize(caller, { vaultId, itemId, fileId }, 'read')
  const { file, open } = await loadFile(context, { vaultId, itemId, fileId })
  return { name: file.name, size: file.size, content: await open() }
}
