/**
 * The records that list the credentials of a vault, so that a list reads no other items. A record
 * says that there is a credential, with its name and account. Everything else is in the item.
 *
 * Each item that `save` has created has its record, even if a process dies or pauses anywhere:
 * - Before `save` creates an item, it reads what the item replaces, and then writes the record. It
 *   also writes a record that exists, so that the record has a new version.
 * - `collectGarbage` reads a record without an item. Then it writes the next tombstone of the item,
 *   so a process that has read the item before cannot create it. Then it replaces the record that
 *   it has read. If the record has a new version, a process is about to create the item, and the
 *   record is kept.
 * - Until its vault is deleted, a record is replaced by a tombstone and never deleted, so that no
 *   version occurs twice.
 *
 * A record without an item means nothing. It is left behind if `save` dies before it writes the
 * item, or if the item is deleted. The next `save` uses it again, or `collectGarbage` replaces it.
 */

import {
  collectionOf,
  credentialRecords,
  isTombstone,
  itemRecords,
} from '../../base/stored-records.js'
import type { RecordedCredential } from '../../schema/activity-entry.js'
import type { ItemRef } from '../../schema/ids.js'
import * as z from '../../schema/zod.js'
import type { RecordKey } from '../../store.js'
import { isItemRecord, itemKey } from '../records/item-record.js'
import { scanRecords } from '../records/list-records.js'
import { decodeText, encodeText, parseRecord, parseStored } from '../records/stored-json.js'
import type { Context } from '../runtime/context.js'
import {
  isUnreadableError,
  skipUnreadable,
  type UnreadableReports,
} from '../runtime/report-unreadable.js'

const recordSchema = z.object({ name: z.string(), account: z.exactOptional(z.string()) })

/** Returns the key of a credential's record. Its id is that of the credential's item. */
function recordKey({ vaultId, itemId }: ItemRef): RecordKey {
  return { collection: collectionOf(credentialRecords, vaultId), id: itemId }
}

function parseBody(body: Uint8Array): RecordedCredential {
  return parseStored(recordSchema, decodeText(body))
}

/**
 * Writes the record of a credential whose item is about to be written. If the item exists, a record
 * is only written if it is missing or unreadable.
 * @returns False if a concurrent writer won.
 */
export async function putCredentialRecord(
  context: Context,
  ref: ItemRef,
  { name, account }: RecordedCredential,
  { isNew }: { readonly isNew: boolean },
): Promise<boolean> {
  const key = recordKey(ref)
  const { version, body } = await findRecord(context, key)
  if (body !== undefined && !isNew) return true
  const record = { body: body ?? encodeText(JSON.stringify({ name, account })) }
  return context.store.records.put(key, record, version)
}

/** Returns the version of a record, or 0, and its body if that is readable and not a tombstone. */
async function findRecord(
  { store }: Context,
  key: RecordKey,
): Promise<{ readonly version: number; readonly body?: Uint8Array }> {
  try {
    const record = await store.records.get(key)
    if (record === undefined) return { version: 0 }
    if (isTombstone(credentialRecords, key.id, record.body)) return { version: record.version }
    parseRecord(key, record, parseBody)
    return record
  } catch (error) {
    if (!isUnreadableError(error, key)) throw error
    return { version: error.record.version }
  }
}

/** A record of a list. If it is unreadable, `credential` is undefined, and the operator is told. */
export interface FoundRecord {
  readonly itemId: string
  readonly credential: RecordedCredential | undefined
}

/** Yields the records of a vault, in ascending order of their items' ids. */
export async function* scanCredentials(
  context: Context,
  vaultId: string,
): AsyncGenerator<FoundRecord> {
  const collection = collectionOf(credentialRecords, vaultId)
  for await (const record of scanRecords(context, collection)) {
    if (isTombstone(credentialRecords, record.id, record.body)) continue
    const key = { collection, id: record.id }
    // Only the operator is told, because the credential is left out only if its item is unreadable
    // as well.
    const credential = await skipUnreadable(context, key, async () =>
      parseRecord(key, record, parseBody),
    )
    yield { itemId: record.id, credential }
  }
}

/**
 * Replaces the records whose items do not exist with tombstones. If an item is unreadable, it is
 * reported, and its record is kept.
 */
export async function collectCredentialRecords(
  { context, reportUnreadable }: UnreadableReports & { readonly context: Context },
  vaultId: string,
): Promise<void> {
  const { records } = context.store
  const collection = collectionOf(credentialRecords, vaultId)
  for await (const record of scanRecords(context, collection)) {
    if (isTombstone(credentialRecords, record.id, record.body)) continue
    const { id, version } = record
    const key = itemKey({ vaultId, itemId: id })
    await skipUnreadable({ reportUnreadable }, key, async () => {
      const stored = await records.get(key)
      const itemVersion = stored?.version ?? 0
      if (isItemRecord(stored)) return
      const isFenced = await records.put(key, { body: itemRecords.tombstoneOf() }, itemVersion)
      if (isFenced)
        await records.put({ collection, id }, { body: credentialRecords.tombstoneOf() }, version)
    })
  }
}
