import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { runAll } from '../../support/run-all.js'
import { createDatabasePath, loadLibsql } from '../../support/stores/sqlite.js'

describe.each([
  ['better-sqlite3', Database] as const,
  ...(runAll ? [['libsql', loadLibsql()] as const] : []),
])('openSqliteStore with %s', (_, driver) => {
  it.each(recordStoreContract)('records: $name', async ({ run }) => {
    const { records, close } = await openSqliteStore(createDatabasePath(), { driver })
    await run(records)
    await close()
  })

  it.each(blobStoreContract)('blobs: $name', async ({ run }) => {
    const { blobs, close } = await openSqliteStore(createDatabasePath(), { driver })
    await run(blobs)
    await close()
  })

  it('rejects the calls of a closed store', async () => {
    const path = createDatabasePath()
    const { records, blobs, close } = await openSqliteStore(path, { driver })
    const key = { collection: 'c', id: 'a' }
    const body = Uint8Array.of(1)
    await records.put(key, { body }, 0)
    await close()
    const calls = [
      records.get(key),
      records.put(key, { body }, 1),
      records.list('c', { limit: 1 }),
      blobs.read('v/a'),
      blobs.write('v/a', body),
      blobs.delete('v/a'),
    ]
    const failed = { status: 'rejected', reason: { code: 'STORAGE_UNAVAILABLE' } }
    for (const outcome of await Promise.allSettled(calls)) expect(outcome).toMatchObject(failed)
    const again = await openSqliteStore(path, { driver })
    expect(await again.records.get(key)).toEqual({ version: 1, body })
    await again.close()
  })
})
