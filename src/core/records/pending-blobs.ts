/**
 * Notes that contents of an item are about to come or to go. A note is there before the first of them is touched and
 * goes after the last, so that whatever a crash leaves behind is found again.
 */

import * as z from 'zod/mini'
import { ConflictError } from '../../errors.js'
import { type ItemRef, idSchema } from '../../schema/ids.js'
import type { ListedRecord, RecordKey } from '../../store.js'
import type { Context } from '../runtime/context.js'
import { newId } from '../runtime/random.js'
import { decodeText, encodeText, parseStored } from './stored-json.js'

/** A note as it is stored. */
export interface PendingBlobs extends ItemRef {
  readonly blobIds: readonly string[]
  /** When its writer was last known to be at work, by the writer's clock; an invalid date if that was written. */
  readonly since: Date
  /** The item does not name the contents and never will, but a paused writer may still store them. */
  readonly swept?: true
  readonly key: RecordKey
  readonly version: number
}

const markSchema = z.object({
  itemId: idSchema,
  blobIds: z.array(z.string()),
  since: z.string(),
  swept: z.exactOptional(z.literal(true)),
})

const maxDeletesAtOnce = 32

/** The collection of a vault's notes. */
export function markCollection(vaultId: string): string {
  return `marks/${vaultId}`
}

/**
 * Notes that these contents of the item come or go from now on.
 * @throws ConflictError if the random source repeats an id.
 */
export async function recordPendingBlobs(
  context: Context,
  { vaultId, itemId }: ItemRef,
  blobIds: readonly string[],
): Promise<PendingBlobs> {
  const key = { collection: markCollection(vaultId), id: newId(context.randomBytes) }
  const pending = await renewPendingBlobs(context, { vaultId, itemId, blobIds, key, version: 0 })
  if (pending === undefined) throw new ConflictError('there is a note of this id already')
  return pending
}

/** Notes that somebody is still at work, from now on; undefined if somebody else has taken the note. */
export async function renewPendingBlobs(
  context: Context,
  pending: Omit<PendingBlobs, 'since'>,
): Promise<PendingBlobs | undefined> {
  const since = context.now()
  const { itemId, blobIds, swept, key, version } = pending
  const body = encodeText(JSON.stringify({ itemId, blobIds, since: since.toISOString(), swept }))
  const isMine = await context.store.records.put(key, { body }, version)
  return isMine ? { ...pending, since, version: version + 1 } : undefined
}

/** Forgets the note, when everything that it speaks of is done. A note that stays is found later. */
export async function clearPendingBlobs(
  context: Context,
  { key, version }: PendingBlobs,
): Promise<void> {
  await context.store.records.delete(key, version).catch(() => false)
}

/** The same, for the writer of the note when its contents are gone: a sweep that has taken the note has nothing left to do. */
export async function dropMark(context: Context, { key, version }: PendingBlobs): Promise<void> {
  const { records } = context.store
  try {
    let seen: number | undefined = version
    // A sweep writes the note twice at most while it removes the contents as well.
    for (let tries = 0; seen !== undefined && tries < 3; tries++) {
      if (await records.delete(key, seen)) return
      seen = (await records.get(key))?.version
    }
  } catch {}
}

/**
 * Removes the contents that the note speaks of, waits for whatever else is to go with them, and forgets the note. What
 * fails is no error: the note stays, and `collectGarbage` finds it.
 */
export async function deletePendingBlobs(
  context: Context,
  pending: PendingBlobs,
  ...others: readonly Promise<unknown>[]
): Promise<void> {
  const contents = deleteBlobs(context, pending.vaultId, pending.blobIds)
  const outcomes = await Promise.allSettled([...others, contents])
  if (outcomes.every(({ status }) => status === 'fulfilled')) await dropMark(context, pending)
}

/**
 * Removes contents, a few at a time, and resolves with how many. Ids that do not begin with the vault's are passed
 * over: a pending record that was tampered with must not reach the contents of another vault.
 */
export async function deleteBlobs(
  { store }: Pick<Context, 'store'>,
  vaultId: string,
  blobIds: readonly string[],
): Promise<number> {
  const own = blobIds.filter((id) => id.startsWith(`${vaultId}/`))
  for (let start = 0; start < own.length; start += maxDeletesAtOnce) {
    const batch = own.slice(start, start + maxDeletesAtOnce)
    await Promise.all(batch.map((id) => store.blobs.delete(id)))
  }
  return own.length
}

/** The note that a record holds. @throws StorageError if no vault wrote it. */
export function parsePendingBlobs(
  vaultId: string,
  { id, version, body }: ListedRecord,
): PendingBlobs {
  const { since, ...pending } = parseStored(markSchema, decodeText(body))
  const key = { collection: markCollection(vaultId), id }
  return { ...pending, vaultId, since: new Date(since), key, version }
}
