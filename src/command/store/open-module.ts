/** Opens the store of a user's module: the one that `--store` names, or the configuration. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isVaultError, redactError, type VaultStore } from '../../index.js'
import type { EncryptedStore } from '../../storage/encrypted.js'
import { CommandError, describeVaultError } from '../command-error.js'

/** The store of a module. */
export interface ModuleStore {
  readonly store: VaultStore
  /** The store with its key maintenance, if it was made by `createEncryptedStore`. */
  readonly encrypted: EncryptedStore | undefined
  /** Creates the tables. Undefined if the module has no function for it. */
  readonly migrate: (() => Promise<void>) | undefined
  /** The options of `cofferkit relay`, unchecked. Undefined if the module has none. */
  readonly relay: unknown
  /** Closes the store, then what the module has opened for it. */
  close(): Promise<void>
}

/** The default export of a configuration, unchecked. */
interface Config {
  readonly store?: VaultStore & { close?(): unknown }
  readonly keys?: unknown
  readonly relay?: unknown
  migrate?(): unknown
  close?(): unknown
}

/**
 * Imports a module whose default export is an object with `store`, for `--store` also a store
 * itself, or a function that returns one of them or a promise of it.
 * @param path - The file as the user has written it.
 * @throws CommandError that names the file, if it cannot be imported, if its function fails, or if
 * its default export has another form.
 */
export async function openModule(
  folder: string,
  path: string,
  kind: 'module' | 'config',
): Promise<ModuleStore> {
  const file = resolve(folder, path)
  if (!existsSync(file)) throw new CommandError(`${path} does not exist`)
  const { default: exported } = await importModule(file, path)
  checkAwaited(exported, `the default export of ${path}`)
  const value = Object(await callExport(exported, file, path))
  const config: Config = kind === 'module' && value.store === undefined ? { store: value } : value
  const { store } = config
  checkAwaited(store, `store of ${path}`)
  if (!isStore(store))
    throw new CommandError(
      kind === 'module'
        ? `the default export of ${path} is not a store`
        : `the default export of ${path} has no store`,
      kind === 'module'
        ? 'Export a store with records and blobs, or a function that returns one.'
        : 'Export { store }, or a function that returns it, where store has records and blobs.',
    )
  for (const name of ['migrate', 'close'] as const)
    if (config[name] !== undefined && typeof config[name] !== 'function')
      throw new CommandError(`${name} of ${path} must be a function`)
  const encrypted = isEncrypted(store) ? store : undefined
  if (config.keys !== undefined && encrypted === undefined)
    throw new CommandError(
      `${path} exports keys, and a store that is not encrypted with them`,
      'Export what the service uses: store: createEncryptedStore(store, { keys })',
    )
  const inFile = async (work: () => unknown): Promise<void> => {
    try {
      await work()
    } catch (error) {
      throw failure(error, file, path)
    }
  }
  return {
    store,
    encrypted,
    relay: config.relay,
    migrate: config.migrate && (() => inFile(() => config.migrate?.())),
    close: () =>
      inFile(async () => {
        await store.close?.()
        await config.close?.()
      }),
  }
}

/**
 * Returns the default export wrapped in an object, so that a promise is not awaited by accident.
 */
async function importModule(file: string, path: string): Promise<{ readonly default: unknown }> {
  let exports: { readonly default?: unknown }
  try {
    exports = await import(pathToFileURL(file).href)
  } catch (error) {
    const { code, name, message } = Object(error)
    const cannotLoad = /^ERR_(?:UNKNOWN_FILE_EXTENSION|MODULE_NOT_FOUND)$/.test(code)
    if (cannotLoad || name === 'SyntaxError')
      throw new CommandError(`${path} cannot be imported: ${message}`)
    throw failure(error, file, path)
  }
  if (exports.default === undefined)
    throw new CommandError(`${path} has no default export`, 'Write: export default { store }')
  return { default: exports.default }
}

async function callExport(exported: unknown, file: string, path: string): Promise<unknown> {
  try {
    return typeof exported === 'function' ? await exported() : exported
  } catch (error) {
    throw failure(error, file, path)
  }
}

/**
 * Returns the error of a module with its line. For an error from outside this library, only the
 * name and the code are printed, because its message may contain a password.
 */
function failure(error: unknown, file: string, path: string): CommandError {
  const [, place = ''] = String(Object(error).stack).split(`${pathToFileURL(file).href}:`)
  const line = /^\d+/.exec(place)?.[0]
  const reason = isVaultError(error) ? describeVaultError(error) : redactError(error).message
  return new CommandError(
    `${path} failed${line === undefined ? '' : ` in line ${line}`}: ${reason}`,
  )
}

/** @throws CommandError if `value` is a promise, whose rejection is ignored. */
function checkAwaited(value: unknown, name: string): void {
  if (!(value instanceof Promise)) return
  value.catch(() => {})
  throw new CommandError(`${name} is a promise`, 'Write await in front of it.')
}

function isStore(store: unknown): store is VaultStore {
  const { records, blobs } = Object(store)
  const { get, put, delete: remove, list } = Object(records)
  const { read, write, delete: removeBlob } = Object(blobs)
  const members: readonly unknown[] = [get, put, remove, list, read, write, removeBlob]
  return members.every((member) => typeof member === 'function')
}

function isEncrypted(store: VaultStore): store is EncryptedStore {
  const { rotateDataKeys, rewrapKeys, reencrypt } = Object(store)
  return [rotateDataKeys, rewrapKeys, reencrypt].every((member) => typeof member === 'function')
}
