/** Opens the store of a command. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EncryptedStore, EncryptedStoreOptions } from '../../storage/encrypted.js'
import type { CommandLine } from '../command-line.js'
import { checkEncryption, type KeyedStore } from './check-encryption.js'
import { type Access, type OpenStore, openStore } from './open-store.js'
import { describeStore, type StoreLocation } from './parse-store.js'
import { readKey } from './read-key.js'
import { findKeyFile, locateStore, type StoreFlags } from './store-flags.js'

/** The store of a command. */
export interface CommandStore extends OpenStore, KeyedStore {
  /** The store as it is printed, without credentials, and with its key file. */
  readonly description: string
  readonly kind: StoreLocation['kind']
  /** The store with the maintenance of its keys, if it is encrypted. */
  readonly encrypted: EncryptedStore | undefined
}

/**
 * Opens the store that the flags describe. With `create`, also creates its tables.
 * @throws CommandError if it cannot be opened, or if the key file is not that of the store;
 * StorageError if the store fails.
 */
export async function openCommandStore(
  line: CommandLine,
  flags: StoreFlags,
  access: Access,
): Promise<CommandStore> {
  const opened = await openUncheckedStore(line, flags, access)
  try {
    if (access === 'create') await opened.migrate()
    await checkEncryption(opened)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Like {@link openCommandStore}, for a command that compares store and key file itself. */
export async function openUncheckedStore(
  line: CommandLine,
  flags: StoreFlags,
  access: Access,
): Promise<CommandStore> {
  const folder = line.process.cwd()
  const location = locateStore(line, flags)
  const keyFile = findKeyFile(line, flags)
  if (keyFile === undefined) {
    const opened = await openStore(location, folder, access)
    const name = describeStore(location)
    return {
      ...opened,
      name,
      description: name,
      inner: opened.store,
      kind: location.kind,
      encrypted: undefined,
      keyFile: undefined,
      isKeyOfEnvironment: false,
    }
  }
  const { createLocalKeyProvider } = await import('../../storage/encrypted.js')
  const key = await readKey(folder, keyFile, remedyWithoutKey(location, folder, keyFile))
  const opened = await openStore(location, folder, access)
  const isKeyOfEnvironment = flags.encrypt === undefined
  const keys = createLocalKeyProvider({ key })
  return encryptStore(opened, location, { keyFile, isKeyOfEnvironment }, { keys })
}

/** Wraps an open store with encryption. */
export async function encryptStore(
  opened: OpenStore,
  location: StoreLocation,
  key: { readonly keyFile: string; readonly isKeyOfEnvironment?: boolean },
  options: EncryptedStoreOptions,
): Promise<CommandStore & { readonly encrypted: EncryptedStore }> {
  const { createEncryptedStore } = await import('../../storage/encrypted.js')
  const encrypted = createEncryptedStore(opened.store, options)
  const name = describeStore(location)
  const { keyFile, isKeyOfEnvironment = false } = key
  return {
    ...opened,
    name,
    description: `${name}, encrypted with ${keyFile}`,
    inner: opened.store,
    store: encrypted,
    encrypted,
    kind: location.kind,
    keyFile,
    isKeyOfEnvironment,
    async close() {
      await encrypted.close()
      await opened.close()
    },
  }
}

/** Returns the store as the object of a sentence, such as `a new SQLite file a.db (plaintext)`. */
export function formatStore({ description, isCreated, kind, encrypted }: CommandStore): string {
  const isPlain = encrypted === undefined && kind !== 'memory'
  return `${isCreated ? 'a new ' : ''}${description}${isPlain ? ' (plaintext)' : ''}`
}

/** A new key file is of no use for a store that exists. */
function remedyWithoutKey(location: StoreLocation, folder: string, keyFile: string): string {
  if (location.kind === 'memory') return `Run: npx cofferkit keygen ${keyFile}`
  const name = describeStore(location)
  if (location.kind !== 'sqlite')
    return `Pass the key file that ${name} was encrypted with; for a new store, run: npx cofferkit keygen ${keyFile}`
  return existsSync(resolve(folder, location.path))
    ? `${name} exists already: pass the key file that it was encrypted with.`
    : `Run: npx cofferkit keygen ${keyFile}`
}
