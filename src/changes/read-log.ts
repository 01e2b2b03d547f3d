/** Reads the changes in an activity log, from older to newer ones. */

import { recordedEntrySchema } from '../activity/list-entries.js'
import {
  changesQuery,
  loadPrunedUntil,
  logCollection,
  timeKey,
  timeOfId,
} from '../activity/log-records.js'
import { scanRecords } from '../core/records/list-records.js'
import { decodeText, parseStored } from '../core/records/stored-json.js'
import { changeTypes, vaultEventTypes } from '../core/runtime/change.js'
import { InvalidInputError } from '../errors.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import type { RecordStore } from '../store.js'
import type { LoggedChange } from './change.js'

/** Milliseconds within which an entry is stored after its timestamp; later, its change fails. */
export const recordMs = 10_000

/** A longer backlog is read in several calls, so that it is not in memory as a whole. */
const sliceMs = 60_000

/**
 * The number of entries by which a page is longer than the last listing. Entries before `from` that it
 * contains are ignored.
 */
const pageReserve = 16
const maxPageSize = 500

/** Entries that are younger than this are never removed. */
const keptMs = 300_000

/** The entries that one look at the log has found for the first time. */
export interface Listing {
  /** Older ones first. */
  readonly changes: readonly LoggedChange[]
  /** The requests that were denied, with the times of their entries. */
  readonly denied: ReadonlyMap<string, number>
  /** All entries before this time were read. Infinity if the whole backlog was read. */
  readonly until: number
  /** Later calls find no entry before this time. */
  readonly from: number
}

/** Options of `createLogReader`. */
interface LogReaderOptions {
  /** The time from which entries are read. */
  readonly from: number
  /** By how much the clocks of writers differ from `now`. */
  readonly windowMs: number
  readonly now: () => Date
}

/**
 * Creates a function that reads what was recorded since its last call, or the next minute of a
 * backlog. Because clocks differ, and entries appear a while after their time, each call reads a
 * window again.
 */
export function createLogReader(
  records: RecordStore,
  { windowMs, now, ...options }: LogReaderOptions,
): () => Promise<Listing> {
  let { from } = options
  let known = new Set<string>()
  let count = 0
  return async () => {
    const startedAt = now().getTime()
    const settledUntil = startedAt - windowMs - recordMs
    const until = from + sliceMs < settledUntil ? from + sliceMs : Number.POSITIVE_INFINITY
    const changes: LoggedChange[] = []
    const denied = new Map<string, number>()
    const next = Math.min(until, settledUntil)
    const nextKnown = new Set<string>()
    const limit = Math.min(count + pageReserve, maxPageSize)
    count = 0
    const after = until < startedAt && { after: timeKey(until) }
    const query = { ...changesQuery, ...after, limit }
    for await (const { id, body } of scanRecords({ store: { records } }, logCollection, query)) {
      const time = timeOfId(id)
      if (time < from) break
      count++
      if (time >= next) nextKnown.add(id)
      if (known.has(id)) continue
      const entry = parseStored(recordedEntrySchema, decodeText(body))
      const change = toLoggedChange(id, time, entry)
      if (change !== undefined) changes.push(change)
      if (entry.result === 'DENY') denied.set(entry.requestId, time)
    }
    if (from < startedAt - keptMs && (await loadPrunedUntil(records)) > from) throw tooOldError()
    from = next
    known = nextKnown
    return { changes: changes.reverse(), denied, until, from }
  }
}

/** Returns the error for a place in the log from which entries were removed. */
export function tooOldError(): InvalidInputError {
  return InvalidInputError.at(
    'since',
    'is older than the log: read everything again, and watch without it',
  )
}

/** Returns the change that an entry is about; undefined if it says that nothing is changed. */
function toLoggedChange(
  id: string,
  time: number,
  { action, result, requestId, timestamp, resource }: ActivityEntry,
): LoggedChange | undefined {
  const { type: kind, vault, item, itemVersion, vaultVersion, recordVersion } = resource
  const type = vaultEventTypes.find(
    (one) => changeTypes[one][0] === action && changeTypes[one][1] === kind,
  )
  const version = item === undefined ? vaultVersion : itemVersion
  if (result === 'DENY' || !type || !vault || !version || !recordVersion) return undefined
  const itemId = item && { itemId: item.id }
  const change = { type, vaultId: vault.id, ...itemId, version, at: timestamp, id }
  return { change, recordVersion, requestId, time }
}
