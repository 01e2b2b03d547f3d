/** Opens the store of a command. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EncryptedStore, EncryptedStoreOptions } from '../../storage/encrypted.js'
import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'
import { checkEncryption, type KeyedStore } from './check-encryption.js'
import { matchKeys } from './match-keys.js'
import { type Access, type OpenStore, openStore } from './open-store.js'
import { describeStore, type StoreLocation } from './parse-store.js'
import { readKey } from './read-key.js'
import { findKeyFiles, locateStore, type StoreFlags } from './store-flags.js'

/** The store of a command. */
export interface CommandStore extends Omit<OpenStore, 'encrypted'>, KeyedStore {
  /** The store as it is printed, without credentials, and with its key file. */
  readonly description: string
  readonly kind: StoreLocation['kind']
}

/**
 * Opens the store that the flags describe. With `create`, also creates its tables.
 * @throws CommandError if it cannot be opened, or if the key file does not belong to the store.
 * @throws StorageError if the store fails.
 */
export async function openCommandStore(
  line: CommandLine,
  flags: StoreFlags,
  access: Access,
): Promise<CommandStore> {
  const opened = await openUncheckedStore(line, flags, access)
  try {
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
  options: Omit<EncryptedStoreOptions, 'keys'> = {},
): Promise<CommandStore> {
  const folder = line.process.cwd()
  const location = locateStore(line, flags)
  const name = describeStore(location)
  const files = findKeyFiles(line, flags, location)
  const read = (file: string): Promise<Uint8Array> =>
    readKey(folder, file, remedyWithoutKey(location, folder, file))
  const [first, ...others] = await Promise.all(files.map(read))
  const opened = await openStore(location, folder, access)
  try {
    if (access === 'create') await opened.migrate()
    if (first === undefined) {
      const { kind } = location
      const plain = { keyFile: undefined, missingKeys: [], isKeyOfEnvironment: false }
      const { store, encrypted } = opened
      return {
        ...opened,
        ...plain,
        name,
        description: name,
        kind,
        encrypted,
        inner: encrypted?.inner ?? store,
      }
    }
    const { provider, missing } = await matchKeys(opened.store.records, [first, ...others])
    const keyed = {
      keyFile: files.join(' and '),
      missingKeys: missing,
      isKeyOfEnvironment: flags.encrypt === undefined,
    }
    return await encryptStore(opened, location, keyed, { ...options, keys: provider })
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Wraps an open store with encryption. */
export async function encryptStore(
  opened: OpenStore,
  location: StoreLocation,
  keyed: Pick<KeyedStore, 'missingKeys' | 'isKeyOfEnvironment'> & { readonly keyFile: string },
  options: EncryptedStoreOptions,
): Promise<CommandStore & { readonly encrypted: EncryptedStore }> {
  const { createEncryptedStore } = await import('../../storage/encrypted.js')
  const name = describeStore(location)
  if (opened.encrypted !== undefined)
    throw new CommandError(
      `${name} is encrypted already, by its module`,
      'Leave --encrypt and COFFERKIT_KEY_FILE out.',
    )
  const encrypted = createEncryptedStore(opened.store, options)
  return {
    ...opened,
    ...keyed,
    name,
    description: `${name}, encrypted with ${keyed.keyFile}`,
    inner: opened.store,
    store: encrypted,
    encrypted,
    kind: location.kind,
    async close() {
      await encrypted.close()
      await opened.close()
    },
  }
}

/** Returns the store as the object of a sentence, such as `a new SQLite file a.db (plaintext)`. */
export function formatStore(opened: CommandStore): string {
  const { description, isCreated } = opened
  return `${isCreated ? 'a new ' : ''}${description}${isPlaintext(opened) ? ' (plaintext)' : ''}`
}

/** Returns true if the store is known to keep plaintext. */
export function isPlaintext({ encrypted, isOpaque, kind }: CommandStore): boolean {
  return encrypted === undefined && !isOpaque && kind !== 'memory'
}

/** A new key file is no help for an existing store. */
function remedyWithoutKey(location: StoreLocation, folder: string, keyFile: string): string {
  const keygen = `npx cofferkit keygen ${keyFile}`
  if (location.kind === 'memory') return `Run: ${keygen}`
  const name = describeStore(location)
  if (location.kind !== 'sqlite')
    return `Pass the key file that ${name} was encrypted with; for a new store, run: ${keygen}`
  return existsSync(resolve(folder, location.path))
    ? `${name} already exists: pass the key file that it was encrypted with.`
    : `Run: ${keygen}`
}
