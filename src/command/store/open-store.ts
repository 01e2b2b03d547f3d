/** Opens the store of a command. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isVaultError, redactError, type VaultStore } from '../../index.js'
import type { SqliteDriver } from '../../storage/sqlite.js'
import { CommandError } from '../command-error.js'
import { importPackage } from './import-package.js'
import type { StoreLocation } from './parse-store.js'

/** An open store. */
export interface OpenStore {
  readonly store: VaultStore
  /** Creates the tables, or migrates them. Does nothing for a store without tables. */
  migrate(): Promise<void>
  /** Closes the store and its connections. */
  close(): Promise<void>
}

/** The connections of a database driver. */
interface Pool {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  execute(text: string, values: unknown[]): Promise<unknown>
  on?(event: 'error', listener: () => void): unknown
  end(): Promise<void>
}

const none = async (): Promise<void> => {}

/**
 * Opens a store.
 * @param folder - The folder of relative paths, and of the project that has the database driver.
 * @param isNew - True if a SQLite file is created if it does not exist.
 * @throws CommandError if a driver is missing, or if a file does not exist or is not a store.
 * @throws StorageError if the store fails.
 */
export async function openStore(
  location: StoreLocation,
  folder: string,
  isNew: boolean,
): Promise<OpenStore> {
  switch (location.kind) {
    case 'memory': {
      const { createMemoryStore } = await import('../../storage/memory.js')
      return { store: createMemoryStore(), migrate: none, close: none }
    }
    case 'sqlite':
      return openSqlite(resolve(folder, location.path), folder, isNew)
    case 'postgres':
      return openPostgres(location.url, folder)
    case 'mysql':
      return openMysql(location.url, folder)
    case 'etcd':
      throw new CommandError('stores in etcd are not available in this version')
    case 'module':
      return openModule(resolve(folder, location.path))
  }
}

async function openSqlite(path: string, folder: string, isNew: boolean): Promise<OpenStore> {
  if (!isNew && !existsSync(path))
    throw new CommandError(`${path} does not exist`, 'Name another one with --store sqlite:PATH.')
  const { openSqliteStore } = await import('../../storage/sqlite.js')
  const driver = await findSqliteDriver(folder)
  const store = await openSqliteStore(path, driver === undefined ? {} : { driver })
  return { store, migrate: none, close: () => store.close() }
}

/** Returns undefined for the driver of Node, and better-sqlite3 before Node 22.13. */
async function findSqliteDriver(folder: string): Promise<SqliteDriver | undefined> {
  if (process.getBuiltinModule('node:sqlite') !== undefined) return undefined
  const { default: driver } = await importPackage('better-sqlite3', folder).catch(() => {
    throw new CommandError(
      `Node ${process.versions.node} has no SQLite`,
      'Use Node 22.13 or later, run: npm install better-sqlite3, or pass --store memory.',
    )
  })
  return driver as SqliteDriver
}

async function openPostgres(connectionString: string, folder: string): Promise<OpenStore> {
  const { Pool } = await importPackage('pg', folder)
  const { createPostgresStore, migratePostgres } = await import('../../storage/postgres.js')
  const pool: Pool = Reflect.construct(asConstructor(Pool), [{ connectionString }])
  // A connection that breaks while it is idle is replaced. Without a listener Node would exit.
  pool.on?.('error', () => {})
  return {
    store: createPostgresStore(pool),
    migrate: () => migratePostgres(pool),
    close: () => pool.end(),
  }
}

async function openMysql(url: string, folder: string): Promise<OpenStore> {
  const { createPool } = await importPackage('mysql2/promise', folder)
  const { createMysqlStore, migrateMysql } = await import('../../storage/mysql.js')
  const pool: Pool = Reflect.apply(asConstructor(createPool), undefined, [url])
  return {
    store: createMysqlStore(pool),
    migrate: () => migrateMysql(pool),
    close: () => pool.end(),
  }
}

function asConstructor(value: unknown): new (...values: unknown[]) => Pool {
  if (typeof value === 'function') return value as new (...values: unknown[]) => Pool
  throw new CommandError('the installed database driver has an unknown form')
}

/** Imports a module whose default export is a store, or a function that returns one. */
async function openModule(path: string): Promise<OpenStore> {
  if (!existsSync(path)) throw new CommandError(`${path} does not exist`)
  const exported = await importDefault(path)
  let store: VaultStore & { close?(): unknown }
  try {
    store = typeof exported === 'function' ? await exported() : exported
  } catch (error) {
    if (isVaultError(error)) throw error
    // The error of a driver can contain a password.
    const { message } = redactError(error)
    throw new CommandError(`the function that ${path} exports failed: ${message}`)
  }
  const { records, blobs } = Object(store)
  const { get, put, delete: remove, list } = Object(records)
  const { read, write, delete: removeBlob } = Object(blobs)
  const members: readonly unknown[] = [get, put, remove, list, read, write, removeBlob]
  if (members.some((member) => typeof member !== 'function'))
    throw new CommandError(
      `the default export of ${path} is not a store`,
      'Export a store with records and blobs, or a function that returns one.',
    )
  return { store, migrate: none, close: async () => void (await store.close?.()) }
}

async function importDefault(path: string) {
  try {
    return (await import(pathToFileURL(path).href)).default
  } catch (error) {
    const { code, name, message } = Object(error)
    const isUnresolved = code === 'ERR_MODULE_NOT_FOUND' || name === 'SyntaxError'
    const reason = isUnresolved ? message : redactError(error).message
    throw new CommandError(`${path} cannot be imported: ${reason}`)
  }
}
