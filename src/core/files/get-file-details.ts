/** Answers what is known of a file, with its content if that is asked for and small enough. */

import { ContentTooLargeError, NotFoundError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import { type FileRef, isId } from '../../schema/ids.js'
import { parseInlineFiles } from '../../schema/inputs.js'
import { authorize, requireAccess } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { findHead } from '../records/load-item.js'
import type { Context } from '../runtime/context.js'
import { fileOf, type LoadedFile } from './load-file.js'

/** What `getFileDetails` is told. */
export interface GetFileDetailsInput extends FileRef {
  /** Whether `content` is answered as well. */
  readonly inlineFiles?: boolean | undefined
}

/**
 * The operation `getFileDetails` of the service. The content is not read unless it is returned. Whether the vault, the
 * item or the file is missing, the error names the file (contract, section 7). In a dialect whose file ids are UUIDs, a
 * vault or an item of a malformed id is missing as well: the contract declares all ids of this route as UUIDs and lists
 * no 400 for it (section 4.4).
 */
export async function getFileDetails(
  context: Context,
  caller: Caller | undefined,
  input: GetFileDetailsInput,
): Promise<FileDetails> {
  const { vaultId, itemId, fileId } = input
  const ref = { vaultId, itemId, fileId }
  const isNowhere = context.dialect.fileIds === 'uuid' && isMalformed(ref)
  if (isNowhere) await requireAccess(caller, vaultId, 'read')
  else await authorize(caller, ref, 'read')
  const inlineFiles = parseInlineFiles(input)
  const header = isNowhere ? undefined : await findHead(context, ref)
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
}

/** Whether the id of the vault or of the item has a form that no such id has. What is not a string is left to `permit`. */
function isMalformed({ vaultId, itemId, fileId }: FileRef): boolean {
  const areStrings = [vaultId, itemId, fileId].every((id) => typeof id === 'string')
  return areStrings && !(isId(vaultId) && isId(itemId))
}

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
