/** The stores that the programs run on, by name. Each starts empty and can be connected to again. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { VaultStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import { openSqliteStore } from 'cofferkit/sqlite'
import pg from 'pg'
import { openLevelDatabase } from '../../../examples/level-database.js'
import { openFolderBlobs } from '../../../examples/own-store-blobs.js'
import { openLogRecords } from '../../../examples/own-store-records.js'
import { createStore } from '../../../examples/store-template/src/index.js'
import { connectToEtcd, createEtcdLocation } from './etcd-engine.js'
import { etcdProgram } from './etcd-server.js'
import { connectToLibsql, createLibsqlLocation, libsqlProgram } from './libsql-server.js'
import { connectToMysql, createMysqlLocation } from './mysql-location.js'
import { hasMysql } from './mysql-server.js'
import { postgresFolder } from './postgres-binaries.js'
import { startPostgres } from './postgres-server.js'
import { installedDrivers, loadDriver } from './sqlite-drivers.js'

/** A connection to a location. */
export interface Connection {
  readonly store: VaultStore
  close(): Promise<void>
}

/** A place for the data of a store, such as a folder. */
interface Location {
  /** Used to connect to it, also from other processes if the engine is shared. */
  readonly address: string
  /** Removes it with all its data. Every connection must be closed before. */
  remove(): Promise<void>
}

/** A kind of store. */
export interface Engine {
  /** True if other processes can connect to a location. */
  readonly isShared: boolean
  /** Creates an empty location. */
  create(): Promise<Location>
  connect(address: string): Promise<Connection>
}

const sqlite = inFile('node:sqlite')
const own = inFolder(async (folder) => {
  const store = { records: openLogRecords(join(folder, 'log')), blobs: openFolderBlobs(folder) }
  return { store, close: async () => {} }
})
const memory = inProcess(async () => ({ store: createMemoryStore(), close: async () => {} }))
const postgres: Engine = { isShared: true, create: createServer, connect: connectToServer }
const etcd: Engine = { isShared: true, create: createEtcdLocation, connect: connectToEtcd }
const mysql: Engine = { isShared: true, create: createMysqlLocation, connect: connectToMysql }
const libsqlServer: Engine = {
  isShared: true,
  create: createLibsqlLocation,
  connect: connectToLibsql,
}

/** All engines by name. */
const engines: ReadonlyMap<string, Engine> = new Map([
  ['memory', memory],
  ['sqlite', sqlite],
  ['better-sqlite3', inFile('better-sqlite3')],
  ['libsql', inFile('libsql')],
  ['postgres', postgres],
  ['mysql', mysql],
  ['pglite', inProcess(openPGlite)],
  ['own', own],
  ['level', inProcess(openLevel)],
  ['etcd', etcd],
  ['libsql-server', libsqlServer],
  ['encrypted-memory', encrypted(memory)],
  ['encrypted-sqlite', encrypted(sqlite)],
  ['encrypted-postgres', encrypted(postgres)],
  ['encrypted-mysql', encrypted(mysql)],
])

/** The stores that several processes can use, each in its plain form. */
export const sharedStores: readonly string[] = [...engines]
  .filter(([name, { isShared }]) => isShared && !name.startsWith('encrypted-'))
  .map(([name]) => name)

/** The engine of this name. @throws RangeError if it does not exist. */
export function findEngine(name: string): Engine {
  const engine = engines.get(name)
  if (engine === undefined)
    throw new RangeError(`no store is called ${name}; stores: ${[...engines.keys()].join(', ')}`)
  return engine
}

/**
 * The names without those that cannot be used: PostgreSQL and MySQL, unless they are installed or
 * `DATABASE_URL` or `MYSQL_URL` is set, and etcd, libsql and libSQL's server, unless they are
 * installed.
 */
export function filterAvailable(names: readonly string[]): string[] {
  const hasPostgres = process.env['DATABASE_URL'] !== undefined || postgresFolder() !== undefined
  return names
    .filter((name) => hasPostgres || !name.endsWith('postgres'))
    .filter((name) => hasMysql() || !name.endsWith('mysql'))
    .filter((name) => etcdProgram() !== undefined || name !== 'etcd')
    .filter((name) => installedDrivers.includes('libsql') || name !== 'libsql')
    .filter((name) => libsqlProgram() !== undefined || name !== 'libsql-server')
}

/** An engine whose locations are in this process, each with one connection. */
function inProcess(open: () => Promise<Connection>): Engine {
  const connections = new Map<string, Connection>()
  return {
    isShared: false,
    async create() {
      const address = String(connections.size)
      const connection = await open()
      connections.set(address, connection)
      return { address, remove: () => connection.close() }
    },
    async connect(address) {
      const connection = connections.get(address)
      if (connection === undefined) throw new RangeError('the location does not exist')
      return { store: connection.store, close: async () => {} }
    },
  }
}

/** An engine whose locations are folders. */
function inFolder(connect: Engine['connect']): Engine {
  return {
    isShared: true,
    connect,
    async create() {
      const address = await mkdtemp(join(tmpdir(), 'cofferkit-reliability-'))
      return { address, remove: () => rm(address, { recursive: true, force: true }) }
    },
  }
}

/** An engine in a file that a driver of SQLite opens. */
function inFile(name: string): Engine {
  return inFolder(async (folder) => {
    const driver = loadDriver(name)
    const store = await openSqliteStore(join(folder, 'vault.sqlite'), { driver })
    return { store, close: () => store.close() }
  })
}

/** The engine with encryption, with the same key for all locations. */
function encrypted({ isShared, create, connect }: Engine): Engine {
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  return {
    isShared,
    create,
    async connect(address) {
      const { store, close } = await connect(address)
      return { store: createEncryptedStore(store, { keys }), close }
    },
  }
}

async function openLevel(): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-reliability-'))
  const database = await openLevelDatabase(folder)
  const close = async (): Promise<void> => {
    await database.close()
    await rm(folder, { recursive: true })
  }
  return { store: createStore(database), close }
}

async function openPGlite(): Promise<Connection> {
  const database = new PGlite()
  await migratePostgres(database)
  return { store: createPostgresStore(database), close: () => database.close() }
}

/** A schema on the server in `DATABASE_URL`, otherwise a server of its own. */
async function createServer(): Promise<Location> {
  const given = process.env['DATABASE_URL']
  const server = given === undefined ? await startPostgres() : undefined
  const url = server?.url ?? given ?? ''
  const schema = `cofferkit_reliability_${process.pid}_${Date.now()}`
  const withPool = async (work: (pool: pg.Pool) => Promise<unknown>): Promise<void> => {
    const pool = openPool(url)
    await work(pool).finally(() => pool.end())
  }
  await withPool(async (pool) => {
    await pool.query(`CREATE SCHEMA ${schema}`)
    await migratePostgres(pool, { schema })
  })
  return {
    address: JSON.stringify({ url, schema }),
    remove: () =>
      server === undefined
        ? withPool((pool) => pool.query(`DROP SCHEMA ${schema} CASCADE`))
        : server.stop(),
  }
}

async function connectToServer(address: string): Promise<Connection> {
  const { url, schema }: { url: string; schema: string } = JSON.parse(address)
  const pool = openPool(url)
  return { store: createPostgresStore(pool, { schema, prepare: true }), close: () => pool.end() }
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  // An idle connection that is cut fails again when it is used.
  pool.on('error', () => {})
  return pool
}
