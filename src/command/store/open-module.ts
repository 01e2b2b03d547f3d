/** Opens a store that a module of the user exports. */

import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isVaultError, redactError, type VaultStore } from '../../index.js'
import { CommandError } from '../command-error.js'

/**
 * Imports a module whose default export is a store, or a function that returns one or a promise of
 * it. A store that has the function `close` is closed at the end.
 * @throws CommandError if the module cannot be imported, or if its default export is not a store.
 */
export async function openModule(
  path: string,
): Promise<{ readonly store: VaultStore; close(): Promise<void> }> {
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
  return { store, close: async () => void (await store.close?.()) }
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
