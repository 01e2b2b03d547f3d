/** JSON as the bytes of a record. Stored bytes are untrusted, so they are parsed with a schema. */

import { decodeUtf8 } from '../../base/decode-utf8.js'
import { unreadableRecordError } from '../../base/fixed-errors.js'
import { StorageError } from '../../errors.js'
import { matches } from '../../schema/parse.js'
import type * as z from '../../schema/zod.js'
import type { ListedRecord, RecordKey, StoredRecord } from '../../store.js'
import { assertNotEncrypted } from '../runtime/encryption-check.js'

const encoder = new TextEncoder()

/** Encodes a string as UTF-8. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}

/**
 * Decodes UTF-8.
 * @throws StorageError if the bytes are not valid UTF-8.
 */
export function decodeText(body: Uint8Array): string {
  const text = decodeUtf8(body)
  if (text === undefined) throw corruptRecordError()
  return text
}

/**
 * Parses JSON.
 * @throws StorageError if it is not JSON or does not match the schema.
 */
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

/**
 * Returns the members of a stored object that its schema does not have. A later version of this
 * library has written them, so they are kept when the object is changed.
 */
export function unknownMembersOf({ shape }: z.ZodMiniObject, stored: object): object {
  const unknown: [string, unknown][] = []
  for (const name in stored) {
    if (!Object.hasOwn(shape, name)) unknown.push([name, Reflect.get(stored, name)])
  }
  return Object.fromEntries(unknown)
}

/** The error for a record with unexpected content. Its message contains no part of the content. */
export function corruptRecordError(): StorageError {
  return new StorageError('a stored record contains unexpected data')
}

/**
 * Returns the result of `parse` for the body of a record. `parse` throws `corruptRecordError()` if
 * no service wrote the body.
 * @throws DecryptionError with `record` if the record is unreadable, because its store could not
 * decrypt it or `parse` does not accept it.
 * @throws StorageError if the body is encrypted, because the store was then opened without its key.
 */
export function parseRecord<Result>(
  { collection, id }: RecordKey,
  stored: StoredRecord & Pick<ListedRecord, 'unreadable'>,
  parse: (body: Uint8Array) => Result,
): Result {
  const { version, body, unreadable } = stored
  if (unreadable !== undefined) throw unreadable
  try {
    return parse(body)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    assertNotEncrypted(body)
    throw unreadableRecordError({ collection, id, version })
  }
}
