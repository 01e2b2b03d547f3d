/** Answers what is known of a file, with its content if that is asked for and small enough. */

import { ContentTooLargeError } from '../errors.js'
import type { FileDetails } from '../schema/file.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { type FilePlace, type FoundFile, findFile } from './find-file.js'
import { permit } from './permit.js'

/** What `getFileDetails` is told. */
export interface GetFileDetailsInput extends FilePlace {
  /** Whether `content` is answered as well. */
  readonly inlineFiles?: boolean | undefined
}

/** The operation `getFileDetails` of the service. The content is not touched unless it is answered. */
export async function getFileDetails(
  context: Context,
  caller: Caller | undefined,
  input: GetFileDetailsInput,
): Promise<FileDetails> {
  const { vaultId, itemId, fileId, inlineFiles = false } = input
  await permit(caller, { vaultId, itemId }, 'read')
  const found = await findFile(context, { vaultId, itemId, fileId })
  const { file } = found
  if (!inlineFiles) return file
  if (file.size > context.maxInlineBytes) {
    throw new ContentTooLargeError(
      `File is too large to inline in request. Use the ${file.content_path} endpoint instead.`,
    )
  }
  return inlined(found)
}

/** What is known of the file, and its content in base64 (RFC 4648, section 4). */
export async function inlined({ file, open }: FoundFile): Promise<FileDetails> {
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
