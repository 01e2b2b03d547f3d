/** The stores that proofs are run against, by name: each on a fresh place that can be connected to again. */

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
import { openFolderBlobs } from '../../examples/own-store/folder-blobs.js'
import { openLogRecords } from '../../examples/own-store/log-records.js'
import { postgresFolder } from './postgres-binaries.js'
import { startPostgres } from './postgres-server.js'

/** A connection of its own to a place. */
export interface Connection {
  readonly store: VaultStore
  close(): Promise<void>
}

/** Somewhere empty for a store to keep things in. */
interface Place {
  /** By which it is connected to, from other processes too if the engine is shared. */
  readonly address: string
  /** Removes it with all that is in it, when every connection is closed. */
  remove(): Promise<void>
}

/** What a store stands on. */
export interface Engine {
  /** Whether other processes can connect to a place. */
  readonly isShared: boolean
  create(): Promise<Place>
  connect(address: string): Promise<Connection>
}

const sqlite = inFolder(async (folder) => {
  const store = await openSqliteStore(join(folder, 'vault.sqlite'))
  return { store, close: () => store.close() }
})
const own = inFolder(async (folder) => {
  const store = { records: openLogRecords(join(folder, 'log')), blobs: openFolderBlobs(folder) }
  return { store, close: async () => {} }
})
const memory = inProcess(async () => ({ store: createMemoryStore(), close: async () => {} }))
const postgres: Engine = { isShared: true, create: createServer, connect: connectToServer }

/** Every one of them, by its name. */
const engines: ReadonlyMap<string, Engine> = new Map([
  ['memory', memory],
  ['sqlite', sqlite],
  ['postgres', postgres],
  ['pglite', inProcess(openPGlite)],
  ['own', own],
  ['encrypted-memory', encrypted(memory)],
  ['encrypted-sqlite', encrypted(sqlite)],
  ['encrypted-postgres', encrypted(postgres)],
])

/** The engine of this name. @throws RangeError if there is none. */
export function engineOf(name: string): Engine {
  const engine = engines.get(name)
  if (engine === undefined)
    throw new RangeError(`${name} is none of the stores ${[...engines.keys()].join(', ')}`)
  return engine
}

/** Those of the names that can be run here: PostgreSQL has to be installed, or named by `DATABASE_URL`. */
export function runnable(names: readonly string[]): string[] {
  const hasServer = process.env['DATABASE_URL'] !== undefined || postgresFolder() !== undefined
  return names.filter((name) => hasServer || !name.endsWith('postgres'))
}

/** An engine whose places live in this process, each with one connection. */
function inProcess(open: () => Promise<Connection>): Engine {
  const places = new Map<string, Connection>()
  return {
    isShared: false,
    async create() {
      const address = String(places.size)
      const connection = await open()
      places.set(address, connection)
      return { address, remove: () => connection.close() }
    },
    async connect(address) {
      const connection = places.get(address)
      if (connection === undefined) throw new RangeError('there is no such place')
      return { store: connection.store, close: async () => {} }
    },
  }
}

/** An engine whose places are folders. */
function inFolder(connect: Engine['connect']): Engine {
  return {
    isShared: true,
    connect,
    async create() {
      const address = await mkdtemp(join(tmpdir(), 'cofferkit-proof-'))
      return { address, remove: () => rm(address, { recursive: true, force: true }) }
    },
  }
}

/** The engine under encryption, with one key for all. */
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

async function openPGlite(): Promise<Connection> {
  const database = new PGlite()
  await migratePostgres(database)
  return { store: createPostgresStore(database), close: () => database.close() }
}

/** A schema of its own on the server that `DATABASE_URL` names, else a server of its own. */
async function createServer(): Promise<Place> {
  const given = process.env['DATABASE_URL']
  const server = given === undefined ? await startPostgres() : undefined
  const url = server?.url ?? given ?? ''
  const schema = `cofferkit_proof_${process.pid}_${Date.now()}`
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
  // A connection that is cut while it waits in the pool is met again when it is used.
  pool.on('error', () => {})
  return pool
}
