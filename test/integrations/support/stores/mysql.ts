/** MySQL for tests: the server at MYSQL_URL, or a MariaDB server that a test file starts. */

import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import type { VaultStore } from '../../../../src/index.js'
import {
  createMysqlStore,
  type MysqlClient,
  type MysqlTableOptions,
  migrateMysql,
} from '../../../../src/storage/mysql.js'
import {
  hasMysql,
  type MysqlServer,
  startMysql,
} from '../../../../tools/reliability/support/mysql-server.js'

/** The name of each driver, if there is a server. */
export const drivers: readonly ('mysql2' | 'mariadb')[] = hasMysql() ? ['mysql2', 'mariadb'] : []

/** The suffix of titles when there is no server. */
export const skippedSuffix = hasMysql()
  ? ''
  : ' (not run: install mariadb-server, or set MYSQL_URL)'

/** A client that runs any statement, also on one connection. */
export interface TestPool extends MysqlClient {
  getConnection(): Promise<TestConnection>
  end(): Promise<void>
}

/** A connection of a pool. */
interface TestConnection extends MysqlClient {
  query(text: string): Promise<unknown>
  release(): unknown
}

/** A server, and pools of its database. */
export interface TestServer {
  readonly server: MysqlServer | undefined
  /** Creates a pool; `remove` closes it. `sql` is run on each of its connections first. */
  connect(driver: 'mysql2' | 'mariadb', options?: PoolOptions): TestPool
  /** Closes every pool and stops the server. */
  remove(): Promise<void>
}

interface PoolOptions {
  readonly sql?: string
  /** More options of the driver. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** Starts a server with these variables, or uses the one at MYSQL_URL if there are none. */
export async function startTestServer(
  settings?: Readonly<Record<string, string>>,
): Promise<TestServer> {
  const given = settings === undefined ? process.env['MYSQL_URL'] : undefined
  const server = given === undefined ? await startMysql(settings) : undefined
  const url = new URL(server?.url ?? given ?? '')
  const pools: TestPool[] = []
  return {
    server,
    connect(driver, options = {}) {
      const pool = openPool(driver, url, options)
      pools.push(pool)
      return pool
    },
    async remove() {
      await Promise.all(pools.map((pool) => pool.end()))
      await server?.stop()
    },
  }
}

function openPool(
  driver: 'mysql2' | 'mariadb',
  { hostname: host, port, username: user, password, pathname }: URL,
  { sql, more }: PoolOptions,
): TestPool {
  const database = pathname.slice(1)
  const options = {
    host,
    port: Number(port),
    user,
    password,
    database,
    connectionLimit: 8,
    ...more,
  }
  if (driver === 'mariadb')
    return mariadb.createPool({ ...options, ...(sql !== undefined && { initSql: sql }) })
  const pool = mysql.createPool(options)
  // The connection runs the statement before any other one.
  if (sql !== undefined) pool.on('connection', (connection) => void connection.query(sql))
  return pool
}

/** Runs a statement that reads, and returns its rows. */
export async function selectRows(
  client: MysqlClient,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = (await client.execute(text, [])) as Record<string, unknown>[]
  return Array.isArray(result[0]) ? result[0] : result
}

let places = 0

/** Creates new, empty tables beside those of other tests. */
export async function createTables(client: MysqlClient): Promise<MysqlTableOptions> {
  const tables = { tablePrefix: `t${process.pid}_${++places}_` }
  await migrateMysql(client, tables)
  return tables
}

/** Creates a store on new tables. */
export async function createStoreOnTables(client: MysqlClient): Promise<VaultStore> {
  return createMysqlStore(client, await createTables(client))
}
