/** A table of grants, as an embedder has one: in SQLite or in PostgreSQL. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoredGrant } from 'cofferkit/oauth'

/** A table of grants. */
export interface GrantTable {
  find(id: string): Promise<StoredGrant | undefined>
  insert(id: string, grant: StoredGrant): Promise<void>
  /** Replaces a row whose access token is `accessToken`. Returns false if there is none. */
  replace(id: string, grant: StoredGrant, accessToken: string): Promise<boolean>
  close(): Promise<void>
}

type Value = string | number | null
type Row = Readonly<Record<string, unknown>>

/** Runs a statement with `$1`, `$2` … as parameters. */
type Run = (
  sql: string,
  values: readonly Value[],
) => Promise<{ readonly rows: readonly Row[]; readonly count: number }>

const definition = `CREATE TABLE IF NOT EXISTS grants (
  id TEXT PRIMARY KEY, access_token TEXT NOT NULL, refresh_token TEXT NOT NULL, issued_at BIGINT,
  expires_at BIGINT, status TEXT NOT NULL, reason TEXT NOT NULL)`

/** Opens the table beside the store of an engine, whose address is of `sqlite` or `postgres`. */
export function openTableOf(engine: string, address: string): Promise<GrantTable> {
  if (engine === 'sqlite') return openSqliteTable(join(address, 'table.sqlite'))
  const { url, schema }: { url: string; schema: string } = JSON.parse(address)
  return openPostgresTable(url, schema)
}

/** Opens the table in a SQLite file. */
export async function openSqliteTable(path: string): Promise<GrantTable> {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 30000')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(definition)
  const run: Run = async (sql, values) => {
    const statement = database.prepare(sql.replace(/\$(\d)/g, '?$1'))
    if (sql.startsWith('SELECT'))
      return { rows: statement.all(...values).map((row) => ({ ...row })), count: 0 }
    return { rows: [], count: Number(statement.run(...values).changes) }
  }
  return toTable(run, async () => database.close())
}

async function openPostgresTable(url: string, schema: string): Promise<GrantTable> {
  // Not at the top: the program of a holder is one file, and uses SQLite alone.
  const { Pool } = (await import('pg')).default
  const pool = new Pool({ connectionString: url, max: 4, options: `-c search_path=${schema}` })
  pool.on('error', () => {})
  // Two processes that create it at the same time: one of them is refused, and finds it.
  await pool.query(definition).catch(() => pool.query(definition))
  const run: Run = async (sql, values) => {
    const { rows, rowCount } = await pool.query(sql, [...values])
    return { rows, count: rowCount ?? 0 }
  }
  return toTable(run, () => pool.end())
}

function toTable(run: Run, close: () => Promise<void>): GrantTable {
  return {
    async find(id) {
      const { rows } = await run('SELECT * FROM grants WHERE id = $1', [id])
      const [row] = rows
      return row && toGrant(row)
    },
    async insert(id, grant) {
      await run('INSERT INTO grants VALUES ($1, $2, $3, $4, $5, $6, $7)', [id, ...toValues(grant)])
    },
    async replace(id, grant, accessToken) {
      const { count } = await run(
        `UPDATE grants SET access_token = $2, refresh_token = $3, issued_at = $4, expires_at = $5,
          status = $6, reason = $7 WHERE id = $1 AND access_token = $8`,
        [id, ...toValues(grant), accessToken],
      )
      return count === 1
    },
    close,
  }
}

function toValues(grant: StoredGrant): readonly Value[] {
  const { accessToken, refreshToken, issuedAt = null, expiresAt = null, status, reason } = grant
  return [accessToken, refreshToken, issuedAt, expiresAt, status, reason]
}

function toGrant(row: Row): StoredGrant {
  const toTime = (value: unknown): number | undefined =>
    value === null ? undefined : Number(value)
  return {
    accessToken: String(row['access_token']),
    refreshToken: String(row['refresh_token']),
    issuedAt: toTime(row['issued_at']),
    expiresAt: toTime(row['expires_at']),
    status: row['status'] as StoredGrant['status'],
    reason: row['reason'] as StoredGrant['reason'],
  }
}
