/** The flags `--store` and `--encrypt`, and the store that they describe. */

import { resolve } from 'node:path'
import type { EncryptedStore, EncryptedStoreOptions } from '../../storage/encrypted.js'
import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'
import { type OpenStore, openStore } from './open-store.js'
import { defaultStore, describeStore, parseStore, type StoreLocation } from './parse-store.js'

/** The values of {@link storeFlags}. */
export interface StoreFlags {
  readonly store?: StoreLocation
  readonly encrypt?: string
}

/** The flags of every command that opens a store. */
export const storeFlags = {
  store: {
    kind: 'parsed',
    parse: parseStore,
    optional: true,
    brief: 'The store; $COFFERKIT_STORE or sqlite:cofferkit.db if absent',
    placeholder: 'STORE',
  },
  encrypt: {
    kind: 'parsed',
    parse: String,
    optional: true,
    brief: 'Encrypt with the key of this file, which keygen creates',
    placeholder: 'KEYFILE',
  },
} as const

/** The store of a command. */
export interface CommandStore extends OpenStore {
  /** The store as it is printed, without credentials. */
  readonly description: string
  readonly kind: StoreLocation['kind']
  /** The store with the maintenance of its keys, if it is encrypted. */
  readonly encrypted: EncryptedStore | undefined
}

/** Returns the location of the store: of the flag, of the environment, or of the default. */
export function locateStore({ process }: CommandLine, { store }: StoreFlags): StoreLocation {
  return store ?? parseStore(process.env['COFFERKIT_STORE'] ?? defaultStore)
}

/**
 * Opens the store that the flags describe.
 * @param isNew - True if a SQLite file is created if it does not exist.
 * @throws CommandError, or StorageError if the store fails.
 */
export async function openCommandStore(
  line: CommandLine,
  flags: StoreFlags,
  isNew: boolean,
): Promise<CommandStore> {
  const folder = line.process.cwd()
  const location = locateStore(line, flags)
  const description = describeStore(location)
  if (flags.encrypt === undefined)
    return {
      ...(await openStore(location, folder, isNew)),
      description,
      kind: location.kind,
      encrypted: undefined,
    }
  const { createLocalKeyProvider } = await import('../../storage/encrypted.js')
  const keys = createLocalKeyProvider({ key: await readKey(folder, flags.encrypt) })
  const opened = await openStore(location, folder, isNew)
  return encryptStore(opened, location, flags.encrypt, { keys })
}

/** Wraps an open store with encryption. */
export async function encryptStore(
  opened: OpenStore,
  location: StoreLocation,
  keyFile: string,
  options: EncryptedStoreOptions,
): Promise<CommandStore & { readonly encrypted: EncryptedStore }> {
  const { createEncryptedStore } = await import('../../storage/encrypted.js')
  const encrypted = createEncryptedStore(opened.store, options)
  return {
    ...opened,
    store: encrypted,
    encrypted,
    kind: location.kind,
    description: `${describeStore(location)}, encrypted with ${keyFile}`,
    async close() {
      await encrypted.close()
      await opened.close()
    },
  }
}

/** Reads a key file. @throws CommandError if it does not exist, StorageError if it is invalid. */
export async function readKey(folder: string, path: string): Promise<Uint8Array> {
  const [{ existsSync }, { readKeyFile }] = await Promise.all([
    import('node:fs'),
    import('../../storage/encrypted.js'),
  ])
  const file = resolve(folder, path)
  if (!existsSync(file))
    throw new CommandError(
      `the key file ${path} does not exist`,
      `Run: npx cofferkit keygen ${path}`,
    )
  return readKeyFile(file)
}
