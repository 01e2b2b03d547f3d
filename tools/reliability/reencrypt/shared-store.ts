/** The encrypted store that all processes of the re-encryption check open, and its records. */

import type { RecordKey } from 'cofferkit'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type EncryptedStore,
} from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'

/** The path and the key of the store. */
export interface SharedStore {
  readonly path: string
  readonly kek: Uint8Array
}

/** Opens the store on a connection of its own. */
export async function openStore({ path, kek }: SharedStore): Promise<{
  readonly store: EncryptedStore
  close(): Promise<void>
}> {
  const inner = await openSqliteStore(path, { busyTimeoutMs: 60_000 })
  const store = createEncryptedStore(inner, { keys: createLocalKeyProvider({ key: kek }) })
  return { store, close: () => inner.close() }
}

/** The collection of the records. */
export const collection = 'items/v1'

/** Returns the key of the record with this number. */
export function recordKeyOf(number: number): RecordKey {
  return { collection, id: `item-${String(number).padStart(6, '0')}` }
}

/** Creates the content of a record that has had this number of changes. */
export function createRecord(
  number: number,
  changes: number,
): { body: Uint8Array; indexKey: string } {
  const padding = 'x'.repeat(200)
  const body = new TextEncoder().encode(JSON.stringify({ number, changes, padding }))
  return { body, indexKey: `title ${number % 10}` }
}

/** Returns the number of changes of a record. @throws Error if the body has another number. */
export function countChanges(number: number, body: Uint8Array): number {
  const record: { number: number; changes: number } = JSON.parse(new TextDecoder().decode(body))
  if (record.number !== number) throw new Error(`record ${number} contains another one`)
  return record.changes
}
