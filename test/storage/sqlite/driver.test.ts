import Database from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { StorageError } from '../../../src/errors.js'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { createDatabasePath } from '../../support/stores/sqlite.js'

// As on Node 20.
vi.mock('node:sqlite', () => ({
  get DatabaseSync() {
    throw new Error('No such built-in module: node:sqlite')
  },
}))

describe('openSqliteStore without node:sqlite', () => {
  it('rejects with an error that names both ways out', async () => {
    const opening = openSqliteStore(createDatabasePath())
    await expect(opening).rejects.toThrow(
      new StorageError('node:sqlite is missing: use Node 22.13 or later, or the option driver'),
    )
  })

  it.each([
    ...recordStoreContract.map(({ name, run }) => ({
      name: `records: ${name}`,
      run: async () => withStore(({ records }) => run(records)),
    })),
    ...blobStoreContract.map(({ name, run }) => ({
      name: `blobs: ${name}`,
      run: async () => withStore(({ blobs }) => run(blobs)),
    })),
  ])('opens the file with better-sqlite3 for $name', ({ run }) => run())
})

async function withStore(
  work: (store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<void>,
): Promise<void> {
  const store = await openSqliteStore(createDatabasePath(), { driver: Database })
  await work(store)
  await store.close()
}
