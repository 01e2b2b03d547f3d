/** Checks that a store and the key file of a command belong together, before anything is written. */

import {
  createCaller,
  createVaultService,
  DecryptionError,
  isVaultError,
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
  /** The store that the encrypted one writes to, or the store itself if it is not encrypted. */
  readonly inner: VaultStore
  readonly store: VaultStore
  /** The store with its key maintenance, if it is known to be encrypted. */
  readonly encrypted: EncryptedStore | undefined
  /** True for the store of a module, which may be encrypted without this command seeing it. */
  readonly isOpaque: boolean
  /** The key files as the user wrote them. Undefined if there are none. */
  readonly keyFile: string | undefined
  /** The ids of the keys that open a key ring of the store and are in no key file. */
  readonly missingKeys: readonly string[]
  /** True if the key file comes from `COFFERKIT_KEY_FILE`. */
  readonly isKeyOfEnvironment: boolean
}

/** A store and a key file that do not belong together. */
export interface EncryptionProblem {
  readonly kind: 'needs-key' | 'plaintext' | 'wrong-key' | 'mixed'
  /** The finding, without a full stop. */
  readonly text: string
  /** The next step for the user, without a capital letter and a full stop. */
  readonly remedy: string
}

/**
 * Compares a store with a key file. Reads the records of some vaults, or every record with
 * `isThorough`.
 * @returns Undefined if they belong together, and for an empty store.
 * @throws The error of the store.
 */
export async function findEncryptionProblem(
  { name, inner, store, encrypted, isOpaque, keyFile, missingKeys, isKeyOfEnvironment }: KeyedStore,
  { isThorough = false }: { readonly isThorough?: boolean } = {},
): Promise<EncryptionProblem | undefined> {
  if (encrypted !== undefined && keyFile === undefined) {
    if (await canDecrypt(store)) return undefined
    const remedy = 'they must include the key that the store was encrypted with'
    return { kind: 'wrong-key', text: `${name} cannot be decrypted with its keys`, remedy }
  }
  const { detectEncryption, countPlaintextRecords } = await import('../../storage/encrypted.js')
  const forms = await withStorageErrors(() => detectEncryption(inner.records))
  if (keyFile === undefined) {
    if (!forms.encrypted) return undefined
    const remedy = 'pass its key file with --encrypt'
    return { kind: 'needs-key', text: `${name} is encrypted`, remedy }
  }
  const reencrypt = `run cofferkit reencrypt --from-plaintext --encrypt ${keyFile}`
  if (!forms.encrypted) {
    if (!forms.plaintext) return undefined
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
    const remedy = `pass the key file${s} of its key${s} ${missingKeys.join(' and ')}`
    return { kind: 'wrong-key', text: `${name} cannot be decrypted with ${keyFile}`, remedy }
  }
  if (!(await canDecrypt(store)))
    return {
      kind: 'wrong-key',
      text: `${name} cannot be decrypted with ${keyFile}`,
      remedy: 'pass the key file that it was encrypted with',
    }
  if (!forms.plaintext && !isThorough) return undefined
  const count = await withStorageErrors(() => countPlaintextRecords(inner.records))
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
 * Returns false if the keys of the vaults' records are missing. A single record that cannot be
 * decrypted is damaged, and not reported here.
 */
async function canDecrypt(store: VaultStore): Promise<boolean> {
  const service = createVaultService({ store, onError: () => {} })
  try {
    await service.listVaults(createCaller({ id: 'cofferkit', vaults: '*' }), { limit: 1 })
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

/** A user's own store may fail with any error, and its message may contain a password. */
export async function withStorageErrors<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (isVaultError(error)) throw error
    throw new StorageError('the store failed', { cause: redactError(error) })
  }
}
