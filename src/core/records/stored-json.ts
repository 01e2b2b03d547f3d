/** JSON as bytes in a store. What comes back is read as something from outside. */

import type * as z from 'zod/mini'
import { StorageError } from '../../errors.js'
import { matches } from '../../schema/parse.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text's bytes in UTF-8. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}

/** @throws StorageError if the bytes are not UTF-8. */
export function decodeText(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw corruptRecordError()
  }
}

/** @throws StorageError if the text is not JSON of this schema. */
export function parseStored<Schema extends z.ZodMiniType>(
  schema: Schema,
  text: string,
): z.output<Schema> {
  const value = parseJson(text)
  if (!matches(schema, value)) throw corruptRecordError()
  return value
}

/** The error of a record that no vault wrote. Says nothing of what stands there. */
export function corruptRecordError(): StorageError {
  return new StorageError('a stored record is not what a vault wrote')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw corruptRecordError()
  }
}
