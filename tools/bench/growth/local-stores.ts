/** Stores in this process: in memory and in SQLite, plain and encrypted. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { VaultStore } from 'cofferkit'
import type { LoadedBuild } from '../load-build.js'

/** A store, and the function that closes it. */
interface LocalStore {
  readonly store: VaultStore
  close(): void
}

/** Opens an empty store. The name is that of its file in the folder. */
export type OpenLocalStore = (
  build: LoadedBuild,
  folder: string,
  name: string,
) => Promise<LocalStore>

/** Opens a store in memory. */
export const openMemory: OpenLocalStore = async (build) => {
  return { store: (await build.memory()).createMemoryStore(), close: () => {} }
}

/** Opens a store in a new SQLite file, whose commits do not wait for the disk. */
export const openFastSqlite: OpenLocalStore = async (build, folder, name) => {
  const database = new DatabaseSync(join(folder, `${name}.db`))
  const store = (await build.sqlite()).createSqliteStore(database)
  database.exec('pragma synchronous = off')
  return { store, close: () => database.close() }
}

/** Encrypts the stores that are opened. */
export function encrypted(open: OpenLocalStore): OpenLocalStore {
  return async (build, folder, name) => {
    const { store, close } = await open(build, folder, name)
    const { createEncryptedStore, createLocalKeyProvider } = await build.encrypted()
    const keys = createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
    return { store: createEncryptedStore(store, { keys }), close }
  }
}
