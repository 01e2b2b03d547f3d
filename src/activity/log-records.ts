/** The records of an activity log in a store. */

import * as z from 'zod/mini'
import { decodeText, encodeText, parseStored } from '../core/records/stored-json.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import type { RecordInput, RecordKey, RecordStore } from '../store.js'

/** The collection of the entries. */
export const logCollection = 'activity'

/**
 * The index key of the entries that a watcher of changes needs: changes, and the rejections of
 * operations that make changes. Entries of earlier releases have none.
 */
const changeIndexKey = 'change'

/** The index key as a query. */
export const changesQuery = { indexKey: changeIndexKey } as const

/** The record with the time of the newest entry that can have been removed because of its age. */
const prunedKey: RecordKey = { collection: `pruned/${logCollection}`, id: 'until' }

const prunedSchema = z.object({ until: z.int() })

const maxTimestamp = 9_999_999_999_999
const timeKeyLength = String(maxTimestamp).length
const maxCount = 9_999_999

/** Returns the record of an entry. */
export function toLogRecord(entry: ActivityEntry): RecordInput {
  const body = encodeText(JSON.stringify(entry))
  const { action, result, resource } = entry
  const isOfChange = result === 'DENY' ? action !== 'READ' : resource.recordVersion !== undefined
  return isOfChange ? { body, ...changesQuery } : { body }
}

/** Returns the id of the record of an entry. `count` is the number of entries before it. */
export function logRecordId(time: number, count: number, suffix: string): string {
  return `${timeKey(time)}.${descendingKey(count, maxCount)}.${suffix}`
}

/** Returns true for the id of a record of an entry. */
export function isLogRecordId(id: string): boolean {
  return /^\d{13}\.\d{7}\.[\da-z]{26}$/.test(id)
}

/** The prefix of the ids of a time's entries. Later times have smaller ones, and come first. */
export function timeKey(time: number): string {
  return descendingKey(time, maxTimestamp)
}

/** Returns the time in an id. */
export function timeOfId(id: string): number {
  return maxTimestamp - Number(id.slice(0, timeKeyLength))
}

/**
 * The key of a number from 0 to `max`; it wraps around after that. Greater numbers have smaller
 * keys.
 */
function descendingKey(count: number, max: number): string {
  return String(max - (count % (max + 1))).padStart(String(max).length, '0')
}

/** Returns the time up to which entries can have been removed; 0 if none were. */
export async function loadPrunedUntil(records: Pick<RecordStore, 'get'>): Promise<number> {
  return (await readPruned(records)).until
}

/**
 * Records that entries up to this time can be removed.
 * @returns False if another process has recorded another time meanwhile.
 */
export async function markPruned(records: RecordStore, until: number): Promise<boolean> {
  const stored = await readPruned(records)
  if (stored.until >= until) return true
  return records.put(prunedKey, { body: encodeText(JSON.stringify({ until })) }, stored.version)
}

async function readPruned(
  records: Pick<RecordStore, 'get'>,
): Promise<{ readonly until: number; readonly version: number }> {
  const stored = await records.get(prunedKey)
  if (stored === undefined) return { until: 0, version: 0 }
  return { ...parseStored(prunedSchema, decodeText(stored.body)), version: stored.version }
}
