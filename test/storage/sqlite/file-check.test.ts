import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StorageError } from 'cofferkit'
import { describe, expect, it } from 'vitest'
import { createSqliteStore, openSqliteStore } from '../../../src/storage/sqlite.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { createRequest } from '../../support/http/requests.js'
import { storageFailed } from '../../support/service/rejections.js'
import { createDatabasePath, drivers } from '../../support/stores/sqlite.js'
import { useVirtualTime } from '../../support/virtual-time.js'

const key = { collection: 'c', id: 'a' }
const body = new Uint8Array([1])
const failed = {
  ...storageFailed,
  message: /the file of the database was deleted or replaced: restart the process/,
}
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What happens to the file at a path, which is a symbolic link in a folder of its own. */
const losses: Readonly<Record<string, (path: string, file: string) => void>> = {
  'is deleted': (_, file) => unlinkSync(file),
  'is deleted and created again': (_, file) => {
    unlinkSync(file)
    writeFileSync(file, '')
  },
  'is replaced by a backup': (_, file) => {
    copyFileSync(file, `${file}.backup`)
    renameSync(`${file}.backup`, file)
  },
  'is moved': (_, file) => renameSync(file, `${file}.old`),
  'is deleted with its folder': (_, file) => rmSync(dirname(file), { recursive: true }),
  'is named by a link that now names another file': (path, file) => {
    copyFileSync(file, `${file}.backup`)
    unlinkSync(path)
    symlinkSync(`${file}.backup`, path)
  },
  'has lost its -wal': (_, file) => unlinkSync(`${file}-wal`),
  'has lost its -shm': (_, file) => unlinkSync(`${file}-shm`),
}

/** Returns the path of a link, and that of the file that it names, which does not exist. */
function createLinkedPath(): { readonly path: string; readonly file: string } {
  const path = createDatabasePath()
  const folder = join(dirname(path), 'data')
  mkdirSync(folder)
  const file = join(folder, 'vault.db')
  symlinkSync(file, path)
  return { path, file }
}

describe('openSqliteStore', () => {
  it.each(Object.entries(losses))('refuses every call after its file %s', async (_, lose) => {
    useVirtualTime()
    const { path, file } = createLinkedPath()
    const store = await openSqliteStore(path)
    const { records, blobs } = store
    await records.put(key, { body }, 0)
    await blobs.write('v/a', new Blob([body]).stream())
    lose(path, file)
    await pass(100)
    for (const call of [
      () => records.put(key, { body }, 1),
      () => records.put({ ...key, id: 'b' }, { body }, 0),
      () => records.delete(key, 1),
      () => records.get(key),
      () => records.list('c', { limit: 10 }),
      () => blobs.write('v/b', new Blob([body]).stream()),
      () => blobs.read('v/a'),
      () => blobs.delete('v/a'),
    ]) {
      const rejection = await call().catch((error: unknown) => error)
      expect(rejection).toMatchObject(failed)
    }
    await store.close()
  })

  it('acknowledges no write that began 0.1 s after its file was deleted', async () => {
    useVirtualTime()
    const { path, file } = createLinkedPath()
    const store = await openSqliteStore(path)
    let isDeleted = false
    let acknowledged = 0
    for (let id = 0; id < 40; id++) {
      if (id === 20) unlinkSync(file)
      isDeleted = id >= 20
      const put = store.records.put({ ...key, id: `${id}` }, { body }, 0)
      const isAcknowledged = await put.catch(() => false)
      if (isDeleted && isAcknowledged) acknowledged++
      await pass(20)
    }
    expect(acknowledged).toBeLessThanOrEqual(5)
    await store.close()
  })

  it('stays closed when the file comes back, because others may have used its -wal', async () => {
    useVirtualTime()
    const { path, file } = createLinkedPath()
    const store = await openSqliteStore(path)
    renameSync(file, `${file}.old`)
    await pass(100)
    await expect(store.records.get(key)).rejects.toThrow(StorageError)
    renameSync(`${file}.old`, file)
    await pass(1000)
    await expect(store.records.put(key, { body }, 0)).rejects.toThrow(StorageError)
    await store.close()
    const again = await openSqliteStore(path)
    expect(await again.records.put(key, { body }, 0)).toBe(true)
    await again.close()
  })

  it('fails checkHealth and GET /health after its file was deleted', async () => {
    useVirtualTime()
    const { path, file } = createLinkedPath()
    const store = await openSqliteStore(path)
    const vault = await createTestVault({ store, storeTimeoutMs: Number.POSITIVE_INFINITY })
    const health = async () => (await vault.handler(createRequest(vault, 'GET', '/health'))).status
    expect(await health()).toBe(200)
    unlinkSync(file)
    await pass(100)
    await expect(vault.service.checkHealth()).rejects.toMatchObject(failed)
    expect(await health()).toBe(503)
    await store.close()
  })
})

describe.each(Object.entries(drivers))('createSqliteStore on %s', (_, open) => {
  it('refuses writes and reads after its file was replaced', async () => {
    useVirtualTime()
    const path = createDatabasePath()
    const { records } = createSqliteStore(open(path))
    await records.put(key, { body }, 0)
    losses['is replaced by a backup']?.(path, path)
    await pass(100)
    await expect(records.put(key, { body }, 1)).rejects.toMatchObject(failed)
    await expect(records.get(key)).rejects.toMatchObject(failed)
  })

  it('works on while other connections come, go and rewrite the file', async () => {
    useVirtualTime()
    const path = createDatabasePath()
    const database = open(path)
    const { records } = createSqliteStore(database)
    for (let version = 0; version < 3; version++) {
      const other = open(path)
      createSqliteStore(other)
      other.exec('pragma wal_checkpoint(truncate)')
      other.exec('vacuum')
      other.close()
      database.exec('pragma wal_checkpoint(truncate)')
      await pass(1000)
      expect(await records.put(key, { body }, version)).toBe(true)
    }
    const script = `
      const { DatabaseSync } = require('node:sqlite')
      const database = new DatabaseSync(process.argv[1])
      database.exec('create table other (a) strict; drop table other'.replace('(a)', '(a text)'))
      database.close()`
    expect(spawnSync(process.execPath, ['-e', script, path]).status).toBe(0)
    await pass(1000)
    expect(await records.put(key, { body }, 3)).toBe(true)
  })
})
