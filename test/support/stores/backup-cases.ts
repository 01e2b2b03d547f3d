/** The databases whose backups docs/production.md describes. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { etcdProgram, startEtcd } from '../../../reliability/support/etcd-server.js'
import { hasMysql, startMysql } from '../../../reliability/support/mysql-server.js'
import { postgresFolder } from '../../../reliability/support/postgres-binaries.js'
import { startPostgres } from '../../../reliability/support/postgres-server.js'
import type { VaultStore } from '../../../src/index.js'
import { createEtcdStore } from '../../../src/storage/etcd.js'
import { createMysqlStore, migrateMysql } from '../../../src/storage/mysql.js'
import { createPostgresStore, migratePostgres } from '../../../src/storage/postgres.js'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
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
        prepareRestore: async () => ({}),
        openRestored: () => open('restored.db'),
        stop: async () => {},
      }
    },
  },
  {
    heading: 'PostgreSQL',
    packages: ['postgresql'],
    isInstalled: postgresFolder() !== undefined && hasProgram('pg_dump'),
    async start() {
      const server = await startPostgres()
      return startSqlServer<pg.Pool>(server, {
        env: { DATABASE_URL: server.url },
        restoredUrl: server.url.replace(/postgres$/, 'restored'),
        openPool,
        createStore: createPostgresStore,
        migrate: migratePostgres,
      })
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
      return startSqlServer<mysql.Pool>(server, {
        env: {},
        restoredUrl: server.url.replace(/vault$/, 'restored'),
        openPool: (url) => mysql.createPool(url),
        createStore: createMysqlStore,
        migrate: migrateMysql,
      })
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

/** Connections to a database. */
interface SqlPool {
  query(statement: string): Promise<unknown>
  end(): Promise<unknown>
}

/** The parts in which the servers of SQL differ. */
interface SqlServer<Pool extends SqlPool> {
  readonly env: Readonly<Record<string, string>>
  /** The URL of the database `restored`, which does not exist yet. */
  readonly restoredUrl: string
  openPool(url: string): Pool
  createStore(pool: Pool): VaultStore
  migrate(pool: Pool): Promise<unknown>
}

/** Prepares the original database of a server that has been started. */
async function startSqlServer<Pool extends SqlPool>(
  { url, stop }: { readonly url: string; stop(): Promise<void> },
  { env, restoredUrl, openPool, createStore, migrate }: SqlServer<Pool>,
): Promise<BackupServer> {
  const open = async (location: string): Promise<OpenedStore> => {
    const pool = openPool(location)
    return { store: createStore(pool), location, close: () => pool.end() }
  }
  const withPool = async (work: (pool: Pool) => Promise<unknown>): Promise<void> => {
    const pool = openPool(url)
    await work(pool).finally(() => pool.end())
  }
  await withPool(migrate)
  return {
    env,
    openOriginal: () => open(url),
    async prepareRestore() {
      await withPool((pool) => pool.query('CREATE DATABASE restored'))
      return { RESTORED: restoredUrl }
    },
    openRestored: () => open(restoredUrl),
    stop,
  }
}

/** Opens a pool. Its idle connections can fail when the server stops. */
export function openPool(connectionString: string): pg.Pool {
  return new pg.Pool({ connectionString }).on('error', () => {})
}

function hasProgram(name: string, parameter = '--version'): boolean {
  return spawnSync(name, [parameter], { stdio: 'ignore' }).status === 0
}
