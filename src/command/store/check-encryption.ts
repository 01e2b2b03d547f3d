/** Checks that a store and the key file of a command belong together, before anything is written. */

import { walkPages } from '../../base/walk-pages.js'
import {
  DecryptionError,
  isVaultError,
  type RecordStore,
  redactError,
  StorageError,
  type VaultStore,
} from '../../index.js'
import type { EncryptedStore } from '../../storage/encrypted.js'
import { CommandError } from '../command-error.js'
import { formatCount } from '../command-line.js'

/** A store, and the key file that a command has been given for it. */
export interface KeyedStore {
  /** The name of the store in messages, without its key file. */
  readonly name: string
  /** The store that the encrypted one writes to; the store itself if it is not encrypted. */
  readonly inner: VaultStore
  readonly store: VaultStore
  /** The store with the maintenance of its keys, if it is seen to be encrypted. */
  readonly encrypted: EncryptedStore | undefined
  /** True for the store of a module, which can encrypt what this command cannot see. */
  readonly isOpaque: boolean
  /** The key files as the user has written them; undefined without one. */
  readonly keyFile: string | undefined
  /** The names of the stored keys that no key file opens. */
  readonly missingKeys: readonly string[]
  /** True if the key file is that of `COFFERKIT_KEY_FILE`. */
  readonly isKeyOfEnvironment: boolean
}

/** A store and a key file that do not belong together. */
export interface EncryptionProblem {
  readonly kind: 'needs-key' | 'plaintext' | 'wrong-key' | 'mixed'
  /** The finding, without an end. */
  readonly text: string
  /** The next step for the user, without a capital letter and an end. */
  readonly remedy: string
}

/** The collections of the vault records, and of the keys of an encrypted store. */
const [vaultsCollection, keysCollection] = ['vaults', 'keys']
/** The other records of a vault are in collections with these prefixes before its id. */
const prefixes = ['items/', 'versions/', 'pending-blobs/', 'credentials/']
const pageSize = 100
const pageBytes = 4_194_304

/**
 * Compares a store with a key file. Reads one page of vaults and one key, or every record with
 * `isThorough`.
 * @returns Undefined if they belong together, and for an empty store.
 * @throws The error of the store.
 */
export async function findEncryptionProblem(
  { name, inner, store, encrypted, isOpaque, keyFile, missingKeys, isKeyOfEnvironment }: KeyedStore,
  { isThorough = false }: { readonly isThorough?: boolean } = {},
): Promise<EncryptionProblem | undefined> {
  const records = withStorageErrors(inner.records)
  if (encrypted !== undefined && keyFile === undefined) {
    if (await canUnwrap(records, vaultsCollection)) return undefined
    const remedy = 'it must have the key that the store was encrypted with, under the same name'
    return { kind: 'wrong-key', text: `${name} cannot be decrypted with its keys`, remedy }
  }
  const [firstKey] = await records.list(keysCollection, { limit: 1 })
  const vaults = await records.list(vaultsCollection, { limit: pageSize, maxBytes: pageBytes })
  const hasPlaintext = vaults.some(isPlaintext)
  const isEncrypted = firstKey !== undefined || vaults.some((record) => !isPlaintext(record))
  if (keyFile === undefined) {
    if (!isEncrypted) return undefined
    const remedy = 'pass its key file with --encrypt'
    return { kind: 'needs-key', text: `${name} is encrypted`, remedy }
  }
  const reencrypt = `run cofferkit reencrypt --from-plaintext --encrypt ${keyFile}`
  if (!isEncrypted) {
    if (!hasPlaintext) return undefined
    const leaveOut = isKeyOfEnvironment ? 'unset COFFERKIT_KEY_FILE' : 'leave --encrypt out'
    if (isOpaque) {
      const text = `${name} is not encrypted with ${keyFile}, but its module can encrypt it`
      return { kind: 'plaintext', text, remedy: leaveOut }
    }
    const remedy = `${leaveOut}, or ${reencrypt}`
    return { kind: 'plaintext', text: `${name} is not encrypted`, remedy }
  }
  if (missingKeys.length > 0) {
    const s = missingKeys.length === 1 ? '' : 's'
    const remedy = `pass the key file${s} of its key${s} named ${missingKeys.join(' and ')}`
    return { kind: 'wrong-key', text: `${name} cannot be decrypted with ${keyFile}`, remedy }
  }
  for (const scope of [firstKey?.id ?? vaultsCollection, vaultsCollection])
    if (!(await canUnwrap(withStorageErrors(store.records), scope)))
      return {
        kind: 'wrong-key',
        text: `${name} cannot be decrypted with ${keyFile}`,
        remedy: 'pass the key file that it was encrypted with',
      }
  const count = hasPlaintext || isThorough ? await countPlaintext(records) : 0
  if (count === 0) return undefined
  const text = `${name} is encrypted, but has ${formatCount(count, 'plaintext record')}, probably written without --encrypt`
  return { kind: 'mixed', text, remedy: reencrypt }
}

/** @throws CommandError if the store and the key file of the command do not belong together. */
export async function checkEncryption(store: KeyedStore): Promise<void> {
  const problem = await findEncryptionProblem(store)
  if (problem !== undefined) throw encryptionError(problem)
}

/** Returns the error for a store and a key file that do not belong together. */
export function encryptionError({ text, remedy }: EncryptionProblem): CommandError {
  return new CommandError(`${text}: ${remedy}`)
}

/** Returns the remedy as a sentence. */
export function formatRemedy({ remedy }: EncryptionProblem): string {
  return `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`
}

/**
 * Looks a record up by an index key, which needs the keys of the scope. Returns true if the scope
 * has no keys.
 */
async function canUnwrap(records: Lister, scope: string): Promise<boolean> {
  try {
    await records.list(scope, { limit: 1, indexKey: 'x' })
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

async function countPlaintext(records: Lister): Promise<number> {
  let count = 0
  for await (const vault of listRecords(records, vaultsCollection)) {
    if (isPlaintext(vault)) count++
    for (const prefix of prefixes)
      for await (const record of listRecords(records, prefix + vault.id))
        if (isPlaintext(record)) count++
  }
  return count
}

type Lister = Pick<RecordStore, 'list'>
type Listed = Awaited<ReturnType<RecordStore['list']>>[number]

function listRecords(records: Lister, collection: string): AsyncGenerator<Listed> {
  return walkPages((page) => records.list(collection, page), { limit: pageSize })
}

/** The record of a service begins with `{`, and an encrypted one with the number of its format. */
function isPlaintext({ body }: Listed): boolean {
  return body[0] === 0x7b
}

/** A store of the user can fail with any error, whose message can contain a password. */
function withStorageErrors(records: RecordStore): Lister {
  return {
    async list(collection, page) {
      try {
        return await records.list(collection, page)
      } catch (error) {
        if (isVaultError(error)) throw error
        throw new StorageError('the store failed', { cause: redactError(error) })
      }
    },
  }
}
