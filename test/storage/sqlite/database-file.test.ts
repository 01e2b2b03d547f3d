import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createSqliteStore, openSqliteStore } from '../../../src/storage/sqlite.js'
import { storageFailed } from '../../support/service/rejections.js'
import { giveToAnotherUser } from '../../support/stores/file-owner.js'
import {
  createDatabasePath,
  drivers,
  type OpenDatabase,
  openNodeDatabase,
} from '../../support/stores/sqlite.js'

const otherDrivers = Object.entries(drivers).filter(([name]) => name !== 'node:sqlite')
const key = { collection: 'c', id: 'a' }

function modes(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`].map((file) =>
    (statSync(file).mode & 0o777).toString(8),
  )
}

/** Returns the number of locks that the processes of this machine hold on the file. */
function locksOn(path: string): number {
  const { ino } = statSync(path)
  return readFileSync('/proc/locks', 'utf8').split(`:${ino} `).length - 1
}

/** Runs the work with umask 0. */
async function withoutUmask(work: () => Promise<void>): Promise<void> {
  const before = process.umask(0)
  try {
    await work()
  } finally {
    process.umask(before)
  }
}

/** Opens a public file a second time, by the path that `getPath` returns. */
function setModeBeside(
  open: (path: string) => OpenDatabase,
  getPath: (folder: string) => string,
): Promise<void> {
  return withoutUmask(async () => {
    const path = createDatabasePath()
    const first = createSqliteStore(open(path))
    await first.records.put(key, { body: new Uint8Array(1) }, 0)
    expect(modes(path)).toEqual(['644', '644', '644'])
    const second = await openSqliteStore(getPath(dirname(path)))
    expect(modes(path)).toEqual(['600', '600', '600'])
    expect((await second.records.get(key))?.version).toBe(1)
    await second.close()
  })
}

/** Create symbolic links in a folder, and return a path that leads to its `vault.db`. */
const links: Readonly<Record<string, (folder: string) => string>> = {
  'no link': (folder) => `${folder}/vault.db`,
  'a link': (folder) => {
    symlinkSync(`${folder}/vault.db`, `${folder}/link.db`)
    return `${folder}/link.db`
  },
  'a link relative to its folder': (folder) => {
    mkdirSync(`${folder}/links`)
    symlinkSync('../vault.db', `${folder}/links/link.db`)
    return `${folder}/links/link.db`
  },
  'a chain of links': (folder) => {
    symlinkSync('vault.db', `${folder}/last.db`)
    symlinkSync('./last.db', `${folder}/middle.db`)
    symlinkSync(`${folder}/middle.db`, `${folder}/first.db`)
    return `${folder}/first.db`
  },
  'a linked folder': (folder) => {
    symlinkSync(folder, `${folder}/folder`)
    return `${folder}/folder/vault.db`
  },
  'a link that leads up from a linked folder': (folder) => {
    mkdirSync(`${folder}/a/b`, { recursive: true })
    symlinkSync(`${folder}/a/b`, `${folder}/deep`)
    symlinkSync('deep/../../vault.db', `${folder}/link.db`)
    return `${folder}/link.db`
  },
}

describe('openSqliteStore', () => {
  describe.each(Object.entries(links))('behind %s', (_, getPath) => {
    it('creates the file and its journals with mode 0600', () =>
      withoutUmask(async () => {
        const folder = dirname(createDatabasePath())
        const { records, close } = await openSqliteStore(getPath(folder))
        await records.put(key, { body: new Uint8Array(1) }, 0)
        expect(modes(`${folder}/vault.db`)).toEqual(['600', '600', '600'])
        const databases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        expect(databases.filter((name) => /^[^/]*-(?:wal|shm)$/.test(name)).sort()).toEqual([
          'vault.db-shm',
          'vault.db-wal',
        ])
        await close()
      }))

    it('sets mode 0600 while another store has the file open', () =>
      setModeBeside(openNodeDatabase, getPath))
  })

  it.each(otherDrivers)('sets mode 0600 while %s has the file open', (_, open) =>
    setModeBeside(open, (folder) => `${folder}/vault.db`),
  )

  it.each([
    ['DatabaseSync of node:sqlite', DatabaseSync],
    ['Database of better-sqlite3', Database],
  ])('opens the file with the driver %s, and keeps it private', (_, driver) =>
    withoutUmask(async () => {
      const path = createDatabasePath()
      const store = await openSqliteStore(path, { driver, busyTimeoutMs: 100 })
      await store.records.put(key, { body: new Uint8Array(1) }, 0)
      expect(modes(path)).toEqual(['600', '600', '600'])
      await store.close()
      await expect(store.records.get(key)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
      for (const suffix of ['', '-wal', '-shm']) writeFileSync(path + suffix, '', { mode: 0o666 })
      chmodSync(path, 0o664)
      const again = await openSqliteStore(path, { driver })
      expect(modes(path)).toEqual(['600', '600', '600'])
      await again.close()
      await again.close()
    }),
  )

  it('names the folder that does not exist', async () => {
    const folder = `${dirname(createDatabasePath())}/missing`
    await expect(openSqliteStore(`${folder}/vault.db`)).rejects.toMatchObject({
      ...storageFailed,
      message: `the folder of the database does not exist: ${folder}`,
    })
  })

  it('rejects a link to itself, and one into a folder that does not exist', async () => {
    const folder = dirname(createDatabasePath())
    symlinkSync('loop.db', `${folder}/loop.db`)
    symlinkSync('missing/vault.db', `${folder}/lost.db`)
    await expect(openSqliteStore(`${folder}/loop.db`)).rejects.toMatchObject({
      ...storageFailed,
      message: 'the path of the database has too many symbolic links',
    })
    await expect(openSqliteStore(`${folder}/lost.db`)).rejects.toMatchObject(storageFailed)
    expect(existsSync(`${folder}/missing`)).toBe(false)
  })

  it('rejects the path of a folder, and leaves its mode unchanged', async () => {
    const folder = dirname(createDatabasePath())
    chmodSync(folder, 0o755)
    await expect(openSqliteStore(folder)).rejects.toMatchObject({
      ...storageFailed,
      message: 'the path of the database is not a file',
    })
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('755')
  })

  it.runIf(existsSync('/proc/self/status'))('rejects when the mode cannot be changed', async () => {
    const path = createDatabasePath()
    symlinkSync('/proc/self/status', path)
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      ...storageFailed,
      message: 'cannot change the mode of a file of the database: check its owner',
    })
  })

  it.runIf(existsSync('/proc/locks'))(
    'keeps the locks of a store of this process when the file is opened again',
    async () => {
      const path = createDatabasePath()
      const first = await openSqliteStore(path)
      const before = locksOn(path)
      const second = await openSqliteStore(path)
      expect(locksOn(path)).toBe(before)
      expect(before).toBeGreaterThan(0)
      await second.close()
      await first.close()
    },
  )

  it('opens a file when the path looks like a URI', async () => {
    const folder = dirname(createDatabasePath())
    const before = process.cwd()
    process.chdir(folder)
    try {
      const { close } = await openSqliteStore('file:vault?mode=memory')
      await close()
      expect(statSync(`${folder}/file:vault?mode=memory`).size).toBeGreaterThan(0)
    } finally {
      process.chdir(before)
    }
  })

  it.skipIf(process.platform === 'win32').each(['', '-wal', '-shm', '-journal'])(
    'rejects when the file with suffix "%s" belongs to another user, even as root',
    async (ending) => {
      const path = createDatabasePath()
      writeFileSync(`${path}${ending}`, '', { mode: 0o600 })
      giveToAnotherUser(`${path}${ending}`)
      await expect(openSqliteStore(path)).rejects.toMatchObject({
        ...storageFailed,
        message: 'a file of the database belongs to another user',
      })
      expect(readFileSync(`${path}${ending}`)).toHaveLength(0)
    },
  )

  it.skipIf(process.platform === 'win32').each(['-wal', '-shm', '-journal'])(
    'rejects when %s is a symbolic link, and leaves its target unchanged',
    async (ending) => {
      const path = createDatabasePath()
      const target = `${dirname(path)}/target`
      writeFileSync(target, 'precious')
      chmodSync(target, 0o644)
      symlinkSync(target, `${path}${ending}`)
      const rejected = {
        ...storageFailed,
        message: 'a file next to the database is a symbolic link',
      }
      await expect(openSqliteStore(path)).rejects.toMatchObject(rejected)
      expect((statSync(target).mode & 0o777).toString(8)).toBe('644')
      expect(readFileSync(target, 'utf8')).toBe('precious')
      rmSync(target)
      await expect(openSqliteStore(path)).rejects.toMatchObject(rejected)
      expect(existsSync(target)).toBe(false)
    },
  )

  it.skipIf(process.platform === 'win32')('sets mode 0600 on a rollback journal', async () => {
    const path = createDatabasePath()
    writeFileSync(`${path}-journal`, '')
    chmodSync(`${path}-journal`, 0o644)
    const { close } = await openSqliteStore(path)
    const mode = statSync(`${path}-journal`, { throwIfNoEntry: false })?.mode ?? 0o600
    expect((mode & 0o777).toString(8)).toBe('600')
    await close()
  })

  it('accepts an empty file', async () => {
    const path = createDatabasePath()
    writeFileSync(path, '')
    const { records, close } = await openSqliteStore(path)
    expect(await records.put(key, { body: new Uint8Array(1) }, 0)).toBe(true)
    await close()
  })
})
