/** JSON as the bytes of a record. Stored bytes are untrusted, so they are parsed with a schema. */

import type * as z from 'zod/mini'
import { StorageError } from '../../errors.js'
import { matches } from '../../schema/parse.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes a text in UTF-8. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Decodes a text. @throws StorageError if the bytes are not valid UTF-8. */
export function decodeText(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw corruptRecordError()
  }
}

/** Parses a text. @throws StorageError if it is not JSON or does not match the schema. */
export function parseStored<Schema extends z.ZodMiniType>(
  schema: Schema,
  text: string,
): z.output<Schema> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw corruptRecordError()
  }
  if (!matches(schema, value)) throw corruptRecordError()
  return value
}

/** The error for a record with unexpected content. Its message contains no part of the content. */
export function corruptRecordError(): StorageError {
  return new StorageError(
    'a stored record contains unexpected data: is it encrypted, and the store opened without the key?',
  )
}

/**
 * Returns the index key for a title: up to 128 UTF-16 units of its start, cut between code points.
 */
export function indexKeyOf(title: string): string {
  const start = title.slice(0, 128)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
