/** An activity log in a store. */

import { anyStore, assertKnown, assertLike } from '../base/assert-argument.js'
import type { ActivityLog } from '../core/activity-log.js'
import { scanRecords } from '../core/records/list-records.js'
import { decodeText, parseStored } from '../core/records/stored-json.js'
import { createStoreGuard, guardStore } from '../core/runtime/guard-store.js'
import { createRandomBytes, newId } from '../core/runtime/random.js'
import { ConflictError } from '../errors.js'
import type { RecordStore, VaultStore } from '../store.js'
import { createActivityLog } from './activity-logs.js'
import { recordedEntrySchema } from './list-entries.js'
import {
  logCollection as collection,
  logRecordId,
  markPruned,
  timeKey,
  timeOfId,
  toLogRecord,
} from './log-records.js'

const maxPrunedPerWrite = 8
/** Entries are kept for this time at least, for `watchChanges`. */
const minKeptMs = 600_000
const maxMarkStepMs = 3_600_000

/**
 * Creates a log in the collection `activity` of a store. The store can be the vault's own, or an
 * encrypted one. Entries are written once and never changed. Each new entry deletes up to 8 entries
 * that are older than `maxAgeMs`, and than ten minutes: `watchChanges` needs them.
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
  const keptMs = Math.max(maxAgeMs, minKeptMs)
  const context = { store: guardStore(store, createStoreGuard(options.storeTimeoutMs)) }
  const { records } = context.store
  const randomBytes = createRandomBytes()
  let count = 0
  let prunedUntil = 0
  let clockLeadMs: Promise<number> | undefined
  /** No entry counts as old then. The next call of `record` tries again. */
  const onUnknownLead = (): number => {
    clockLeadMs = undefined
    return Number.POSITIVE_INFINITY
  }
  /** Deletes entries that are older than `minTime`, at most 8. */
  async function pruneEntries(minTime: number): Promise<void> {
    const page = { after: timeKey(minTime), limit: maxPrunedPerWrite }
    const old = await records.list(collection, page)
    if (old.length > 0 && minTime > prunedUntil) {
      // Some time ahead, so that it is not written with every entry.
      const until = Math.ceil(minTime + Math.min(keptMs / 16, maxMarkStepMs))
      if (!(await markPruned(records, until))) return
      prunedUntil = until
    }
    await Promise.all(old.map(({ id, version }) => records.delete({ collection, id }, version)))
  }
  return createActivityLog({
    async record(entry) {
      const time = Date.parse(entry.timestamp)
      const id = logRecordId(time, count++, newId(randomBytes))
      if (keptMs < time) clockLeadMs ??= loadClockLead(records, time).catch(onUnknownLead)
      const referenceTime = time - ((await clockLeadMs) ?? 0)
      if (!(await records.put({ collection, id }, toLogRecord(entry), 0)))
        throw new ConflictError('the activity entry already exists')
      if (keptMs < referenceTime) await pruneEntries(referenceTime - keptMs).catch(() => {})
    },
    async *entries() {
      for await (const { body } of scanRecords(context, collection))
        yield parseStored(recordedEntrySchema, decodeText(body))
    },
  })
}

/**
 * Returns by how many milliseconds `time` is ahead of the newest entry; 0 if it is not, or if the
 * log is empty.
 */
async function loadClockLead(records: RecordStore, time: number): Promise<number> {
  const [newest] = await records.list(collection, { limit: 1 })
  if (newest === undefined) return 0
  return Math.max(0, time - timeOfId(newest.id))
}
