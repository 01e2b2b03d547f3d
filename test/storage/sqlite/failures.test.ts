import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { StorageError } from '../../../src/errors.js'
import { toVaultError } from '../../../src/storage/sql/sqlite-errors.js'
import { createSqliteStore } from '../../../src/storage/sqlite.js'
import { streamOf } from '../../support/bytes.js'
import { createDatabasePath, drivers } from '../../support/stores/sqlite.js'

const key = (id: string) => ({ collection: 'c', id })
const secret = 'correct horse battery staple'
const body = new TextEncoder().encode(secret)
const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503 }
const failed = { code: 'STORAGE_FAILED', status: 500 }

describe.each(Object.entries(drivers))('createSqliteStore on %s', (name, open) => {
  it('rejects writes with 503 when another connection has the lock, and still reads', async () => {
    const path = createDatabasePath()
    const { records, blobs } = createSqliteStore(open(path), { busyTimeoutMs: 20 })
    await records.put(key('a'), { body }, 0)
    await blobs.write('v/a', streamOf([body]))
    const other = open(path)
    other.exec('begin immediate')
    const writes = [
      records.put(key('a'), { body }, 1),
      records.put(key('b'), { body }, 0),
      records.delete(key('a'), 1),
      blobs.write('v/b', streamOf([body])),
      blobs.delete('v/a'),
    ]
    for (const outcome of await Promise.allSettled(writes))
      expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
    expect(await records.get(key('a'))).toEqual({ version: 1, body })
    other.exec('commit')
    expect(await records.get(key('a'))).toEqual({ version: 1, body })
    expect(await records.get(key('b'))).toBeUndefined()
    expect(await blobs.read('v/b')).toBeUndefined()
    expect(await records.put(key('a'), { body }, 1)).toBe(true)
  })

  it('throws 503 when the database is locked on first use', () => {
    const path = createDatabasePath()
    const other = open(path)
    other.exec('create table t (id text); begin exclusive')
    expect(() => createSqliteStore(open(path), { busyTimeoutMs: 20 })).toThrow(
      expect.objectContaining(unavailable),
    )
  })

  it('rejects with 500 when the database is full, and still accepts what fits', async () => {
    const database = open(createDatabasePath())
    const { records, blobs } = createSqliteStore(database)
    await records.put(key('a'), { body }, 0)
    database.exec('pragma max_page_count = 40')
    const large = new Uint8Array(1_000_000)
    const outcomes = await Promise.allSettled([
      records.put(key('a'), { body }, 1),
      records.put(key('b'), { body: large }, 0),
      records.put(key('c'), { body }, 0),
      blobs.write('v/large', streamOf([large])),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect(outcomes[1]).toMatchObject({
      reason: { ...failed, message: 'the database failed (SQLITE_FULL)' },
    })
    expect(outcomes[3]).toMatchObject({ reason: failed })
    expect(await records.list('c', { limit: 10 })).toEqual([
      { id: 'a', version: 2, body },
      { id: 'c', version: 1, body },
    ])
    expect(await blobs.read('v/large')).toBeUndefined()
    await blobs.write('v/small', streamOf([body]))
    expect(await records.delete(key('a'), 2)).toBe(true)
  })

  it('rejects with 500 when the database is damaged', async () => {
    const path = createDatabasePath()
    const first = open(path)
    const { records } = createSqliteStore(first)
    for (let index = 0; index < 200; index++)
      await records.put(key(`i${index}`), { body: new Uint8Array(1000) }, 0)
    // libSQL does not do this when it is closed.
    first.exec('pragma wal_checkpoint(truncate)')
    first.close()
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0xa5, 4096 * 2))
    const damaged = createSqliteStore(open(path))
    await expect(damaged.records.get(key('i100'))).rejects.toMatchObject(failed)
    await expect(damaged.records.list('c', { limit: 300 })).rejects.toMatchObject(failed)
  })

  it('throws 500 when the file is not a database', () => {
    const path = createDatabasePath()
    writeFileSync(path, 'this is a text, and a long one at that\n'.repeat(100))
    expect(() => createSqliteStore(open(path))).toThrow(expect.objectContaining(failed))
  })

  it('rejects with 500 when a column has unexpected data', async () => {
    const database = open(createDatabasePath())
    const { records } = createSqliteStore(database)
    database.exec(`insert into cofferkit_records (collection, id, version, body)
      values ('c', 'a', 9223372036854775807, x'00')`)
    await expect(records.get(key('a'))).rejects.toMatchObject(failed)
  })

  // libSQL still runs the prepared statements of a closed database.
  it.skipIf(name === 'libsql')('rejects with 500 when the database is closed', async () => {
    const database = open(createDatabasePath())
    const { records, blobs } = createSqliteStore(database)
    database.close()
    await expect(records.get(key('a'))).rejects.toMatchObject(failed)
    await expect(records.put(key('a'), { body }, 0)).rejects.toMatchObject(failed)
    await expect(blobs.write('v/a', streamOf([body]))).rejects.toMatchObject(failed)
  })

  it('rejects with no value in the error', async () => {
    const database = open(createDatabasePath())
    const { records } = createSqliteStore(database)
    database.exec(`create trigger refuse before insert on cofferkit_records
      begin select raise(abort, '${secret}'); end`)
    const error: StorageError = await records.put(key('a'), { body, indexKey: secret }, 0).then(
      () => expect.unreachable(),
      (reason: unknown) => reason as StorageError,
    )
    expect(error).toMatchObject({ ...failed, message: 'the database failed (SQLITE_CONSTRAINT)' })
    expect(`${error.stack} ${error.cause instanceof Error && error.cause.stack}`).not.toContain(
      secret,
    )
  })
})

describe('toVaultError', () => {
  it.each([
    [{ code: 'ERR_SQLITE_ERROR', errcode: 5 }, 503, 'SQLITE_BUSY'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 517 }, 503, 'SQLITE_BUSY'],
    [{ code: 'SQLITE_BUSY' }, 503, 'SQLITE_BUSY'],
    [{ code: 'SQLITE_BUSY_SNAPSHOT' }, 503, 'SQLITE_BUSY'],
    [{ code: 'SQLITE_LOCKED_SHAREDCACHE' }, 503, 'SQLITE_LOCKED'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, 500, 'SQLITE_FULL'],
    [{ code: 'SQLITE_IOERR_FSYNC' }, 500, 'SQLITE_IOERR'],
    [{ code: 'SQLITE_BUSYBODY' }, 500, undefined],
    [{ message: 'D1_ERROR: string or blob too big: SQLITE_TOOBIG' }, 500, 'SQLITE_TOOBIG'],
    [{ message: 'D1_ERROR: a: SQLITE_FULL (extended: SQLITE_FULL)' }, 500, 'SQLITE_FULL'],
    [{ message: 'a: SQLITE_FULL' }, 500, undefined],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 1 }, 500, undefined],
    ['a text', 500, undefined],
    [undefined, 500, undefined],
  ])('converts %j to status %d', (error, status, name) => {
    const { status: found, message } = toVaultError(error)
    expect(found).toBe(status)
    expect(message).toBe(
      `the database ${status === 503 ? 'is locked' : 'failed'}${name === undefined ? '' : ` (${name})`}`,
    )
  })
})
