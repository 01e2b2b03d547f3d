/** Records whose bodies are text in UTF-8. */

import type { RecordStore } from '../../index.js'

/** Creates a record with this text and, if you pass one, this index key. */
export function textRecord(
  text: string,
  indexKey?: string,
): { body: Uint8Array; indexKey?: string } {
  return {
    body: new TextEncoder().encode(text),
    ...(indexKey !== undefined && { indexKey }),
  }
}

/** Returns version and text of a record, such as `2 text`, or undefined if it does not exist. */
export async function readText(
  records: RecordStore,
  id: string,
  collection = 'c',
): Promise<string | undefined> {
  const stored = await records.get({ collection, id })
  return stored && `${stored.version} ${new TextDecoder().decode(stored.body)}`
}
