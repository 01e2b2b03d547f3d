/**
 * Pending-blob records list blobs of an item that are about to be written or deleted. A record is
 * written before the first of its blobs is touched, and deleted after the last, so that everything
 * a crash leaves behind can be found.
 */

import { batchesOf, settleAll } from '../../base/batches.js'
import { collectionOf, pendingBlobRecords } from '../../base/stored-records.js'
import { ConflictError } from '../../errors.js'
import { type ItemRef, idSchema } from '../../schema/ids.js'
import * as z from '../../schema/zod.js'
import type { ListedRecord, RecordKey } from '../../store.js'
import type { Context } from '../runtime/context.js'
import { newId } from '../runtime/random.js'
import {
  decodeText,
  encodeText,
  parseRecord,
  parseStored,
  unknownMembersOf,
} from './stored-json.js'

/** A pending-blob record. */
export interface PendingBlobs extends ItemRef {
  readonly blobIds: readonly string[]
  /**
   * When its writer was last active, by the writer's clock. It may have been stored as an invalid
   * date.
   */
  readonly since: Date
  /**
   * Set after garbage collection. The item never refers to the blobs, but a paused writer may still
   * write them.
   */
  readonly collected?: true
  /** Members that a later version of this library has written. */
  readonly unknown?: object
  readonly key: RecordKey
  readonly version: number
}

const pendingBlobsSchema = z.object({
  itemId: idSchema,
  blobIds: z.array(z.string()),
  since: z.string(),
  collected: z.exactOptional(z.literal(true)),
})

const maxConcurrentDeletes = 32

function pendingKey(vaultId: string, id: string): RecordKey {
  return { collection: collectionOf(pendingBlobRecords, vaultId), id }
}

/**
 * Writes a record that these blobs of the item are about to be written or deleted.
 * @throws ConflictError if the random source repeats an id.
 */
export async function recordPendingBlobs(
  context: Context,
  { vaultId, itemId }: ItemRef,
  blobIds: readonly string[],
): Promise<PendingBlobs> {
  const key = pendingKey(vaultId, newId(context.randomBytes))
  const pending = await renewPendingBlobs(context, { vaultId, itemId, blobIds, key, version: 0 })
  if (pending === undefined) throw new ConflictError('the pending-blob record already exists')
  return pending
}

/**
 * Writes the record again, with the current time. Returns undefined if another process has changed
 * or deleted it.
 */
export async function renewPendingBlobs(
  context: Context,
  pending: Omit<PendingBlobs, 'since'>,
): Promise<PendingBlobs | undefined> {
  const since = context.now()
  const { itemId, blobIds, collected, key, version, unknown } = pending
  const stored = { itemId, blobIds, since: since.toISOString(), collected, ...unknown }
  const body = encodeText(JSON.stringify(stored))
  const isWritten = await context.store.records.put(key, { body }, version)
  return isWritten ? { ...pending, since, version: version + 1 } : undefined
}

/**
 * Deletes the record when its blobs need no more attention. If it cannot be deleted, it is
 * collected later.
 */
export async function clearPendingBlobs(
  context: Context,
  { key, version }: PendingBlobs,
): Promise<void> {
  await context.store.records.delete(key, version).catch(() => false)
}

/**
 * Deletes the record for its writer, when the item refers to the blobs or they are deleted, even if
 * garbage collection has changed the record in between.
 */
export async function dropPendingBlobs(
  context: Context,
  { key, version }: PendingBlobs,
): Promise<void> {
  const { records } = context.store
  try {
    let expectedVersion: number | undefined = version
    // Garbage collection writes the record at most twice in between.
    for (let attempts = 0; expectedVersion !== undefined && attempts < 3; attempts++) {
      if (await records.delete(key, expectedVersion)) return
      expectedVersion = (await records.get(key))?.version
    }
  } catch {}
}

/**
 * Deletes the blobs of the record, waits for the other deletions, and deletes the record. Failures
 * are not reported, because the record is then kept, and `collectGarbage` finds it.
 */
export async function deletePendingBlobs(
  context: Context,
  pending: PendingBlobs,
  ...others: readonly Promise<unknown>[]
): Promise<void> {
  const deleted = deleteBlobs(context, pending.vaultId, pending.blobIds)
  const outcomes = await Promise.allSettled([...others, deleted])
  if (outcomes.every(({ status }) => status === 'fulfilled'))
    await dropPendingBlobs(context, pending)
}

/**
 * Deletes blobs, up to 32 concurrently, and returns their number. Ids that do not begin with the
 * vault's id are skipped, so that a manipulated record cannot reach another vault's blobs.
 */
export async function deleteBlobs(
  { store }: Pick<Context, 'store'>,
  vaultId: string,
  blobIds: readonly string[],
): Promise<number> {
  const own = blobIds.filter((id) => id.startsWith(`${vaultId}/`))
  for (const batch of batchesOf(own, maxConcurrentDeletes))
    await settleAll(batch.map((id) => store.blobs.delete(id)))
  return own.length
}

/**
 * Parses a pending-blob record of this vault.
 * @throws DecryptionError with `record` if it is unreadable.
 */
export function parsePendingBlobs(vaultId: string, record: ListedRecord): PendingBlobs {
  const { id, version } = record
  const key = pendingKey(vaultId, id)
  const stored = parseRecord(key, record, (body) =>
    parseStored(pendingBlobsSchema, decodeText(body)),
  )
  const { itemId, blobIds, since, collected } = stored
  return {
    ...{ vaultId, itemId, blobIds, since: new Date(since), key, version },
    ...(collected && { collected }),
    unknown: unknownMembersOf(pendingBlobsSchema, stored),
  }
}
