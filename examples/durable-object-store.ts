/** A store in a Durable Object's SQLite storage, for workers. It passes the store contract. */

import type { ListedRecord, StoredRecord, VaultStore } from 'cofferkit'

type Value = string | number | ArrayBuffer | null

/** The part of a Durable Object's storage that is used here. Pass `ctx.storage`. */
export interface ObjectStorage {
  readonly sql: {
    exec(statement: string, ...values: Value[]): Iterable<object>
  }
  transactionSync<Result>(work: () => Result): Result
}

/** A row as the storage returns it: a record whose body is an `ArrayBuffer`. */
type Row<Found extends StoredRecord> = Omit<Found, 'body'> & {
  readonly body: ArrayBuffer
}

/** Bytes of a blob in one row. A row of a Durable Object is limited to 2 MB. */
const partLength = 1_048_576

/** A store on one Durable Object's storage. Blobs are in memory as a whole when read or written. */
export function createDurableObjectStore(storage: ObjectStorage): VaultStore {
  const each = <Found>(
    statement: string,
    ...values: Value[]
  ): Iterable<Found> =>
    storage.sql.exec(statement, ...values) as Iterable<Found>
  const rows = <Found>(statement: string, ...values: Value[]): Found[] => [
    ...each<Found>(statement, ...values),
  ]
  const changes = (statement: string, ...values: Value[]): boolean =>
    rows(`${statement} returning id`, ...values).length === 1
  rows(`create table if not exists records (collection text, id text, version integer,
    index_key text, body blob, primary key (collection, id))`)
  rows(
    'create index if not exists by_index_key on records (collection, index_key, id)',
  )
  rows(
    'create table if not exists blobs (id text, part integer, bytes blob, primary key (id, part))',
  )
  const here = 'where collection = ? and id = ?'
  return {
    records: {
      async get({ collection, id }) {
        const found = `select version, body from records ${here}`
        return rows<Row<StoredRecord>>(found, collection, id).map(withBytes)[0]
      },
      async put(
        { collection, id },
        { body, indexKey = null },
        expectedVersion,
      ) {
        const insert = 'insert or ignore into records values (?, ?, 1, ?, ?)'
        if (expectedVersion === 0)
          return changes(insert, collection, id, indexKey, bufferOf(body))
        const update = `update records set version = version + 1, index_key = ?, body = ? ${here}`
        const values = [
          indexKey,
          bufferOf(body),
          collection,
          id,
          expectedVersion,
        ]
        return changes(`${update} and version = ?`, ...values)
      },
      delete: async ({ collection, id }, expectedVersion) =>
        changes(
          `delete from records ${here} and version = ?`,
          collection,
          id,
          expectedVersion,
        ),
      async list(
        collection,
        { indexKey, after = '', limit, maxBytes = Number.POSITIVE_INFINITY },
      ) {
        const indexKeys = indexKey === undefined ? [] : [indexKey]
        const found = `select id, version, body from records where collection = ?
          ${indexKey === undefined ? '' : 'and index_key = ?'} and id > ? order by id limit ?`
        const values = [collection, ...indexKeys, after, limit]
        const listed: ListedRecord[] = []
        let bytes = 0
        for (const row of each<Row<ListedRecord>>(found, ...values)) {
          listed.push(withBytes(row))
          bytes += row.body.byteLength
          if (bytes >= maxBytes) break
        }
        return listed
      },
    },
    blobs: {
      async read(id) {
        const found = 'select bytes from blobs where id = ? order by part'
        const parts = rows<{ readonly bytes: ArrayBuffer }>(found, id)
        return parts.length === 0
          ? undefined
          : new Blob(parts.map(({ bytes }) => bytes)).stream()
      },
      async write(id, content) {
        const bytes =
          content instanceof Uint8Array
            ? content.slice().buffer
            : await readAll(content)
        storage.transactionSync(() => {
          for (
            let part = 0;
            part === 0 || part * partLength < bytes.byteLength;
            part++
          ) {
            const piece = bytes.slice(
              part * partLength,
              (part + 1) * partLength,
            )
            rows('insert into blobs values (?, ?, ?)', id, part, piece)
          }
        })
      },
      async delete(id) {
        rows('delete from blobs where id = ?', id)
      },
    },
  }
}

async function readAll(
  content: AsyncIterable<Uint8Array>,
): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of content) chunks.push(chunk.slice())
  return new Blob(chunks).arrayBuffer()
}

function withBytes<Found extends StoredRecord>(
  row: Row<Found>,
): Omit<Found, 'body'> & { readonly body: Uint8Array } {
  return { ...row, body: new Uint8Array(row.body) }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
