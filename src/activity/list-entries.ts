/** Lists the entries of a log that a caller can see. */

import { createEntryFilter, escapeInvisible } from '../base/entry-filter.js'
import { createPacer } from '../base/pacer.js'
import type { Caller } from '../core/access/caller.js'
import type {
  ActivityEntriesOptions,
  ActivityListOptions,
  ActivityQuery,
  ActivityStorage,
} from '../core/runtime/activity-log.js'
import { toVaultError } from '../core/runtime/guard-store.js'
import { isUnreadableError, type UnreadableError } from '../core/runtime/report-unreadable.js'
import { type DecryptionError, type ErrorCode, StorageError } from '../errors.js'
import type { ActivityEntry, ActivityPage } from '../schema/activity-entry.js'
import { fileIdSchema, idSchema } from '../schema/ids.js'
import { matches } from '../schema/parse.js'
import { recordedUseSchema } from '../schema/secret-use.js'
import * as z from '../schema/zod.js'
import { positionOf } from './entry-position.js'

/**
 * The number of entries that are read for a page, besides those that are skipped or counted. A
 * stored log reads one more record, so it loads two pages of 500.
 */
const maxRead = 999
/** The minimum number of entries that a log loads at a time, even for a smaller page. */
const minPageSize = 50
/** The number of entries that are read for a count. */
const maxCounted = 10_000

/**
 * Returns a page of the entries that the caller can see, newest first. Unreadable entries are
 * reported and not counted, because their vaults are unknown.
 * @throws StorageError if the log fails or returns anything but entries.
 */
export async function listEntries(
  log: ActivityStorage,
  caller: Caller,
  input: ActivityQuery,
  { reportUnreadable }: ActivityListOptions,
): Promise<ActivityPage> {
  const { limit = 50, offset = 0, count = false } = input
  const maxEntries = count
    ? Math.max(maxCounted, offset + limit)
    : offset + Math.max(limit, maxRead)
  const isMatch = createEntryFilter(input)
  const isVisible = createVisibilityCheck(caller)
  const entries: ActivityEntry[] = []
  let read = 0
  let matched = 0
  /** The position of the last entry that belongs to the page, whether or not it is returned. */
  let position: string | undefined
  let isLast = true
  let isCounted = count
  for await (const entry of readEntries(log, input, maxEntries)) {
    if (count && read === maxEntries) {
      isLast = isCounted = false
      break
    }
    read++
    const isFull = entries.length === limit
    if (isUnreadableError(entry)) reportUnreadable(entry)
    else if (isMatch(entry) && (await isVisible(entry))) {
      matched++
      if (isFull) isLast = false
      else if (matched > offset) entries.push(entry)
    }
    if (!isFull) position = isUnreadableError(entry) ? entry.record.id : positionOf(entry)
    if (!count && (entries.length === limit || read === maxEntries)) {
      isLast = false
      break
    }
  }
  return {
    entries,
    ...(isCounted && matched <= maxCounted && { total: matched }),
    ...(!isLast && position !== undefined && { next: position }),
  }
}

/** The size in bytes that the pacer assumes for an entry. */
const entryBytes = 512

/**
 * Yields the entries from the page on that may match its filters, and an error for each unreadable
 * entry. It ends after `maxUnreadable` errors in a row.
 * @throws StorageError if the log fails or returns anything but entries.
 */
async function* readEntries(
  log: ActivityStorage,
  input: ActivityQuery,
  maxUnreadable: number,
): AsyncGenerator<ActivityEntry | UnreadableError> {
  const { after = '', since = '' } = input
  const sinceTime = Date.parse(since)
  const pace = createPacer()
  const unreadable: UnreadableError[] = []
  const onUnreadable = (error: DecryptionError): void => {
    if (isUnreadableError(error) && error.record.id > after) unreadable.push(error)
    if (unreadable.length === maxUnreadable) throw error
  }
  try {
    for await (const entry of log.entries({ ...toQuery(input), onUnreadable })) {
      yield* unreadable.splice(0)
      await pace(entryBytes)
      if (!matches(recordedEntrySchema, entry))
        throw new StorageError('the activity log contains an invalid entry')
      if (Date.parse(entry.timestamp) < sinceTime) return
      if (positionOf(entry) > after) yield entry
    }
  } catch (error) {
    if (unreadable.length < maxUnreadable) throw toVaultError(error, 'the activity log failed')
  }
  yield* unreadable
}

function toQuery(input: ActivityQuery): ActivityEntriesOptions {
  const { vaultId, since, until, after, limit = 50 } = input
  const { offset = 0, count, itemId, callerId, operation, result } = input
  const filters = [itemId, callerId, operation, result]
  const readsMore = count || offset > 0 || filters.some((filter) => filter !== undefined)
  const page = readsMore ? {} : { pageSize: Math.max(limit, minPageSize) }
  return { vaultId, since, until, after, ...page }
}

/**
 * Creates the check whether a caller can see an entry. Callers see the entries of vaults that they
 * can read, and their own entries without a vault. The permission is checked once per vault.
 */
function createVisibilityCheck(
  caller: Caller,
): (entry: ActivityEntry) => boolean | Promise<boolean> {
  const canReadByVault = new Map<string, boolean | Promise<boolean>>()
  return ({ actor, resource: { vault } }) => {
    if (vault === undefined) return actor.id === escapeInvisible(String(caller.id))
    const canRead =
      canReadByVault.get(vault.id) ?? isTrue(caller.can('read', vault.id, 'listActivity'))
    canReadByVault.set(vault.id, canRead)
    return canRead
  }
}

async function isTrue(value: boolean | Promise<boolean>): Promise<boolean> {
  return (await value) === true
}

/** Parses an `ActivityEntry`. */
export const recordedEntrySchema = z.object({
  requestId: z.guid(),
  clientRequestId: z.exactOptional(z.string()),
  omitted: z.exactOptional(z.int().check(z.gte(1))),
  timestamp: z.iso.datetime(),
  durationMs: z.exactOptional(z.int().check(z.gte(0))),
  operation: z.string(),
  action: z.enum(['READ', 'CREATE', 'UPDATE', 'DELETE']),
  result: z.enum(['PENDING', 'SUCCESS', 'DENY']),
  code: z.exactOptional(z.custom<ErrorCode>((code) => /^[A-Z_]{1,64}$/.test(String(code)))),
  actor: z.object({
    id: z.string(),
    jti: z.exactOptional(z.string()),
    userAgent: z.exactOptional(z.string()),
    requestIp: z.exactOptional(z.string()),
  }),
  use: z.exactOptional(recordedUseSchema),
  credential: z.exactOptional(z.object({ name: z.string(), account: z.exactOptional(z.string()) })),
  resource: z.object({
    type: z.enum(['ITEM', 'VAULT']),
    vault: z.exactOptional(z.object({ id: idSchema })),
    item: z.exactOptional(z.object({ id: idSchema })),
    file: z.exactOptional(z.object({ id: fileIdSchema })),
    itemVersion: z.exactOptional(z.int().check(z.gte(0))),
    vaultVersion: z.exactOptional(z.int().check(z.gte(1))),
  }),
})
