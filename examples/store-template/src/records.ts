/** Records: one value each, and an empty value for each index key. */

import type { RecordKey, RecordStore, StoredRecord } from 'cofferkit'
import type { Change, Database } from './database.ts'

interface DatabaseRecord extends StoredRecord {
  readonly indexKey?: string
}

/** Creates a record store in `database`. */
export function createRecords(database: Database): RecordStore {
  /** Makes the changes if the stored version is the expected one, also when writing. */
  async function change(
    key: RecordKey,
    expectedVersion: number,
    next?: DatabaseRecord,
  ): Promise<boolean> {
    const name = nameOf(key)
    const value = await database.get(name)
    const stored = value && decode(value)
    if ((stored?.version ?? 0) !== expectedVersion) return false
    const changes: Change[] = []
    if (stored?.indexKey !== undefined)
      changes.push([indexNameOf(key, stored.indexKey), undefined])
    changes.push([name, next && encode(next)])
    if (next?.indexKey !== undefined)
      changes.push([indexNameOf(key, next.indexKey), new Uint8Array(0)])
    return database.change(name, value, changes)
  }

  return {
    async get(key) {
      const value = await database.get(nameOf(key))
      return value && decode(value)
    },

    put: (key, record, expectedVersion) =>
      change(key, expectedVersion, { ...record, version: expectedVersion + 1 }),

    delete: async (key, expectedVersion) =>
      expectedVersion > 0 && change(key, expectedVersion),

    async list(
      collection,
      { indexKey, after = '', limit, maxBytes = Number.POSITIVE_INFINITY },
    ) {
      const start =
        indexKey === undefined
          ? nameOf({ collection, id: '' })
          : indexNameOf({ collection, id: '' }, indexKey)
      const found = []
      let bytes = 0
      for await (const [name, listed] of database.scan(
        start + after,
        `${start}\x7f`,
      )) {
        const id = name.slice(start.length)
        const value =
          indexKey === undefined
            ? listed
            : await database.get(nameOf({ collection, id }))
        const record = value && decode(value)
        // Another writer was faster than the second read.
        if (
          record === undefined ||
          (indexKey !== undefined && record.indexKey !== indexKey)
        )
          continue
        found.push({ id, version: record.version, body: record.body })
        bytes += record.body.length
        if (found.length === limit || bytes >= maxBytes) break
      }
      return found
    },
  }
}

/** Collections and ids are printable, so a zero byte ends them, and `\x7f` is after all ids. */
function nameOf({ collection, id }: RecordKey): string {
  return `records\0${collection}\0${id}`
}

/** An index key is any text, even half of a surrogate pair, so its code units are written. */
function indexNameOf({ collection, id }: RecordKey, indexKey: string): string {
  const units = Array.from({ length: indexKey.length }, (_, index) =>
    indexKey.charCodeAt(index).toString(16).padStart(4, '0'),
  )
  return `index\0${collection}\0${units.join('')}\0${id}`
}

/** A line of JSON with everything but the body, and the body. */
function encode({ body, ...rest }: DatabaseRecord): Uint8Array {
  const line = new TextEncoder().encode(`${JSON.stringify(rest)}\n`)
  const value = new Uint8Array(line.length + body.length)
  value.set(line)
  value.set(body, line.length)
  return value
}

function decode(value: Uint8Array): DatabaseRecord {
  const end = value.indexOf(0x0a)
  const rest = JSON.parse(new TextDecoder().decode(value.subarray(0, end)))
  return { ...rest, body: value.subarray(end + 1) }
}
