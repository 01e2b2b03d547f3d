import Database from 'better-sqlite3'
import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { runText } from '../../support/source/program.js'
import { createDatabasePath } from '../../support/stores/sqlite.js'

describe('openSqliteStore without node:sqlite', () => {
  it('rejects with an error that names both ways out', async () => {
    // As on Node 20.
    const { stdout, stderr } = await runText(`
      import { registerHooks } from 'node:module'
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier === 'node:sqlite') throw new Error('No such built-in module')
          return next(specifier, context)
        },
      })
      const { openSqliteStore } = await import('cofferkit/sqlite')
      const path: string = ${JSON.stringify(createDatabasePath())}
      await openSqliteStore(path).catch((error) => console.log(error.code, error.message))
    `)
    const message = 'node:sqlite is missing: use Node 22.13 or later, or the option driver'
    expect(stdout, stderr).toBe(`STORAGE_FAILED ${message}\n`)
  })
})

describe.each([
  ['better-sqlite3', Database],
  ['libsql', Libsql],
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
    const failed = { status: 'rejected', reason: { code: 'STORAGE_FAILED' } }
    for (const outcome of await Promise.allSettled(calls)) expect(outcome).toMatchObject(failed)
    const again = await openSqliteStore(path, { driver })
    expect(await again.records.get(key)).toEqual({ version: 1, body })
    await again.close()
  })
})
