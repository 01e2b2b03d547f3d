import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCaller, createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { hasMysql, startMysql } from '../../../tools/reliability/support/mysql-server.js'
import { postgresFolder } from '../../../tools/reliability/support/postgres-binaries.js'
import { startPostgres } from '../../../tools/reliability/support/postgres-server.js'
import { contentsOf, fill } from '../support/command/filled-store.js'
import { runCommand, startCommand, withFolder } from '../support/command/run-command.js'

const caller = createCaller({ id: 'tester', vaults: '*' })
const root = join(import.meta.dirname, '../../..')

describe.runIf(postgresFolder() !== undefined)('copy', { timeout: 240_000 }, () => {
  it.each([
    ['SQLite', false],
    ['MySQL', true],
  ])(
    'moves a store from %s to PostgreSQL, encrypts it, and doctor reads all of it',
    async (_, isMysql) => {
      if (isMysql && !hasMysql()) return
      const [postgres, mysql] = [await startPostgres(), isMysql ? await startMysql() : undefined]
      try {
        await withFolder(async (folder) => {
          symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
          const run = (...words: readonly string[]) => runCommand({ folder }, ...words)
          const path = join(folder, 'a.db')
          await fill(path)
          const store = await openSqliteStore(path)
          const activity = createStoredActivityLog(store)
          const service = createVaultService({ store, activity, history: { maxVersions: 3 } })
          const vaultId = 'team'.padEnd(26, 't')
          const items = await service.listItems(caller, { vaultId })
          const { id: itemId = '' } = items.find(({ state }) => state === undefined) ?? {}
          const patch = [{ op: 'replace', path: '/title', value: 'b' }] as const
          await service.patchItem(caller, { vaultId, itemId, patch })
          await store.close()
          await run('keygen', 'key')
          const copy = (...words: readonly string[]) => run('copy', '--last', ...words)
          const source = mysql === undefined ? 'sqlite:a.db' : mysql.url
          if (mysql) expect((await copy('--from', 'sqlite:a.db', '--to', source)).code).toBe(0)
          const to = ['--to', `${postgres.url}?schema=vaults`, '--to-encrypt', 'key']
          const copied = await copy('--from', source, ...to)
          expect(copied).toMatchObject({ code: 0, stderr: '' })
          expect(copied.stdout).toMatch(
            /: 2 vaults, 3 items, 2 files, 1 version, \d+ log entries$/m,
          )
          const keyed = ['--store', `${postgres.url}?schema=vaults`, '--encrypt', 'key']
          const checked = await run('doctor', '--deep', ...keyed)
          expect(checked).toMatchObject({ code: 0, stderr: '' })
          // A configuration is asked for its server as well.
          const lines = [
            "import { createEncryptedStore, createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'",
            "import { createPostgresStore } from 'cofferkit/postgres'",
            "import pg from 'pg'",
            `const pool = new pg.Pool({ connectionString: '${postgres.url}' })`,
            "const keys = createLocalKeyProvider({ key: await readKeyFile('key') })",
            "const store = createEncryptedStore(createPostgresStore(pool, { schema: 'vaults' }), { keys })",
            'export default { store, close: () => pool.end() }',
          ]
          writeFileSync(join(folder, 'cofferkit.config.mjs'), lines.join('\n'))
          const configured = await startCommand({ folder }, 'doctor')
          expect(configured).toMatchObject({ code: 0, stdout: /^ok {6}durability .*fsync=on/m })
          const from = ['--from', `${postgres.url}?schema=vaults`, '--from-encrypt', 'key']
          expect((await copy(...from, '--to', 'sqlite:b.db')).code).toBe(0)
          expect(await contentsOf(join(folder, 'b.db'))).toEqual(await contentsOf(path))
        })
      } finally {
        await postgres.stop()
        await mysql?.stop()
      }
    },
  )
})
