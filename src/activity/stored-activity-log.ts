/** An activity log in a store. */

import { anyStore, like, limit, readArgument } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { activityRecords, healthCheckRecords, toIndexedRecord } from '../base/stored-records.js'
import { scanRecords } from '../core/records/list-records.js'
import { decodeText, encodeText, parseRecord, parseStored } from '../core/records/stored-json.js'
import type {
  ActivityEntriesOptions,
  ActivityLog,
  OpenableLog,
} from '../core/runtime/activity-log.js'
import { createStoreGuard, guardStore, storeTimeoutMs } from '../core/runtime/guard-store.js'
import { skipUnreadable, type UnreadableError } from '../core/runtime/report-unreadable.js'
import { ConflictError, StorageError } from '../errors.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import type { ListedRecord, RecordInput, RecordQuery, RecordStore, VaultStore } from '../store.js'
import { createOpenableLog } from './activity-logs.js'
import { positionOf, startPosition, timeOf, timePosition } from './entry-position.js'
import { recordedEntrySchema } from './list-entries.js'

const { collection } = activityRecords
const maxPageSize = 500
const maxPrunedPerWrite = 8
/** After a successful health check, the next one within this time does not write. */
const minCheckPauseMs = 10_000

/** Options of `createStoredActivityLog`. */
export interface StoredActivityLogOptions {
  /**
   * How long entries are kept, in milliseconds: 3,600,000 (an hour) or more. Default: Infinity, so
   * entries are never deleted.
   */
  readonly maxAgeMs?: number | undefined
  /**
   * How long a call to the store may take, in milliseconds: 1 or more, or Infinity for no timeout.
   * Default: 30,000.
   */
  readonly storeTimeoutMs?: number | undefined
}

const storedLogOptions = defineOptions({
  maxAgeMs: optional(limit({ unit: 'milliseconds', min: 3_600_000 }), Number.POSITIVE_INFINITY),
  storeTimeoutMs,
} satisfies OptionKinds<StoredActivityLogOptions>)

/**
 * Creates a log in the collection `activity` of a store. The store can be the vault's own store,
 * even an encrypted one. The id of an entry's record is derived from its time, its `requestId` and
 * its item, so both writes of a change's entry use the same id.
 *
 * Each new entry deletes up to 8 entries that are older than `maxAgeMs`. The recording service's
 * clock measures their age. If that clock was ahead of the newest stored entry when the log
 * recorded its first one, the difference is subtracted. So a host whose clock is ahead does not
 * delete the entries of other hosts, unless the log was empty or its newest entry had a future
 * time.
 * @throws TypeError if `store` is not a store, or `options` is not an object.
 * @throws RangeError if `maxAgeMs` or `storeTimeoutMs` is out of range.
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createStoredActivityLog } from 'cofferkit/activity'
 *
 * const activity = createStoredActivityLog(store, { maxAgeMs: 90 * 24 * 3_600_000 })
 * const service = createVaultService({ store, activity })
 * ```
 */
export function createStoredActivityLog(
  store: VaultStore,
  options: StoredActivityLogOptions = {},
): ActivityLog {
  readArgument(like(anyStore), { store, options })
  const { maxAgeMs, storeTimeoutMs } = storedLogOptions.read(options)
  const context = { store: guardStore(store, createStoreGuard(storeTimeoutMs)) }
  const { records } = context.store
  let clockLeadMs: Promise<number> | undefined
  /** No entry counts as old in that case. The next call of `record` tries again. */
  const onUnknownLead = (): number => {
    clockLeadMs = undefined
    return Number.POSITIVE_INFINITY
  }
  const log = createOpenableLog({
    async record(entry, pending) {
      const time = Date.parse(entry.timestamp)
      const record = toRecord(entry)
      const isNew = pending === undefined
      if (isNew && maxAgeMs < time)
        clockLeadMs ??= loadClockLead(records, time).catch(onUnknownLead)
      const referenceTime = time - ((await clockLeadMs) ?? 0)
      if (!(await records.put({ collection, id: positionOf(entry) }, record, isNew ? 0 : 1)))
        throw otherOutcomeError()
      if (isNew && maxAgeMs < referenceTime)
        await pruneEntries(records, referenceTime - maxAgeMs).catch(() => {})
    },
    async *entries(query = {}) {
      const { onUnreadable } = query
      const reportUnreadable = (error: UnreadableError): void => {
        if (onUnreadable === undefined) throw error
        onUnreadable(error)
      }
      for await (const record of joinHalves(scanRecords(context, collection, toPage(query)))) {
        const key = { collection, id: record.id }
        const entry = await skipUnreadable({ reportUnreadable }, key, async () =>
          parseRecord(key, record, parseEntry),
        )
        if (entry !== undefined) yield entry
      }
    },
  })
  const stored: OpenableLog = {
    ...log,
    checkHealth: createHealthCheck(records),
    async recordIn({ store: inTransaction, outside }, entry) {
      if (outside !== store.records) return
      // Do not overwrite the pending entry, because a transaction may not see what was written
      // since it began.
      const key = { collection, id: secondHalfOf(positionOf(entry)) }
      if (!(await inTransaction.records.put(key, toRecord(entry), 0))) throw otherOutcomeError()
    },
  }
  return stored
}

/**
 * Returns a function that writes, reads and deletes a record of this process. After a success, it
 * does so at most once in 10 s.
 */
function createHealthCheck(records: RecordStore): () => Promise<void> {
  const key = { collection: healthCheckRecords.collection, id: crypto.randomUUID() }
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined
  const check = async (): Promise<void> => {
    const startedAt = performance.now()
    // Removes a record that a failed check left behind.
    const before = (await records.get(key))?.version ?? 0
    const isWritten = await records.put(key, { body: encodeText('{}') }, before)
    const stored = await records.get(key)
    if (!isWritten || stored?.version !== before + 1) throw lostRecordError()
    await records.delete(key, stored.version)
    checkedAt = startedAt
  }
  return async () => {
    if (performance.now() - checkedAt < minCheckPauseMs) return
    checking ??= check().finally(() => {
      checking = undefined
    })
    await checking
  }
}

function lostRecordError(): StorageError {
  return new StorageError('the store of the activity log does not return what was written')
}

/** Returns the record of an entry. */
function toRecord(entry: ActivityEntry): RecordInput {
  return toIndexedRecord(activityRecords, encodeText(JSON.stringify(entry)), entry)
}

/**
 * Returns the id of the record with the outcome of a change in the application's transaction. It
 * sorts directly after the pending entry's id.
 */
function secondHalfOf(id: string): string {
  return `${id}!`
}

function otherOutcomeError(): ConflictError {
  return new ConflictError('the activity entry already has another outcome')
}

function parseEntry(body: Uint8Array): ActivityEntry {
  return parseStored(recordedEntrySchema, decodeText(body))
}

/**
 * Returns the first page of the records that match a query. It has one more record, for
 * `joinHalves`.
 */
function toPage({ vaultId, pageSize, ...query }: ActivityEntriesOptions): Partial<RecordQuery> {
  const start = startPosition(query)
  return {
    ...(pageSize !== undefined && { limit: Math.min(pageSize + 1, maxPageSize) }),
    ...(vaultId !== undefined && { indexKey: vaultId }),
    ...(start !== '' && { after: start }),
  }
}

/** Yields the records, except pending ones whose outcome is in the next record. */
async function* joinHalves(records: AsyncIterable<ListedRecord>): AsyncGenerator<ListedRecord> {
  let first: ListedRecord | undefined
  for await (const record of records) {
    if (first !== undefined && record.id !== secondHalfOf(first.id)) yield first
    first = record
  }
  if (first !== undefined) yield first
}

/**
 * Returns how many milliseconds `time` is ahead of the newest entry, or 0 if it is not ahead or the
 * log is empty.
 */
async function loadClockLead(records: RecordStore, time: number): Promise<number> {
  const [newest] = await records.list(collection, { limit: 1 })
  return newest === undefined ? 0 : Math.max(0, time - timeOf(newest.id))
}

/**
 * Deletes the records of entries that are older than `minTime`, at most 8. Second halves are
 * deleted last, so that the outcome of an entry is never lost before the rest of it.
 */
async function pruneEntries(records: RecordStore, minTime: number): Promise<void> {
  const page = { after: timePosition(minTime), limit: maxPrunedPerWrite }
  const old = await records.list(collection, page)
  const isSecondHalf = ({ id }: ListedRecord): boolean => id.endsWith(secondHalfOf(''))
  for (const half of [old.filter((record) => !isSecondHalf(record)), old.filter(isSecondHalf)])
    await Promise.all(half.map(({ id, version }) => records.delete({ collection, id }, version)))
}
