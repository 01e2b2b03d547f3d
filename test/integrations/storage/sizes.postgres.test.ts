import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createEncryptedStore, createLocalKeyProvider } from '../../../src/storage/encrypted.js'
import { createPostgresStore, migratePostgres } from '../../../src/storage/postgres.js'
import { draft, patch } from '../../../tools/bench/sample.js'
import { startPostgres } from '../../../tools/reliability/support/postgres-server.js'
import * as postgres from '../support/stores/postgres.js'

const caller = createCaller({ id: 'user', vaults: '*' })
const count = 1000
const pageBytes = 8192
const page = readFileSync('docs/dba.md', 'utf8')

/** Bytes in a table, in its indexes and in the write-ahead log. */
type Sizes = readonly [table: number, indexes: number, wal: number]

/** Returns the sizes in the row of the page that begins with this text, in bytes. */
function readRow(name: string): Sizes {
  const [, ...cells] = page.match(new RegExp(`^\\| ${name} \\|(.*)\\|(.*)\\|(.*)\\|$`, 'm')) ?? []
  const [table = Number.NaN, indexes = Number.NaN, wal = Number.NaN] = cells.map(
    (cell) => Number(cell.replace('KB', '').replace(',', '')) * 1000,
  )
  return [table, indexes, wal]
}

describe.runIf(postgres.databaseUrl !== undefined)(
  `createPostgresStore on disk${postgres.skippedSuffix}`,
  () => {
    it('takes as much space as docs/dba.md says', { timeout: 600_000 }, async () => {
      // Its own server, because what other tests write would be in the same write-ahead log.
      const server = await startPostgres({ fsync: 'off' })
      onTestFinished(() => server.stop())
      const pool = new pg.Pool({ connectionString: server.url })
      onTestFinished(() => pool.end())
      const schema = 'public'
      await migratePostgres(pool)
      const tables = ['records', 'chunks'].map((name) => `${schema}.cofferkit_${name}`)
      // A vacuum during the test would use the space of dead rows again.
      for (const table of tables)
        await pool.query(
          `ALTER TABLE ${table} SET (autovacuum_enabled = off, toast.autovacuum_enabled = off)`,
        )
      const read = async (): Promise<Sizes> => {
        const sums = ['pg_table_size', 'pg_indexes_size'].map((size) =>
          tables.map((table) => `${size}('${table}')`).join(' + '),
        )
        const wal = `pg_current_wal_lsn() - '0/0'`
        const { rows } = await pool.query(`SELECT ${sums[0]} AS a, ${sums[1]} AS b, ${wal} AS c`)
        return [Number(rows[0].a), Number(rows[0].b), Number(rows[0].c)]
      }
      /** Runs a change this many times, and compares what one of them takes with a row of the page. */
      const compare = async (
        name: string,
        times: number,
        change: (index: number) => Promise<unknown>,
      ): Promise<void> => {
        const before = await read()
        for (let index = 0; index < times; index++) await change(index)
        const sizes = (await read()).map((size, index) => (size - (before[index] ?? 0)) / times)
        const shown = sizes.map((size) => (size / 1000).toFixed(2))
        process.stdout.write(
          `${name}: table ${shown[0]} KB, indexes ${shown[1]}, WAL ${shown[2]}\n`,
        )
        // A table and an index grow by whole pages.
        const tolerance = 150 + pageBytes / times
        for (const [index, expected] of readRow(name).entries())
          expect(Math.abs((sizes[index] ?? 0) - expected)).toBeLessThan(tolerance + expected * 0.2)
      }

      const keys = createLocalKeyProvider({ key: randomBytes(32) })
      const store = createEncryptedStore(createPostgresStore(pool), { keys })
      const service = createVaultService({ store })
      const logged = createVaultService({ store, activity: createStoredActivityLog(store) })
      const { id: vaultId } = await service.createVault(caller, { name: 'v' })
      const ids: string[] = []
      await compare('a new item', count, async (index) => {
        const { id } = await service.createItem(caller, { vaultId, item: draft(index, vaultId) })
        ids.push(id)
      })
      const refOf = (index: number) => ({ vaultId, itemId: ids[index] ?? '' })
      const change = (index: number) => ({ ...refOf(index), patch: patch(index + count).slice(1) })
      await compare('a change of an item', count, (i) => service.patchItem(caller, change(i)))
      await compare('an entry of the log, for a read', count, (i) =>
        logged.getItem(caller, refOf(i)),
      )
      const content = randomBytes(2 ** 20)
      await compare('a file of 1 MiB', 8, (index) =>
        service.attachFile(caller, { ...refOf(index), name: 'file', content }),
      )
    })

    it('answers the statements of docs/dba.md', async () => {
      const { schema, connect, remove } = await postgres.createTestSchema()
      const pool = connect({ options: `-c search_path=${schema}` })
      await migratePostgres(pool)
      const service = createVaultService({ store: createPostgresStore(pool) })
      await service.createVault(caller, { name: 'v' })
      const [largest, dead] = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, text]) => text ?? '')
      const kinds = (await pool.query(largest ?? '')).rows.map(({ kind }) => kind)
      expect(kinds).toContain('vaults')
      expect((await pool.query(dead ?? '')).rowCount).toBeGreaterThanOrEqual(4)
      const [alter = ''] = /ALTER TABLE cofferkit_records SET [^`]*/.exec(page) ?? []
      await pool.query(alter)
      await remove()
    })
  },
)
