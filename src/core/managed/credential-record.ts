/**
 * The records that list the credentials of a vault, so that a list reads no other items. The
 * credential's item is the source of truth. The record is written before the item, so each
 * credential has one. A record without an item means nothing, and `collectGarbage` deletes it.
 */

import { collectionOf, credentialRecords, toIndexedRecord } from '../../base/stored-records.js'
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

/** The provider's verdict on the values of a credential. */
export type VerifiedStatus = 'ok' | 'rejected' | 'unverified'

/** A credential that is listed. */
export interface ListedCredential {
  readonly name: string
  readonly account?: string | undefined
  /** The status of its item, or `rejected`. */
  readonly status: VerifiedStatus
}

const recordSchema = z.object({
  name: z.string(),
  account: z.exactOptional(z.string()),
  status: z.enum(['ok', 'rejected', 'unverified']),
  /** When its item was about to be created or rejected. */
  since: z.iso.datetime(),
})

/** Returns the key of a credential's record. Its id is that of the credential's item. */
function recordKey({ vaultId, itemId }: ItemRef): RecordKey {
  return { collection: collectionOf(credentialRecords, vaultId), id: itemId }
}

/**
 * Runs `write`, which writes the item of a credential. If the item is new or rejected, the record
 * is written first, because no process may find the item without the record. Otherwise it is
 * written after the item, if its status changes.
 * @throws ConflictError if concurrent writers won every attempt to write the record.
 */
export async function withCredentialRecord(
  context: Context,
  ref: ItemRef,
  credential: ListedCredential,
  isNew: boolean,
  write: () => Promise<boolean>,
): Promise<boolean> {
  const key = recordKey(ref)
  const stored = await readRecord(context, key)
  const isFirst = isNew || stored.status === undefined || credential.status === 'rejected'
  if (isFirst) await putInTurn(context, key, credential, stored)
  const isWritten = await write()
  /** Makes the record equal to the item, which has been written. */
  const follow = async (): Promise<void> => {
    if (isFirst) {
      // If a process pauses for an hour before it writes the item, `collectGarbage` deletes its
      // record. Another writer's record is kept.
      const now = await readRecord(context, key)
      if (now.version === 0) await putRecord(context, key, credential, now)
    } else if (stored.status !== credential.status) {
      // This write is refused if another process has rejected the credential meanwhile.
      await putRecord(context, key, credential, stored)
    }
  }
  if (isWritten) await follow().catch(() => {})
  return isWritten
}

/**
 * A record as it is stored. If there is none, its version is 0. If it is unreadable, only its
 * version is set.
 */
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
  const body = encodeText(JSON.stringify(record))
  return store.records.put(key, toIndexedRecord(credentialRecords, body, record), version)
}

/** Writes the record over the changes of other processes. @throws ConflictError */
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

/** A record of a list. If it is unreadable, `credential` is undefined, and the operator is told. */
export interface FoundRecord {
  readonly itemId: string
  readonly credential: ListedCredential | undefined
}

/**
 * Yields the records of a vault, in ascending order of their items' ids: all, or only those of
 * rejected credentials.
 */
export async function* scanCredentials(
  context: Context,
  vaultId: string,
  status: 'rejected' | undefined,
): AsyncGenerator<FoundRecord> {
  const collection = collectionOf(credentialRecords, vaultId)
  const query = status && { indexKey: status }
  for await (const record of scanRecords(context, collection, query)) {
    const itemId = record.id
    try {
      yield { itemId, credential: parseRecord({ collection, id: itemId }, record, parseBody) }
    } catch (error) {
      if (!isUnreadableError(error)) throw error
      // Only the operator is told, because the credential is left out only if its item is
      // unreadable as well.
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
  const collection = collectionOf(credentialRecords, vaultId)
  for await (const record of scanRecords(context, collection)) {
    const { id, version } = record
    const key = { collection, id }
    const listed = await skipUnreadable({ reportUnreadable }, key, async () =>
      parseRecord(key, record, parseBody),
    )
    if (listed === undefined) continue
    // A date far in the future comes from a wrong clock.
    if (Math.abs(context.now().getTime() - Date.parse(listed.since)) < minAgeMs) continue
    const itemRef = { vaultId, itemId: id }
    if (await mayHaveItem(context, itemRef)) continue
    // This fails if the item is about to be created again.
    const isDeleted = await records.delete(key, version)
    // The writer of an item looks for its record afterwards, and this looks for the item after
    // deleting the record. So one of them sees the other, even if a version of the record recurs.
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
