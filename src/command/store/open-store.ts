/** Opens the store at a location. */

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { VaultStore } from '../../index.js'
import type { EncryptedStore } from '../../storage/encrypted.js'
import type { ServerStore } from '../../storage/postgres.js'
import { CommandError } from '../command-error.js'
import { openModule } from './open-module.js'
import type { StoreLocation } from './parse-store.js'

/**
 * The access of a command: `create` creates a SQLite file if it does not exist. For a `dry-run`, a
 * store that does not exist counts as empty, and nothing is created.
 */
export type Access = 'existing' | 'create' | 'dry-run'

/** An open store. */
export interface OpenStore {
  readonly store: VaultStore
  /** True for the store of a module, which may be encrypted without this command seeing it. */
  readonly isOpaque: boolean
  /** The key maintenance of an opaque store, if it is known to be encrypted. */
  readonly encrypted?: EncryptedStore | undefined
  /**
   * The options of `cofferkit relay` in a configuration, unchecked. Undefined if there are none.
   */
  readonly relay?: unknown
  /** True for a SQLite file that did not exist. */
  readonly isCreated: boolean
  /** Creates the tables, or migrates them. Does nothing for a store without tables. */
  migrate(): Promise<void>
  /** False if only a module can create the tables, and it has no function for that. */
  readonly canMigrate?: boolean
  /**
   * Rejects with a CommandError if the tables are in another schema. Undefined for a store without
   * schemas, and if the user has named one.
   */
  readonly assertSchema?: (() => Promise<void>) | undefined
  /**
   * Reads the clock of a database server, and the settings that decide what survives a crash.
   * Undefined for a store without a server.
   */
  readonly readSettings: ServerStore['readSettings'] | undefined
  /** Returns false if the tables of a database server do not exist yet. */
  readonly hasTables?: ServerStore['hasTables'] | undefined
  /**
   * Rewrites the file, so that no overwritten or deleted data remains in it. Undefined for a store
   * without a file.
   */
  readonly compact?: () => Promise<void>
  /** Returns the state of the connections. Undefined for a store without a pool. */
  readonly pool?: (() => PoolState) | undefined
  /**
   * Returns the ids of all contents of files, as they are stored. Undefined if the store cannot
   * list them.
   */
  readonly listBlobIds?: () => Promise<readonly string[]>
  /** Closes the store and its connections. */
  close(): Promise<void>
}

/** The connections of a pool. */
export interface PoolState {
  readonly total: number
  readonly idle: number
  /** Calls that wait for a connection. */
  readonly waiting: number
}

/** The connections of a database driver. */
interface Pool {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  execute(text: string, values: unknown[]): Promise<unknown>
  on?(event: 'error', listener: () => void): unknown
  /** The connections of `pg`. */
  readonly totalCount?: number
  readonly idleCount?: number
  readonly waitingCount?: number
  end(): Promise<void>
}

const none = async (): Promise<void> => {}

/**
 * Opens a store.
 * @param folder - The folder of relative paths, and of the project that has the database driver.
 * @throws CommandError if a driver is missing, or if a file does not exist or is not a store.
 * @throws StorageError if the store fails.
 */
export async function openStore(
  location: StoreLocation,
  folder: string,
  access: Access,
): Promise<OpenStore> {
  const opened = await openLocation(location, folder, access)
  try {
    await opened.assertSchema?.()
    return access === 'dry-run' && (await opened.hasTables?.()) === false
      ? { ...opened, store: await createEmptyStore() }
      : opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openLocation(
  location: StoreLocation,
  folder: string,
  access: Access,
): Promise<OpenStore> {
  switch (location.kind) {
    case 'memory':
      return withoutTables(await createEmptyStore(), none)
    case 'sqlite':
      return openSqlite(location.path, folder, access)
    case 'postgres':
      return openPostgres(location, folder)
    case 'mysql':
      return openMysql(location.url, folder)
    case 'etcd': {
      const { createEtcdStore } = await import('../../storage/etcd.js')
      const { kind: _, ...options } = location
      return withoutTables(createEtcdStore(options), none)
    }
    case 'module':
    case 'config': {
      const opened = await openModule(folder, location.path, location.kind)
      const { store, encrypted, migrate, relay, close } = opened
      const inner: Partial<ServerStore> = encrypted?.inner ?? store
      return {
        ...withoutTables(store, close),
        readSettings: inner.readSettings,
        hasTables: inner.hasTables,
        isOpaque: true,
        encrypted,
        relay,
        migrate: migrate ?? none,
        canMigrate: migrate !== undefined,
      }
    }
  }
}

async function createEmptyStore(): Promise<VaultStore> {
  const { createMemoryStore } = await import('../../storage/memory.js')
  return createMemoryStore()
}

function withoutTables(store: VaultStore, close: () => Promise<void>): OpenStore {
  const migrate = none
  return { store, isOpaque: false, isCreated: false, migrate, readSettings: undefined, close }
}

async function openSqlite(name: string, folder: string, access: Access): Promise<OpenStore> {
  const path = resolve(folder, name)
  const isCreated = !existsSync(path)
  checkSqliteFile(name, folder)
  if (isCreated && access === 'existing')
    throw new CommandError(
      `${path} does not exist`,
      'Name another one with --store sqlite:PATH, or create it with cofferkit seed FILE.',
    )
  if (isCreated && access === 'dry-run')
    return { ...withoutTables(await createEmptyStore(), none), isCreated }
  const { openSqliteStore } = await import('../../storage/sqlite.js')
  const store = await openSqliteStore(path)
  return {
    ...withoutTables(store, () => store.close()),
    isCreated,
    listBlobIds: store.listBlobIds,
    compact: store.compact,
  }
}

/** The first bytes of every SQLite file (https://sqlite.org/fileformat.html, section 1.3). */
const header = Buffer.from('SQLite format 3\0')

/**
 * Checks the path of a SQLite file before it is opened.
 * @param name - The path as the user has written it.
 * @throws CommandError if the folder of a new file does not exist, or if the file cannot be read or
 * is not a SQLite file. An empty file is a database without tables.
 */
function checkSqliteFile(name: string, folder: string): void {
  const path = resolve(folder, name)
  if (!existsSync(path)) {
    if (!existsSync(dirname(path)))
      throw new CommandError(`the folder ${dirname(name)} does not exist`)
    return
  }
  const start = readStart(path, name)
  if (start.length > 0 && !start.equals(header))
    throw new CommandError(`${name} is not a SQLite file`, 'Name another one with --store.')
}

function readStart(path: string, name: string): Buffer {
  const bytes = Buffer.alloc(header.length)
  try {
    const file = openSync(path, 'r')
    try {
      return bytes.subarray(0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const { code = 'unknown' } = Object(error)
    throw new CommandError(`${name} cannot be read: ${code}`)
  }
}

/**
 * Imports a database driver, which cofferkit does not install: a package that is installed in the project of a folder or of one of its parents.
 * @param specifier - The package, or a subpath of it, such as `mysql2/promise`.
 * @returns The exports. Those of a CommonJS package are its `module.exports`.
 * @throws CommandError with the command that installs the package, if it is not installed.
 */
async function importPackage(
  specifier: string,
  folder: string,
): Promise<Readonly<Record<string, unknown>>> {
  let path: string
  try {
    path = createRequire(join(folder, 'package.json')).resolve(specifier)
  } catch {
    const name = specifier.split('/')[0]
    throw new CommandError(
      `this store needs the package ${name}, which is not installed in ${folder}`,
      `Run: npm install ${name}`,
    )
  }
  const exports: { readonly default?: object } = await import(pathToFileURL(path).href)
  return { ...exports, ...exports.default }
}

async function openPostgres(
  { url: connectionString, schema }: StoreLocation & { readonly kind: 'postgres' },
  folder: string,
): Promise<OpenStore> {
  const { Pool } = await importPackage('pg', folder)
  const { createPostgresStore, migratePostgres } = await import('../../storage/postgres.js')
  const pool: Pool = Reflect.construct(asConstructor(Pool), [{ connectionString }])
  // An idle connection that breaks is replaced. If there were no listener, Node would exit.
  pool.on?.('error', () => {})
  const store = createPostgresStore(pool, { schema })
  const assertSchema = async (): Promise<void> => {
    if (await store.hasTables()) return
    const names = await store.findSchemas()
    if (names.length > 0)
      throw new CommandError(
        `the tables of cofferkit are in the schema ${names.join(' or ')}`,
        `Pass --schema ${names[0]}, or ?schema=${names[0]} at the end of the URL.`,
      )
  }
  return {
    store,
    isOpaque: false,
    isCreated: false,
    assertSchema: schema === undefined ? assertSchema : undefined,
    migrate: () => migratePostgres(pool, { schema }),
    readSettings: store.readSettings,
    hasTables: store.hasTables,
    pool() {
      const { totalCount: total = 0, idleCount: idle = 0, waitingCount: waiting = 0 } = pool
      return { total, idle, waiting }
    },
    listBlobIds: store.listBlobIds,
    close: () => pool.end(),
  }
}

async function openMysql(url: string, folder: string): Promise<OpenStore> {
  const { createPool } = await importPackage('mysql2/promise', folder)
  const { createMysqlStore, migrateMysql } = await import('../../storage/mysql.js')
  const pool: Pool = Reflect.apply(asConstructor(createPool), undefined, [url])
  const store = createMysqlStore(pool)
  return {
    store,
    isOpaque: false,
    isCreated: false,
    migrate: () => migrateMysql(pool),
    readSettings: store.readSettings,
    hasTables: store.hasTables,
    listBlobIds: store.listBlobIds,
    close: () => pool.end(),
  }
}

function asConstructor(value: unknown): new (...values: unknown[]) => Pool {
  if (typeof value === 'function') return value as new (...values: unknown[]) => Pool
  throw new CommandError('the installed database driver has an unknown form')
}
