/** The encrypted store that the processes of the proof share, and what its records hold. */

import type { RecordKey } from 'cofferkit'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type EncryptedStore,
} from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'

/** What a process needs to know of the others' store. */
export interface SharedStore {
  readonly path: string
  readonly kek: Uint8Array
}

/** A connection of its own. */
export async function openStore({ path, kek }: SharedStore): Promise<{
  readonly store: EncryptedStore
  close(): Promise<void>
}> {
  const inner = await openSqliteStore(path, { busyTimeoutMs: 60_000 })
  const store = createEncryptedStore(inner, { keys: createLocalKeyProvider({ key: kek }) })
  return { store, close: () => inner.close() }
}

export const collection = 'items/v1'

/** The place of a record by its number. */
export function placeOf(number: number): RecordKey {
  return { collection, id: `item-${String(number).padStart(6, '0')}` }
}

/** A record that was changed so often. */
export function recordOf(number: number, changes: number): { body: Uint8Array; indexKey: string } {
  const filling = 'x'.repeat(200)
  const body = new TextEncoder().encode(JSON.stringify({ number, changes, filling }))
  return { body, indexKey: `label ${number % 10}` }
}

/** How often the record was changed. @throws Error if it is not the one of this number. */
export function changesIn(number: number, body: Uint8Array): number {
  const record: { number: number; changes: number } = JSON.parse(new TextDecoder().decode(body))
  if (record.number !== number) throw new Error(`record ${number} holds another`)
  return record.changes
}
