import { describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../src/storage/sqlite.js'
import {
  createDatabasePath,
  drivers,
  openNodeDatabase,
  recordStatements,
} from '../../support/stores/sqlite.js'

const body = new Uint8Array(1)
const key = (id: string) => ({ collection: 'c', id })
const ids = Array.from({ length: 64 }, (_, index) => `i${index}`)

describe.each(Object.entries(drivers))('createSqliteRecords on %s', (_, open) => {
  it('commits writes of the same turn together, each with its own outcome', async () => {
    const { database, log } = recordStatements(open(createDatabasePath()))
    const { records } = createSqliteStore(database)
    await records.put(key('i7'), { body }, 0)
    log.length = 0
    const outcomes = await Promise.all(ids.map((id) => records.put(key(id), { body }, 0)))
    expect(log.filter((sql) => sql === 'commit')).toHaveLength(1)
    expect(ids.filter((_id, index) => !outcomes[index])).toEqual(['i7'])
    expect(await records.list('c', { limit: 100 })).toHaveLength(64)
  })

  it('commits the other writes when one fails on its own', async () => {
    const database = open(createDatabasePath())
    const { records } = createSqliteStore(database)
    database.exec(`create trigger refuse before insert on cofferkit_records when new.id = 'i7'
      begin select raise(abort, 'no'); end`)
    const outcomes = await Promise.allSettled(ids.map((id) => records.put(key(id), { body }, 0)))
    expect(ids.filter((_id, index) => outcomes[index]?.status === 'rejected')).toEqual(['i7'])
    expect(await records.list('c', { limit: 100 })).toHaveLength(63)
  })

  it('rejects all writes of a group and stores none when the commit fails', async () => {
    const database = open(createDatabasePath())
    const { records } = createSqliteStore(database)
    // A foreign key that is checked when the transaction is committed.
    database.exec(`pragma foreign_keys = on; create table parent (id text primary key);
      create table child (id text references parent (id) deferrable initially deferred);
      create trigger refuse before insert on cofferkit_records when new.id = 'i7'
      begin insert into child values ('missing'); end`)
    const outcomes = await Promise.allSettled(ids.map((id) => records.put(key(id), { body }, 0)))
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(await records.list('c', { limit: 100 })).toEqual([])
    expect(await records.put(key('i8'), { body }, 0)).toBe(true)
  })
})

describe('createSqliteRecords', () => {
  it('commits a single write in a transaction of its own', async () => {
    const { database, log } = recordStatements(openNodeDatabase())
    const { records } = createSqliteStore(database)
    await records.put(key('a'), { body }, 0)
    expect(log.map((sql) => sql.split(' ')[0])).toEqual(['begin', 'insert', 'commit'])
  })

  it('shows a write to no reader before it has resolved, and to all afterwards', async () => {
    const path = createDatabasePath()
    const [own, theirs] = [path, path].map((file) => createSqliteStore(openNodeDatabase(file)))
    const put = own?.records.put(key('a'), { body }, 0)
    expect(await own?.records.get(key('a'))).toBeUndefined()
    expect(await theirs?.records.get(key('a'))).toBeUndefined()
    await put
    expect(await own?.records.get(key('a'))).toEqual({ version: 1, body })
    expect(await theirs?.records.get(key('a'))).toEqual({ version: 1, body })
  })
})
