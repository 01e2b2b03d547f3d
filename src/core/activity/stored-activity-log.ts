/** Records the activity of a vault service in a store. */

import { ConflictError } from '../../errors.js'
import { recordedEntrySchema } from '../../schema/activity.js'
import type { RecordStore, VaultStore } from '../../store.js'
import { scanRecords } from '../records/list-records.js'
import { decodeText, encodeText, parseStored } from '../records/stored-json.js'
import { createStoreGuard, guardStore } from '../runtime/guard-store.js'
import { createRandomBytes, newId } from '../runtime/random.js'
import type { ActivityLog } from './activity-log.js'

const collection = 'activity'
const maxTimestamp = 9_999_999_999_999
const maxPrunedPerWrite = 8

/**
 * A log in the collection `activity` of a store, such as the vault's own; also an encrypted one. Entries are written
 * once and kept until they are `maxAgeMs` milliseconds old, for ever if it is absent: each new entry removes some older
 * ones. Their age is reckoned from the clock of the service or, if that is earlier, from the newest entry that the log
 * found when it recorded its first one and the time that has passed since then by the clock of the service. So a host
 * whose clock is ahead does not remove what others have recorded.
 * @throws RangeError if `maxAgeMs` or `storeTimeoutMs` is not greater than 0.
 */
export function createStoredActivityLog(
  store: VaultStore,
  options: {
    readonly maxAgeMs?: number
    /** Milliseconds until a call of the store that has not settled has failed, or Infinity; 30,000 if absent. */
    readonly storeTimeoutMs?: number
  } = {},
): ActivityLog {
  const { maxAgeMs = Number.POSITIVE_INFINITY } = options
  if (!(maxAgeMs > 0)) throw new RangeError('maxAgeMs must be greater than 0')
  const context = { store: guardStore(store, createStoreGuard(options.storeTimeoutMs)) }
  const { records } = context.store
  const randomBytes = createRandomBytes()
  let count = 0
  let ahead: Promise<number> | undefined
  /** Nothing is old then; the next entry looks again. */
  const notKnown = (): number => {
    ahead = undefined
    return Number.POSITIVE_INFINITY
  }
  return {
    async record(entry) {
      const time = Date.parse(entry.timestamp)
      const id = `${positionOf(time)}.${descendingKey(count++, 9_999_999)}.${newId(randomBytes)}`
      const body = encodeText(JSON.stringify(entry))
      if (maxAgeMs < time) ahead ??= millisecondsAhead(records, time).catch(notKnown)
      const reference = time - ((await ahead) ?? 0)
      if (!(await records.put({ collection, id }, { body }, 0)))
        throw new ConflictError('there is an entry of this id already')
      if (maxAgeMs < reference) await pruneEntries(records, reference - maxAgeMs).catch(() => {})
    },
    async *entries() {
      for await (const { body } of scanRecords(context, collection))
        yield parseStored(recordedEntrySchema, decodeText(body))
    },
  }
}

/** Ids ascend as time goes back: what a store lists first is what came last. */
function positionOf(time: number): string {
  return descendingKey(time, maxTimestamp)
}

function descendingKey(count: number, last: number): string {
  return String(last - (count % (last + 1))).padStart(String(last).length, '0')
}

/** By how much a time is ahead of the newest entry; 0 if it is not, or if there is no entry. */
async function millisecondsAhead(records: RecordStore, time: number): Promise<number> {
  const [newest] = await records.list(collection, { limit: 1 })
  if (newest === undefined) return 0
  const newestTime = maxTimestamp - Number(newest.id.slice(0, positionOf(0).length))
  return Math.max(0, time - newestTime)
}

async function pruneEntries(records: RecordStore, end: number): Promise<void> {
  const old = await records.list(collection, { after: positionOf(end), limit: maxPrunedPerWrite })
  await Promise.all(old.map(({ id, version }) => records.delete({ collection, id }, version)))
}
