/** The databases whose backups docs/backup.md describes. */

import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { createEtcdStore } from '../../../../src/storage/etcd.js'
import { createMysqlStore, migrateMysql } from '../../../../src/storage/mysql.js'
import { createPostgresStore, migratePostgres } from '../../../../src/storage/postgres.js'
import { openSqliteStore } from '../../../../src/storage/sqlite.js'
import { etcdProgram, startEtcd } from '../../../../tools/reliability/support/etcd-server.js'
import { hasMysql, startMysql } from '../../../../tools/reliability/support/mysql-server.js'
import { postgresFolder } from '../../../../tools/reliability/support/postgres-binaries.js'
import {
  type PostgresServer,
  startPostgres,
} from '../../../../tools/reliability/support/postgres-server.js'
import type { OpenedStore } from './backups.js'

/** A database that can be backed up. */
export interface BackupCase {
  /** The heading of its section. */
  readonly heading: string
  /** The packages of Debian with the programs that the case needs. */
  readonly packages: readonly string[]
  /** False if one of these programs is not installed. */
  readonly isInstalled: boolean
  start(folder: string): Promise<BackupServer>
}

/** The server of a case, or the folder of its file. */
interface BackupServer {
  /** The variables of the commands. */
  readonly env: Readonly<Record<string, string>>
  openOriginal(): Promise<OpenedStore>
  /** Called before the command that restores. Returns its variables. */
  prepareRestore(): Promise<Readonly<Record<string, string>>>
  /** Called after that command. */
  openRestored(): Promise<OpenedStore>
  stop(): Promise<void>
}

/** All databases. */
export const backupCases: readonly BackupCase[] = [
  {
    heading: 'SQLite',
    packages: ['sqlite3'],
    isInstalled: hasProgram('sqlite3'),
    async start(folder) {
      const open = async (name: string): Promise<OpenedStore> => {
        const store = await openSqliteStore(join(folder, name))
        return { store, location: `sqlite:${name}`, close: () => store.close() }
      }
      return {
        env: {},
        openOriginal: () => open('vault.db'),
        async prepareRestore() {
          const [BACKUP = ''] = readdirSync(folder).filter((name) => name.startsWith('backup-'))
          return { BACKUP }
        },
        openRestored: () => open('restored.db'),
        stop: async () => {},
      }
    },
  },
  {
    heading: 'PostgreSQL',
    packages: ['postgresql'],
    isInstalled: postgresFolder() !== undefined && hasProgram('pg_dump'),
    async start(folder) {
      // The role of the service exists only on the first one.
      const [server, other] = [await startPostgres(), await startPostgres()]
      const PGPASSFILE = join(folder, 'pgpass')
      writeFileSync(PGPASSFILE, [server, other].map(passwordLineOf).join(''), { mode: 0o600 })
      const tables = { schema: 'vaults' }
      const open = async (url: string): Promise<OpenedStore> => {
        const pool = openPool(withPassword(url))
        const location = `${url}?schema=vaults`
        return { store: createPostgresStore(pool, tables), location, close: () => pool.end() }
      }
      const query = async (url: string, work: (pool: pg.Pool) => Promise<unknown>) => {
        const pool = openPool(withPassword(url))
        await work(pool)
        await pool.end()
      }
      await query(server.url, async (pool) => {
        await pool.query('CREATE SCHEMA vaults')
        await migratePostgres(pool, tables)
        await pool.query('CREATE ROLE vault_service')
        await pool.query('GRANT SELECT ON ALL TABLES IN SCHEMA vaults TO vault_service')
      })
      for (const { url, dataFolder } of [server, other])
        await query(url, (pool) => requirePassword(pool, dataFolder))
      const restoredUrl = other.url.replace(/postgres$/, 'restored')
      return {
        env: { DATABASE_URL: server.url, PGPASSFILE },
        openOriginal: () => open(server.url),
        async prepareRestore() {
          await query(other.url, (pool) => pool.query('CREATE DATABASE restored'))
          return { RESTORED_URL: restoredUrl }
        },
        openRestored: () => open(restoredUrl),
        async stop() {
          await server.stop()
          await other.stop()
        },
      }
    },
  },
  {
    heading: 'MySQL and MariaDB',
    packages: ['mariadb-server'],
    // A server elsewhere can have other programs than those here.
    isInstalled: process.env['MYSQL_URL'] === undefined && hasMysql() && hasProgram('mysqldump'),
    async start(folder) {
      const server = await startMysql()
      const { port } = new URL(server.url)
      writeFileSync(
        join(folder, 'backup.cnf'),
        `[client]\nhost=127.0.0.1\nport=${port}\nuser=root\n`,
      )
      const restoredUrl = server.url.replace(/vault$/, 'restored')
      const open = async (url: string): Promise<OpenedStore> => {
        const pool = mysql.createPool(url)
        return { store: createMysqlStore(pool), location: url, close: () => pool.end() }
      }
      const query = async (work: (pool: mysql.Pool) => Promise<unknown>): Promise<void> => {
        const pool = mysql.createPool(server.url)
        await work(pool)
        await pool.end()
      }
      await query((pool) => migrateMysql(pool))
      return {
        env: {},
        openOriginal: () => open(server.url),
        prepareRestore: async () => ({}),
        openRestored: () => open(restoredUrl),
        stop: () => server.stop(),
      }
    },
  },
  {
    heading: 'etcd',
    packages: ['etcd-server', 'etcd-client'],
    isInstalled: etcdProgram() !== undefined && hasProgram('etcdctl', 'version'),
    async start(folder) {
      const server = await startEtcd()
      let restored: Awaited<ReturnType<typeof startEtcd>> | undefined
      const open = async (endpoint: string): Promise<OpenedStore> => ({
        store: createEtcdStore({ endpoints: [endpoint] }),
        location: `etcd:${endpoint}`,
        close: async () => {},
      })
      return {
        env: { ENDPOINT: server.endpoint, ETCDCTL_API: '3' },
        openOriginal: () => open(server.endpoint),
        prepareRestore: async () => ({}),
        async openRestored() {
          restored ??= await startEtcd(['--data-dir', join(folder, 'restored.etcd')])
          return open(restored.endpoint)
        },
        async stop() {
          await restored?.stop()
          await server.stop()
        },
      }
    },
  },
]

const password = 'correct-horse'

function withPassword(url: string): string {
  return url.replace('postgres@', `postgres:${password}@`)
}

/** The line of a server in a password file. */
function passwordLineOf({ url }: PostgresServer): string {
  return `127.0.0.1:${new URL(url).port}:*:postgres:${password}\n`
}

/** Lets a server reject connections without the password. */
async function requirePassword(pool: pg.Pool, dataFolder: string): Promise<void> {
  await pool.query(`ALTER ROLE postgres PASSWORD '${password}'`)
  const rule = 'host all all 127.0.0.1/32 scram-sha-256\n'
  writeFileSync(join(dataFolder, 'pg_hba.conf'), rule)
  await pool.query('SELECT pg_reload_conf()')
}

/** Opens a pool. Its idle connections can fail when the server stops. */
export function openPool(connectionString: string): pg.Pool {
  return new pg.Pool({ connectionString }).on('error', () => {})
}

function hasProgram(name: string, parameter = '--version'): boolean {
  return spawnSync(name, [parameter], { stdio: 'ignore' }).status === 0
}
