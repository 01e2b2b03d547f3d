/**
 * A store that encrypts everything before it passes it on to an inner store.
 * @module cofferkit/encrypted
 */

import { anyStore, assertKnown, assertLike } from '../base/assert-argument.js'
import { closeCalls, countEach, type OpenCalls } from '../base/open-calls.js'
import type { VaultStore } from '../store.js'
import { createEncryptedBlobs } from './encrypted/blobs.js'
import { createKeyStore } from './encrypted/keys/key-store.js'
import { rewrapDataKeys, rotateDataKey } from './encrypted/keys/rotate.js'
import { countScopes, listScopesWithKeys, parseScopes } from './encrypted/list-scopes.js'
import { assertPlaintextReader, type PlaintextReader } from './encrypted/plaintext-records.js'
import { assertKeyProvider, type KeyProvider } from './encrypted/providers/key-provider.js'
import { createEncryptedRecords } from './encrypted/records.js'
import {
  type ReencryptOptions,
  type ReencryptReport,
  reencryptRecords,
} from './encrypted/reencrypt.js'

export type { PlaintextReader } from './encrypted/plaintext-records.js'
export { plaintextRecords } from './encrypted/plaintext-records.js'
export {
  type AwsKeyOptions,
  type AwsKmsClient,
  createAwsKeyProvider,
} from './encrypted/providers/aws.js'
export {
  createGoogleKeyProvider,
  type GoogleKeyOptions,
  type GoogleKmsClient,
} from './encrypted/providers/google.js'
export { createKeyFile, readKeyFile } from './encrypted/providers/key-file.js'
export {
  encodeKeyContext,
  type KeyContext,
  type KeyProvider,
} from './encrypted/providers/key-provider.js'
export { createLocalKeyProvider, type LocalKeys } from './encrypted/providers/local.js'
export { createTransitKeyProvider, type TransitOptions } from './encrypted/providers/transit.js'
export type { ReencryptOptions, ReencryptReport } from './encrypted/reencrypt.js'

/** Options of `createEncryptedStore`. */
export interface EncryptedStoreOptions {
  /** Wraps the data keys. */
  readonly keys: KeyProvider
  /**
   * Accepts plaintext records, while encryption is being turned on over an existing store:
   * `plaintextRecords` for those of a vault service. Plaintext records are then read unchanged, and
   * `reencrypt` encrypts them. While it is set, anyone who can write to the store can add plaintext
   * records that are accepted. If absent, plaintext records are rejected.
   */
  readonly plaintextReader?: PlaintextReader
}

/** Options that select scopes. */
export interface ScopeOptions {
  /**
   * Vaults' ids, `vaults` for the vault records, `activity` for an activity log in the store. Each
   * must have keys; a vault that never contained anything has none. Every scope that has keys if
   * absent.
   */
  readonly scopes?: Iterable<string>
}

/** An encrypted store, with the maintenance of its keys. */
export interface EncryptedStore extends VaultStore {
  /**
   * Gives each scope a new data key. This process encrypts with it at once, other processes within
   * a minute. Stored data is unchanged and can still be decrypted; `reencrypt` encrypts it with the
   * new key.
   *
   * @returns The number of scopes. Rejects with a RangeError if a listed scope has no keys. If a
   * scope fails, the others are still processed, and the first error is thrown at the end.
   */
  rotateDataKeys(options?: ScopeOptions): Promise<number>
  /**
   * Wraps every data key that is wrapped with another KEK with the provider's current one. The
   * other KEKs are then no longer needed. Records are not read or changed.
   *
   * @returns The number of scopes that had such a key. Rejects with a RangeError if a listed scope
   * has no keys. If a scope fails, the others are still processed, and the first error is thrown at
   * the end.
   */
  rewrapKeys(options?: ScopeOptions): Promise<number>
  /**
   * Encrypts every record again that is not under the current data key of its scope. With
   * `plaintextReader`, also every plaintext record and the blobs that it references. Versions do
   * not change. A run can be stopped anywhere and started again, and writers need not stop.
   * Encrypted blobs stay under the key that they were written with.
   *
   * @returns What was done. `records` is 0 if nothing was left to do.
   */
  reencrypt(options?: ReencryptOptions): Promise<ReencryptReport>
  /**
   * Refuses new calls with StorageUnavailableError (503), resolves when the calls in progress have
   * settled, and overwrites the data keys and the other keys that were cached. Streams that are
   * still being read fail then. Closing again does nothing. The inner store and the key provider,
   * which keeps its own keys, are not closed.
   */
  close(): Promise<void>
}

/**
 * Creates a store that encrypts what it writes to the store `inner`. Visible in `inner` remain the
 * keys of records, their versions and sizes, and which index keys of a vault are equal:
 * `docs/encryption.md` has the complete list.
 *
 * @returns A store whose calls reject with the errors of `inner`, and with:
 *
 * - a DecryptionError (500) if anything cannot be decrypted, whatever the reason
 * - a StorageError of code `STORAGE_UNAVAILABLE` (503) if the key provider fails, or if the store is
 *   closed
 * - a StorageError of code `STORAGE_FAILED` (500) if the keys of a scope were deleted, or are older
 *   than those that this process has read
 * - a TypeError if an option of a method has the wrong type, such as `scopes` that is not a list of
 *   strings
 *
 * @throws TypeError if `inner` is not a store, if `keys` is not a key provider whose `kekIds` is a list of names of 1 to 2,048
 * characters, or if `plaintextReader` is neither undefined nor an object with both functions.
 * @throws RangeError if `keys.kekIds` does not include `keys.currentKekId`.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createEncryptedStore, createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
 * import { openSqliteStore } from 'cofferkit/sqlite'
 *
 * const keys = createLocalKeyProvider({ key: await readKeyFile('vault.key') })
 * // On Node 20: openSqliteStore('vault.db', { driver: Database }) with better-sqlite3
 * const store = createEncryptedStore(await openSqliteStore('vault.db'), { keys })
 * const service = createVaultService({ store })
 * ```
 */
export function createEncryptedStore(
  inner: VaultStore,
  options: EncryptedStoreOptions,
): EncryptedStore {
  assertLike(inner, anyStore, 'inner')
  assertKnown<EncryptedStoreOptions>(options, { keys: true, plaintextReader: true })
  const { keys: provider, plaintextReader } = options
  assertKeyProvider(provider)
  assertPlaintextReader(plaintextReader)
  const { records, blobs } = inner
  const keys = createKeyStore(records, provider)
  const context = { records, blobs, keys, plaintextReader }
  const calls: OpenCalls = { owner: 'the encrypted store', count: 0 }
  let wiping: Promise<void> | undefined
  const rotate = async (scope: string): Promise<boolean> => {
    await rotateDataKey(keys, provider, scope)
    return true
  }
  const rewrap = (scope: string): Promise<boolean> => rewrapDataKeys(keys, provider, scope)
  const maintenance = {
    async rotateDataKeys(options: ScopeOptions = {}) {
      assertKnown<ScopeOptions>(options, { scopes: true })
      return countScopes(parseScopes(options.scopes) ?? listScopesWithKeys(records), rotate)
    },
    async rewrapKeys(options: ScopeOptions = {}) {
      assertKnown<ScopeOptions>(options, { scopes: true })
      return countScopes(parseScopes(options.scopes) ?? listScopesWithKeys(records), rewrap)
    },
    async reencrypt(options: ReencryptOptions = {}) {
      assertKnown<ReencryptOptions>(options, { scopes: true, signal: true })
      return reencryptRecords(context, options)
    },
  }
  return {
    records: countEach(calls, createEncryptedRecords(context)),
    blobs: countEach(calls, createEncryptedBlobs(context)),
    ...countEach(calls, maintenance),
    close() {
      wiping ??= closeCalls(calls).then(keys.wipe)
      return wiping
    },
  }
}
