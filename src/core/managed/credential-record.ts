/**
 * The records that list the credentials of a vault, so that a list reads no other items. The item
 * of a credential is the truth. Its record is written before the item, so each credential has one; a
 * record whose item does not exist means nothing, and `collectGarbage` deletes it.
 */

import type { ItemRef } from '../../schema/ids.js'
import * as z from '../../schema/zod.js'
import type { RecordKey } from '../../store.js'
import { isItemRecord, itemKey } from '../records/item-record.js'
import { scanRecords } from '../records/list-records.js'
import {
  decodeText,
  encodeText,
  parseRecord,
  parseStored,
  unknownMembersOf,
} from '../records/stored-json.js'
import type { Context } from '../runtime/context.js'
import {
  isUnreadableError,
  skipUnreadable,
  type UnreadableReports,
} from '../runtime/report-unreadable.js'

/** The judgement of a provider about the values of a credential. */
export type VerifiedStatus = 'ok' | 'rejected' | 'unverified'

/** A credential that is listed. */
export interface ListedCredential {
  readonly name: string
  readonly account?: string | undefined
  /** That of its item, or `rejected`. */
  readonly status: VerifiedStatus
}

const recordSchema = z.object({
  name: z.string(),
  account: z.exactOptional(z.string()),
  status: z.enum(['ok', 'rejected', 'unverified']),
  /** When its item was about to be created or rejected. */
  since: z.iso.datetime(),
})

/** The collection of a vault's records. The id of a record is that of the credential's item. */
export function credentialCollection(vaultId: string): string {
  return `credentials/${vaultId}`
}

/**
 * Runs `write`, which writes the item of a credential. The record is written before it if the item
 * is new or rejected, because no process may find the item and not the record; otherwise it is
 * written after it, if its status changes.
 * @throws ConflictError if concurrent writers won every attempt to write the record.
 */
export async function withCredentialRecord(
  context: Context,
  ref: ItemRef,
  credential: ListedCredential,
  isNew: boolean,
  write: () => Promise<boolean>,
): Promise<boolean> {
  const key = { collection: credentialCollection(ref.vaultId), id: ref.itemId }
  const stored = await readRecord(context, key)
  const isFirst = isNew || stored.status === undefined || credential.status === 'rejected'
  if (isFirst) await putInTurn(context, key, credential, stored)
  const isWritten = await write()
  /** Makes the record equal to the item, which is written. */
  const follow = async (): Promise<void> => {
    if (isFirst) {
      // A process that pauses for an hour before it writes the item loses the record to
      // `collectGarbage`. The record of another writer is kept.
      const now = await readRecord(context, key)
      if (now.version === 0) await putRecord(context, key, credential, now)
    } else if (stored.status !== credential.status) {
      // It is refused if another process has rejected the credential meanwhile.
      await putRecord(context, key, credential, stored)
    }
  }
  if (isWritten) await follow().catch(() => {})
  return isWritten
}

/** A record as it is stored; version 0 if it is not, and nothing else if it is unreadable. */
interface StoredStatus {
  readonly version: number
  readonly status?: VerifiedStatus
  /** Members that a later version of this library has written. */
  readonly unknown?: object
}

async function readRecord({ store }: Context, key: RecordKey): Promise<StoredStatus> {
  try {
    const record = await store.records.get(key)
    if (record === undefined) return { version: 0 }
    const parsed = parseRecord(key, record, parseBody)
    const unknown = unknownMembersOf(recordSchema, parsed)
    return { version: record.version, status: parsed.status, unknown }
  } catch (error) {
    if (!isUnreadableError(error, key)) throw error
    return { version: error.record.version }
  }
}

function parseBody(body: Uint8Array): z.output<typeof recordSchema> {
  return parseStored(recordSchema, decodeText(body))
}

function putRecord(
  { store, now }: Context,
  key: RecordKey,
  { name, account, status }: ListedCredential,
  { version, unknown }: StoredStatus,
): Promise<boolean> {
  const record = { name, account, status, since: now().toISOString(), ...unknown }
  const indexKey = status === 'rejected' ? { indexKey: status } : {}
  const body = encodeText(JSON.stringify(record))
  return store.records.put(key, { body, ...indexKey }, version)
}

/** Writes the record over whatever other processes write. @throws ConflictError */
function putInTurn(
  context: Context,
  key: RecordKey,
  credential: ListedCredential,
  first: StoredStatus,
): Promise<true> {
  let known: StoredStatus | undefined = first
  return context.retry(key, 'item', async () => {
    const stored = known ?? (await readRecord(context, key))
    known = undefined
    return (await putRecord(context, key, credential, stored)) || undefined
  })
}

/** A record of a list. `credential` is undefined if it is unreadable, which the operator receives. */
export interface FoundRecord {
  readonly itemId: string
  readonly credential: ListedCredential | undefined
}

/**
 * Yields the records of a vault, in ascending order of their items' ids: all, or those of the
 * credentials that are rejected.
 */
export async function* scanCredentials(
  context: Context,
  vaultId: string,
  status: 'rejected' | undefined,
): AsyncGenerator<FoundRecord> {
  const collection = credentialCollection(vaultId)
  const query = status && { indexKey: status }
  for await (const record of scanRecords(context, collection, query)) {
    const itemId = record.id
    try {
      yield { itemId, credential: parseRecord({ collection, id: itemId }, record, parseBody) }
    } catch (error) {
      if (!isUnreadableError(error)) throw error
      // To the operator alone: the credential is only left out if its item is unreadable as well.
      context.reportUnreadable(error)
      yield { itemId, credential: undefined }
    }
  }
}

/**
 * Deletes the records that are at least this old and whose items do not exist. An unreadable record
 * is reported and kept.
 */
export async function collectCredentialRecords(
  { context, reportUnreadable }: UnreadableReports & { readonly context: Context },
  vaultId: string,
  minAgeMs: number,
): Promise<void> {
  const { records } = context.store
  const collection = credentialCollection(vaultId)
  for await (const record of scanRecords(context, collection)) {
    const { id, version } = record
    const key = { collection, id }
    const listed = await skipUnreadable({ reportUnreadable }, key, async () =>
      parseRecord(key, record, parseBody),
    )
    if (listed === undefined) continue
    // A date far in the future is that of a wrong clock.
    if (Math.abs(context.now().getTime() - Date.parse(listed.since)) < minAgeMs) continue
    const itemRef = { vaultId, itemId: id }
    if (await mayHaveItem(context, itemRef)) continue
    // It fails if the item is about to be created again.
    const isDeleted = await records.delete(key, version)
    // The writer of an item looks for its record afterwards, and this looks for the item after the
    // record was deleted: one of them sees the other, even if the version of a record recurs.
    if (isDeleted && (await mayHaveItem(context, itemRef))) {
      const unknown = unknownMembersOf(recordSchema, listed)
      await putRecord(context, key, listed, { version: 0, unknown })
    }
  }
}

/** Returns false only if no item is stored. */
async function mayHaveItem({ store }: Context, ref: ItemRef): Promise<boolean> {
  try {
    return isItemRecord(await store.records.get(itemKey(ref)))
  } catch (error) {
    if (isUnreadableError(error, itemKey(ref))) return true
    throw error
  }
}
