import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/storage/sqlite.js'
import { newDatabasePath } from '../support/sqlite.js'

const key = { collection: 'c', id: 'a' }

function modes(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`].map((file) =>
    (statSync(file).mode & 0o777).toString(8),
  )
}

/** How many locks the processes of this machine hold on the file. */
function locksOn(path: string): number {
  const { ino } = statSync(path)
  return readFileSync('/proc/locks', 'utf8').split(`:${ino} `).length - 1
}

describe('the file of openSqliteStore', () => {
  it('is its owner’s alone, and so are those beside it, whatever the umask', async () => {
    const path = newDatabasePath()
    const before = process.umask(0)
    try {
      const { records, close } = await openSqliteStore(path)
      await records.put(key, { body: new Uint8Array(1) }, 0)
      expect(modes(path)).toEqual(['600', '600', '600'])
      await close()
    } finally {
      process.umask(before)
    }
  })

  it('loses the rights of others that it had, and so do those beside it', async () => {
    const path = newDatabasePath()
    const first = await openSqliteStore(path)
    for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o664)
    const second = await openSqliteStore(path)
    expect(modes(path)).toEqual(['600', '600', '600'])
    await first.close()
    await second.close()
  })

  it.runIf(existsSync('/proc/locks'))(
    'stays locked for a store of this process when it is opened once more',
    async () => {
      const path = newDatabasePath()
      const first = await openSqliteStore(path)
      const before = locksOn(path)
      const second = await openSqliteStore(path)
      expect(locksOn(path)).toBe(before)
      expect(before).toBeGreaterThan(0)
      await second.close()
      await first.close()
    },
  )

  it('is a file also where the path looks like something else', async () => {
    const folder = dirname(newDatabasePath())
    const before = process.cwd()
    process.chdir(folder)
    try {
      const { close } = await openSqliteStore(':memory:')
      await close()
      expect(statSync(`${folder}/:memory:`).size).toBeGreaterThan(0)
    } finally {
      process.chdir(before)
    }
  })

  it('may be empty', async () => {
    const path = newDatabasePath()
    writeFileSync(path, '')
    const { records, close } = await openSqliteStore(path)
    expect(await records.put(key, { body: new Uint8Array(1) }, 0)).toBe(true)
    await close()
  })
})
