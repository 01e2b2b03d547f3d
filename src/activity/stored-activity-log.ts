/** An activity log in a store. */

import { anyStore, assertKnown, assertLike } from '../base/assert-argument.js'
import { scanRecords } from '../core/records/list-records.js'
import { decodeText, encodeText, parseRecord, parseStored } from '../core/records/stored-json.js'
import type { ActivityLog } from '../core/runtime/activity-log.js'
import { createStoreGuard, guardStore } from '../core/runtime/guard-store.js'
import { createRandomBytes, newId } from '../core/runtime/random.js'
import { skipUnreadable, type UnreadableError } from '../core/runtime/report-unreadable.js'
import { ConflictError } from '../errors.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import type { RecordStore, VaultStore } from '../store.js'
import { createActivityLog } from './activity-logs.js'
import { recordedEntrySchema } from './list-entries.js'

const collection = 'activity'
const maxTimestamp = 9_999_999_999_999
const maxCount = 9_999_999
const maxPrunedPerWrite = 8

/**
 * Creates a log in the collection `activity` of a store. The store can be the vault's own, or an
 * encrypted one. Entries are written once and never changed. Each new entry deletes up to 8 entries
 * that are older than `maxAgeMs`.
 *
 * The age of entries is measured by the clock of the service that records. If that clock was ahead
 * of the newest stored entry when the log recorded its first one, the difference is subtracted. So
 * a host whose clock is ahead does not delete entries that other hosts have recorded, unless the log
 * was empty or its newest entry had a future time.
 * @throws TypeError if `store` is not a store, or `options` is not an object.
 * @throws RangeError if `maxAgeMs` or `storeTimeoutMs` is not greater than 0.
 */
export function createStoredActivityLog(
  store: VaultStore,
  options: {
    /** The age from which entries are deleted; they are never deleted if absent. */
    readonly maxAgeMs?: number
    /** The time after which a call of the store fails, or Infinity; 30,000 if absent. */
    readonly storeTimeoutMs?: number
  } = {},
): ActivityLog {
  assertLike(store, anyStore, 'store')
  assertKnown<typeof options>(options, { maxAgeMs: true, storeTimeoutMs: true })
  const { maxAgeMs = Number.POSITIVE_INFINITY } = options
  if (!(maxAgeMs > 0)) throw new RangeError('maxAgeMs must be greater than 0')
  const context = { store: guardStore(store, createStoreGuard(options.storeTimeoutMs)) }
  const { records } = context.store
  const randomBytes = createRandomBytes()
  let count = 0
  let clockLeadMs: Promise<number> | undefined
  /** No entry counts as old then. The next call of `record` tries again. */
  const onUnknownLead = (): number => {
    clockLeadMs = undefined
    return Number.POSITIVE_INFINITY
  }
  return createActivityLog({
    async record(entry) {
      const time = Date.parse(entry.timestamp)
      const id = `${timeKey(time)}.${descendingKey(count++, maxCount)}.${newId(randomBytes)}`
      const body = encodeText(JSON.stringify(entry))
      if (maxAgeMs < time) clockLeadMs ??= loadClockLead(records, time).catch(onUnknownLead)
      const referenceTime = time - ((await clockLeadMs) ?? 0)
      if (!(await records.put({ collection, id }, { body }, 0)))
        throw new ConflictError('the activity entry already exists')
      if (maxAgeMs < referenceTime)
        await pruneEntries(records, referenceTime - maxAgeMs).catch(() => {})
    },
    async *entries({ onUnreadable } = {}) {
      const reportUnreadable = (error: UnreadableError): void => {
        if (onUnreadable === undefined) throw error
        onUnreadable(error)
      }
      for await (const record of scanRecords(context, collection)) {
        const key = { collection, id: record.id }
        const entry = await skipUnreadable({ reportUnreadable }, key, async () =>
          parseRecord(key, record, parseEntry),
        )
        if (entry !== undefined) yield entry
      }
    },
  })
}

function parseEntry(body: Uint8Array): ActivityEntry {
  return parseStored(recordedEntrySchema, decodeText(body))
}

/** The prefix of the ids of a time's entries. Later times have smaller ones, and come first. */
function timeKey(time: number): string {
  return descendingKey(time, maxTimestamp)
}

/**
 * The key of a number from 0 to `max`; it wraps around after that. Greater numbers have smaller
 * keys.
 */
function descendingKey(count: number, max: number): string {
  return String(max - (count % (max + 1))).padStart(String(max).length, '0')
}

/**
 * Returns by how many milliseconds `time` is ahead of the newest entry; 0 if it is not, or if the
 * log is empty.
 */
async function loadClockLead(records: RecordStore, time: number): Promise<number> {
  const [newest] = await records.list(collection, { limit: 1 })
  if (newest === undefined) return 0
  const newestTime = maxTimestamp - Number(newest.id.slice(0, timeKey(0).length))
  return Math.max(0, time - newestTime)
}

/** Deletes entries that are older than `minTime`, at most 8. */
async function pruneEntries(records: RecordStore, minTime: number): Promise<void> {
  const page = { after: timeKey(minTime), limit: maxPrunedPerWrite }
  const old = await records.list(collection, page)
  await Promise.all(old.map(({ id, version }) => records.delete({ collection, id }, version)))
}
