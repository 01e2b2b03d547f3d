/** Records whose bodies are texts. */

import type { RecordStore } from '../../index.js'

/** A record of this text, under the label if there is one. */
export function textRecord(text: string, indexKey?: string): { body: Uint8Array; indexKey?: string } {
  return {
    body: new TextEncoder().encode(text),
    ...(indexKey !== undefined && { indexKey }),
  }
}

/** The version and text of what is stored, as `2 text`; undefined if nothing is. */
export async function readText(
  records: RecordStore,
  id: string,
  collection = 'c',
): Promise<string | undefined> {
  const stored = await records.get({ collection, id })
  return stored && `${stored.version} ${new TextDecoder().decode(stored.body)}`
}
