/**
 * A store that encrypts everything before it passes it on to an inner store.
 * @module cofferkit/encrypted
 */

import { anyFunction, anyStore, flag, like, number, readArgument } from '../base/argument.js'
import { mapTransactions } from '../base/map-store.js'
import { closeCalls, countEach, type OpenCalls } from '../base/open-calls.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { maxTimerMs } from '../base/with-timeout.js'
import { StorageError } from '../errors.js'
import { type ListedRecord, type RecordStore, type VaultStore, vaultCollection } from '../store.js'
import { createEncryptedBlobs } from './encrypted/blobs.js'
import { eraseScope } from './encrypted/erase-scope.js'
import { guardVaults } from './encrypted/guard-vaults.js'
import { currentKey } from './encrypted/keys/key-ring.js'
import { createKeyStore, type KeyStore } from './encrypted/keys/key-store.js'
import { moveRing, sameStoreError } from './encrypted/keys/move-ring.js'
import { createRingStore, listRings } from './encrypted/keys/ring-store.js'
import { rewrapDataKeys, rotateDataKey } from './encrypted/keys/rotate.js'
import { countScopes, parseScopes, scopeList } from './encrypted/list-scopes.js'
import type { PlaintextReader } from './encrypted/plaintext-records.js'
import { findProvider, type KeyProvider, keyProvider } from './encrypted/providers/key-provider.js'
import { createEncryptedRecords } from './encrypted/records.js'
import {
  type ReencryptOptions,
  type ReencryptReport,
  reencryptOptions,
  reencryptRecords,
} from './encrypted/reencrypt.js'

export {
  canUnwrap,
  countPlaintextRecords,
  detectEncryption,
  listKeyRings,
  type RecordForms,
  type StoredKeyRing,
} from './encrypted/inspect.js'
export type { WrappedKey } from './encrypted/keys/key-ring.js'
export type { PlaintextReader } from './encrypted/plaintext-records.js'
export { plaintextRecords } from './encrypted/plaintext-records.js'
export {
  type AwsKeyOptions,
  type AwsKmsClient,
  createAwsKeyProvider,
} from './encrypted/providers/aws.js'
export {
  type AzureCryptographyClient,
  type AzureKey,
  type AzureKeyAlgorithm,
  type AzureKeyOptions,
  createAzureKeyProvider,
} from './encrypted/providers/azure.js'
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
export { createTenantKeyProvider, type TenantKeyOptions } from './encrypted/providers/tenant.js'
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
  /**
   * Milliseconds after which an unwrapped key is no longer used, 1,000 to 2,147,483,647, not even by
   * a content that is being read or written. The store asks the key provider for keys in use again
   * when half of it is over, and until it succeeds, so that no call waits for it. A key that it has
   * not unwrapped again by then is dropped, and the next call asks for it. For the life of the process
   * if absent.
   */
  readonly maxKeyAgeMs?: number
  /**
   * Where the key rings are stored, so that a backup of the inner store contains no keys. Every
   * process must have it: to one without it, the store looks empty. `moveKeyRings` moves existing
   * rings; before that, calls of their scopes are rejected. The inner store if absent.
   */
  readonly keyRings?: RecordStore
}

const storeOptions = defineOptions({
  keys: keyProvider,
  plaintextReader: optional(like({ indexKeyOf: anyFunction, blobIdsOf: anyFunction })),
  maxKeyAgeMs: optional(number({ min: 1000, max: maxTimerMs })),
  keyRings: optional(like(anyStore.records)),
} satisfies OptionKinds<EncryptedStoreOptions>)

/** Options that select scopes. */
export interface ScopeOptions {
  /**
   * Vaults' ids, `vaults` for the vault records, `activity` for an activity log in the store, `leases`
   * for the leases of OAuth grants. Each must have keys; a vault that never contained anything has
   * none. Every scope that has keys if absent.
   */
  readonly scopes?: Iterable<string>
}

const scopeOptions = defineOptions({
  scopes: optional(scopeList),
} satisfies OptionKinds<ScopeOptions>)

/** Options of `eraseKeys`. */
export interface EraseKeysOptions {
  /** The ids of deleted vaults. */
  readonly scopes: Iterable<string>
  /**
   * True confirms that the keys remain in the backups of the store. Needed without `keyRings`.
   */
  readonly backupsKeepThem?: boolean
}

const eraseOptions = defineOptions({
  scopes: scopeList,
  backupsKeepThem: optional(flag(), false),
} satisfies OptionKinds<EraseKeysOptions>)

/** An encrypted store, with the maintenance of its keys. */
export interface EncryptedStore extends VaultStore {
  /**
   * Reads the key ring of the vaults, whatever is cached. Rejects with a StorageError
   * (`STORAGE_FAILED`, 500) if it is older than one that this process has read, or is wrapped with a
   * KEK that the key provider does not have, for example because the KEK was replaced; and with the
   * errors of the store. It does not call the key provider if keys are cached.
   */
  checkHealth(): Promise<void>
  /** The store to which it writes, such as for `listKeyRings`. What it returns is encrypted. */
  readonly inner: VaultStore
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
   * Wraps every data key that is wrapped with another KEK with the current one of the provider of
   * its scope. The other KEKs are then no longer needed. Records are not read or changed.
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
   * @returns What was done. `records` is 0 if nothing was left to do. If a scope fails, the others
   * are still processed, and the first error is thrown at the end.
   */
  reencrypt(options?: ReencryptOptions): Promise<ReencryptReport>
  /**
   * Drops the keys of the scopes that this object has cached; all if `scopes` is absent. The next call
   * of each scope asks the key provider again, even if the provider has just rejected its keys, and
   * does not share the failure of a call that began before.
   * Scopes without keys are ignored. Contents that are being read or written ask again for each chunk,
   * and fail if the key cannot be obtained.
   */
  forgetKeys(options?: ScopeOptions): Promise<void>
  /**
   * Moves every key ring of the inner store to `keyRings`. Stop every process without that option
   * first. A run can be stopped anywhere and started again.
   *
   * @returns The number of rings. Rejects with a RangeError if `keyRings` is absent, or is the inner
   * store. If a scope fails, the others are still processed, and the first error is thrown at the
   * end.
   */
  moveKeyRings(): Promise<number>
  /**
   * Erases the keys of deleted vaults permanently, then everything that is left of the vaults:
   * records of items whose ids were chosen, and records and files that interrupted calls have left.
   * What the keys encrypted can never be decrypted again, except with a backup of the key rings. Of
   * each vault two records remain, which say that it was deleted and that its keys were erased, and
   * the encrypted contents of files whose item was damaged, because only its record named them. The id
   * cannot be used again: creating a vault with it is rejected with a StorageError (`STORAGE_FAILED`,
   * 500). Other processes drop cached keys when they read the ring again, at most a minute after the
   * next call of the scope. This process, and each that had the keys in memory then, refuse the scope
   * until they end, even if its ring comes back from a backup.
   *
   * A run that was interrupted is finished by the next one, which also deletes what a call of another
   * process has written in the meantime. If the KEK of a vault is gone, everything but its files is
   * erased.
   *
   * @returns The number of vaults whose keys existed until now. One that never had keys, or whose keys
   * were erased before, is not counted. Rejects with a RangeError if a scope is a vault that was not
   * deleted, or is not a vault and has keys; and if there is neither the option `keyRings` nor
   * `backupsKeepThem: true`. If a scope fails, the others are still processed, and the first error is
   * thrown at the end.
   */
  eraseKeys(options: EraseKeysOptions): Promise<number>
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
 * - a StorageError of code `STORAGE_FAILED` (500) if the keys of a scope were deleted or erased, are
 *   older than those that this process has read, or have not been moved to `keyRings`; or if they
 *   would be created, changed or read for the first time while the client of the store that contains
 *   them is in a transaction that can be rolled back, or erased while that of `inner` is, where the
 *   store can tell (`RecordStore.canRollBack`)
 * - a TypeError if an option of a method has the wrong type, such as `scopes` that is not a list of
 *   strings
 *
 * @throws TypeError if `inner` is not a store, if `keys` is not a key provider whose `kekIds` is a
 * list of names of 1 to 2,048 characters, if `plaintextReader` is neither undefined nor an object with
 * both functions, if `maxKeyAgeMs` is not a number, or if `keyRings` is not a record store.
 * @throws RangeError if `keys.kekIds` does not include `keys.currentKekId`, if `maxKeyAgeMs` is not
 * 1,000 to 2,147,483,647, or if `keyRings` is the record store of `inner`.
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
  readArgument(like(anyStore), { inner, options })
  const { keys: provider, plaintextReader, maxKeyAgeMs, keyRings } = storeOptions.read(options)
  const { records, blobs } = inner
  if (keyRings === records) throw sameStoreError()
  const rings = createRingStore(records, keyRings)
  const keys = createKeyStore(rings, provider, maxKeyAgeMs)
  const context = { records, blobs, keys, rings, plaintextReader }
  const calls: OpenCalls = { owner: 'the encrypted store', count: 0 }
  /** Encrypts records of the inner store. Key rings are never part of a transaction. */
  const encrypt = (inner: RecordStore): RecordStore => {
    const own = { ...context, records: inner }
    return countEach(calls, guardVaults(own, createEncryptedRecords(own)))
  }
  let wiping: Promise<void> | undefined
  const rotate = async (scope: string): Promise<boolean> => {
    await rotateDataKey(keys, provider, scope)
    return true
  }
  const rewrap = (scope: string): Promise<boolean> => rewrapDataKeys(keys, provider, scope)
  const erase = (scope: string): Promise<boolean> => eraseScope(context, keyRings, scope)
  const maintenance = {
    async rotateDataKeys(options: ScopeOptions = {}) {
      const { scopes } = scopeOptions.read(options)
      return countScopes(scopes ? parseScopes(scopes) : rings.listScopes(), rotate)
    },
    async rewrapKeys(options: ScopeOptions = {}) {
      const { scopes } = scopeOptions.read(options)
      return countScopes(scopes ? parseScopes(scopes) : rings.listScopes(), rewrap)
    },
    async reencrypt(options: ReencryptOptions = {}) {
      return reencryptRecords(context, reencryptOptions.read(options))
    },
    async forgetKeys(options: ScopeOptions = {}) {
      const { scopes } = scopeOptions.read(options)
      if (scopes === undefined) return keys.forgetAll()
      for await (const scope of parseScopes(scopes)) keys.forget(scope)
    },
    async moveKeyRings() {
      if (keyRings === undefined) throw new RangeError('moveKeyRings needs the option keyRings')
      const move = (scope: string) => moveRing(records, keyRings, provider, scope)
      return countScopes(listIds(listRings(records)), move)
    },
    async eraseKeys(options: EraseKeysOptions) {
      const { scopes, backupsKeepThem } = eraseOptions.read(options)
      if (keyRings === undefined && !backupsKeepThem)
        throw new RangeError('eraseKeys needs the option keyRings, or backupsKeepThem: true')
      return countScopes(parseScopes(scopes), erase)
    },
  }
  return {
    records: { ...encrypt(records), ...mapTransactions(records, encrypt) },
    blobs: countEach(calls, createEncryptedBlobs(context)),
    inner,
    checkHealth: countEach(calls, { checkHealth: () => checkCurrentKek(keys, provider) })
      .checkHealth,
    ...countEach(calls, maintenance),
    close() {
      wiping ??= closeCalls(calls).then(keys.wipe)
      return wiping
    },
  }
}

/**
 * Reads the key ring of the vaults from the store.
 * @throws StorageError (`STORAGE_FAILED`, 500) if its newest key is wrapped with a KEK that the
 * provider does not have; and the errors of the key store. The provider is not asked.
 */
async function checkCurrentKek(keys: KeyStore, provider: KeyProvider): Promise<void> {
  const ring = await keys.readRing(vaultCollection)
  if (ring === undefined) return
  const { kekIds } = await findProvider(provider, vaultCollection)
  if (!kekIds.includes(currentKey(ring).kekId))
    throw new StorageError(
      'the keys of the store were wrapped with a key that this process does not have',
    )
}

async function* listIds(records: AsyncIterable<ListedRecord>): AsyncGenerator<string> {
  for await (const { id } of records) yield id
}
