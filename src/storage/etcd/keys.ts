/**
 * Names the keys of a store in etcd.
 *
 * The first zero byte ends the prefix and the kind. A prefix, a collection and an id are printable
 * ASCII, so keys of different kinds, prefixes or collections are never interleaved.
 *
 * - `{prefix}records\0{collection}\0{id}`: the body of a record. The version of the key is that of
 *   the record.
 * - `{prefix}entries\0{collection}\0{id}`: the {@link Entry} of a record, if it has one.
 * - `{prefix}index\0{collection}\0{length}:{index key}\0{id}`: an upper bound of the body's size.
 * - `{prefix}blobs\0{id}`: a blob, or a description of its chunks.
 * - `{prefix}chunks\0{id}\0{writer}\0{number}`: a chunk.
 */

import { decodeBase64, toBase64 } from '../../base/base64.js'
import { unexpectedAnswerError } from './errors.js'

/** A key or a value, in base64. */
export type Base64 = string

/** The keys that begin with `start`, after `after` if it is passed. */
export interface KeyRange {
  readonly key: Base64
  /** The first key that is not in the range. */
  readonly range_end: Base64
}

/** The keys of a store. */
export interface KeyNames {
  readonly record: (collection: string, id: string) => Base64
  readonly entry: (collection: string, id: string) => Base64
  readonly index: (collection: string, indexKey: string, id: string) => Base64
  readonly blob: (id: string) => Base64
  readonly chunk: (id: string, writer: string, number: number) => Base64
  /** Everything before the id, in the keys of one collection. */
  readonly records: (collection: string) => string
  readonly entries: (collection: string) => string
  /** Everything before the id, in the keys of one index key. */
  readonly indexed: (collection: string, indexKey: string) => string
  /** Everything before the writer, in the keys of the chunks of one blob. */
  readonly chunks: (id: string) => string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Creates the names with this prefix. */
export function createKeyNames(prefix: string): KeyNames {
  const records = (collection: string): string => `${prefix}records\0${collection}\0`
  const entries = (collection: string): string => `${prefix}entries\0${collection}\0`
  const indexed = (collection: string, indexKey: string): string => {
    const text = toStoredText(indexKey)
    return `${prefix}index\0${collection}\0${encoder.encode(text).length}:${text}\0`
  }
  const chunks = (id: string): string => `${prefix}chunks\0${id}\0`
  return {
    records,
    entries,
    indexed,
    chunks,
    record: (collection, id) => encodeText(records(collection) + id),
    entry: (collection, id) => encodeText(entries(collection) + id),
    index: (collection, indexKey, id) => encodeText(indexed(collection, indexKey) + id),
    blob: (id) => encodeText(`${prefix}blobs\0${id}`),
    chunk: (id, writer, number) => encodeText(`${chunks(id)}${writer}\0${number}`),
  }
}

/**
 * Returns the string as it will be read again, in which a lone surrogate has become a replacement
 * character.
 */
export function toStoredText(text: string): string {
  return decoder.decode(encoder.encode(text))
}

/** Encodes a string as UTF-8 and base64. */
export function encodeText(text: string): Base64 {
  return toBase64(encoder.encode(text))
}

/** Decodes base64 and UTF-8. @throws StorageError (`STORAGE_FAILED`) if it is not base64. */
export function decodeText(base64: Base64): string {
  return decoder.decode(decodeBytes(base64))
}

/** Decodes base64. @throws StorageError (`STORAGE_FAILED`) if it is not base64. */
export function decodeBytes(base64: Base64): Uint8Array {
  const bytes = decodeBase64(base64)
  if (bytes === undefined) throw unexpectedAnswerError()
  return bytes
}

/** The range of all keys that are `start` and an id after `after`. All ids are printable ASCII. */
export function rangeOf(start: string, after?: string): KeyRange {
  const key = encodeText(after === undefined ? start : `${start}${after}\0`)
  return { key, range_end: encodeText(`${start}\x7f`) }
}

/** The range from one key to another, both included. */
export function rangeBetween(first: string, last: string): KeyRange {
  return { key: encodeText(first), range_end: encodeText(`${last}\0`) }
}

/**
 * Returns the part of a key after `start`.
 * @throws StorageError (`STORAGE_FAILED`) if the key does not begin with it.
 */
export function idOf(key: Base64, start: string): string {
  const text = decodeText(key)
  if (!text.startsWith(start)) throw unexpectedAnswerError()
  return text.slice(start.length)
}
