/**
 * Encrypts everything before it is passed on to another store, the inner store.
 * @module cofferkit/encrypted
 */

import { anyStore, flag, like, number, readArgument } from '../base/argument.js'
import { type Closable, toClosable } from '../base/closable.js'
import { mapTransactions } from '../base/map-store.js'
import { closeCalls, countEach, type OpenCalls } from '../base/open-calls.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { vaultRecords } from '../base/stored-records.js'
import { maxTimerMs } from '../base/with-timeout.js'
import type { ListedRecord, RecordStore, VaultStore } from '../store.js'
import { createEncryptedBlobs } from './encrypted/blobs.js'
import { eraseScope } from './encrypted/erase-scope.js'
import { guardVaults } from './encrypted/guard-vaults.js'
import { createHealthCheck } from './encrypted/keys/check-keys.js'
import { vaultRings } from './encrypted/keys/key-ring.js'
import { createKeyStore } from './encrypted/keys/key-store.js'
import { moveRing, sameStoreError } from './encrypted/keys/move-ring.js'
import { createRingStore, listRings } from './encrypted/keys/ring-store.js'
import { rewrapRing, rotateDataKey } from './encrypted/keys/rotate.js'
import { countScopes, parseScopes, scopeList } from './encrypted/list-scopes.js'
import { type KeyProvider, keyProvider } from './encrypted/providers/key-provider.js'
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
export type { StoredKey } from './encrypted/keys/key-ring.js'
export {
  type AwsKeyOptions,
  type AwsKmsClient,
  createAwsKeyProvider,
} from './encrypted/providers/aws.js'
export {
  type AzureCryptographyClient,
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
  /** Wraps the secrets of key rings, which encrypt the data keys. */
  readonly keys: KeyProvider
  /**
   * Set this to true while you turn on encryption for the existing store of a vault service.
   * Plaintext records are then read unchanged, and `reencrypt` encrypts them. As long as this is
   * set, anyone who can write to the store can add plaintext records that are accepted. By default
   * plaintext records are rejected.
   */
  readonly acceptsPlaintext?: boolean | undefined
  /**
   * How long an unwrapped key may be used, in milliseconds, 1,000 to 2,147,483,647. This includes
   * contents that are being read or written. After half that time, the store renews keys in use in
   * the background, and retries until that succeeds, so that no call waits for it. If a key could
   * not be renewed in time, it is dropped, and the next call asks the key provider. By default keys
   * are kept until the process ends.
   */
  readonly maxKeyAgeMs?: number | undefined
  /**
   * Where the key rings are stored, if a backup of the inner store must contain no keys. Every
   * process must pass this option, because the store looks empty without it. `moveKeyRings` moves
   * existing rings. Until then, calls for their vaults are rejected. Default: the inner store.
   */
  readonly keyRings?: RecordStore | undefined
}

const storeOptions = defineOptions({
  keys: keyProvider,
  acceptsPlaintext: optional(flag(), false),
  maxKeyAgeMs: optional(number({ min: 1000, max: maxTimerMs })),
  keyRings: optional(like(anyStore.records)),
} satisfies OptionKinds<EncryptedStoreOptions>)

/** Options that select scopes. */
export interface ScopeOptions {
  /**
   * The ids of vaults, `vaults` for the vault records, `activity` for an activity log in the store,
   * `leases` for the leases of OAuth grants. Each must have keys. A vault that never contained
   * anything has none. Default: every scope that has keys.
   */
  readonly scopes?: Iterable<string> | undefined
}

const scopeOptions = defineOptions({
  scopes: optional(scopeList),
} satisfies OptionKinds<ScopeOptions>)

/** Options of `eraseKeys`. */
export interface EraseKeysOptions {
  /** The ids of deleted vaults. */
  readonly scopes: Iterable<string>
  /**
   * Pass true to confirm that the keys remain in the backups of the store. Required unless you pass
   * `keyRings`.
   */
  readonly backupsKeepThem?: boolean | undefined
}

const eraseOptions = defineOptions({
  scopes: scopeList,
  backupsKeepThem: optional(flag(), false),
} satisfies OptionKinds<EraseKeysOptions>)

/** An encrypted store, with the maintenance of its keys. */
export interface EncryptedStore extends VaultStore, Closable {
  /**
   * Reads the key ring of the vaults from the store, and opens it with the key provider, even if its
   * keys are in memory. The provider is asked at most once in 10 s, and in between its last answer
   * counts. Rejects with the errors of the store, with a StorageError (503) if the provider fails,
   * with a StorageError (500) if the ring is older than one that this process has read, or with a
   * DecryptionError (500) if the ring does not open, for example because its KEK was replaced by
   * one that the key provider does not have. The message then names the KEKs. Tenants' KEKs are not
   * used.
   */
  checkHealth(): Promise<void>
  /** The store that contains the encrypted data, for example for `listKeyRings`. */
  readonly inner: VaultStore
  /**
   * Gives each scope a new data key, and its key ring a new secret. This process encrypts with the
   * new key at once, other processes within a minute. Stored data does not change and can still be decrypted. `reencrypt` encrypts it with
   * the new key.
   *
   * @returns The number of scopes. Rejects with a RangeError if a listed scope has no keys. If a
   * scope fails, the others are still processed, and the first error is thrown at the end.
   */
  rotateDataKeys(options?: ScopeOptions): Promise<number>
  /**
   * Gives each key ring a new secret that is wrapped with the current KEK of its scope's provider,
   * unless that KEK already wraps the present one. The other KEKs are then no longer needed. Records
   * are not read or changed, and data keys stay the same.
   * @returns The number of scopes whose secret is new. Rejects with a RangeError if a
   * listed scope has no keys. If a scope fails, the others are still processed, and the first error
   * is thrown at the end.
   */
  rewrapKeys(options?: ScopeOptions): Promise<number>
  /**
   * Encrypts every record with the current data key of its scope, unless it already is. With
   * `acceptsPlaintext`, it also encrypts plaintext records and the blobs that they reference.
   * Versions do not change. You can stop a run at any point and start again, and writers need not
   * stop. Encrypted blobs stay encrypted with the key with which they were written.
   * @returns What was done. If nothing was left to do, `records` is 0. If a scope fails, the others
   * are still processed, and the first error is thrown at the end.
   */
  reencrypt(options?: ReencryptOptions): Promise<ReencryptReport>
  /**
   * Drops the cached keys of the scopes, by default of all. The next call of each scope asks the
   * key provider again, even if the provider has just rejected its keys, and does not share the
   * failure of an earlier call. Scopes without keys are ignored. Contents that are being read or
   * written ask again for each chunk, and fail if the key cannot be obtained.
   */
  forgetKeys(options?: ScopeOptions): Promise<void>
  /**
   * Moves every key ring of the inner store to `keyRings`. First stop every process that does not
   * pass that option. You can stop a run at any point and start again.
   * @returns The number of rings. Rejects with a RangeError if you did not pass `keyRings`, or
   * passed the inner store. If a scope fails, the others are still processed, and the first error
   * is thrown at the end.
   */
  moveKeyRings(): Promise<number>
  /**
   * Erases the keys of deleted vaults permanently, and then everything that is left of the vaults:
   * the records of items with chosen ids, and whatever interrupted calls have left. Encrypted data
   * of these vaults can never be decrypted again, except with a backup of the key rings.
   *
   * Two records of each vault remain, which say that it was deleted and that its keys were erased.
   * If an item was damaged, the encrypted contents of its files remain as well, because only its
   * record named them. The id cannot be used again. Creating a vault with it is rejected with a
   * StorageError (`STORAGE_FAILED`, 500).
   *
   * Other processes drop cached keys when they read the ring again, at most a minute after the next
   * call for the vault. This process, and each that then had the keys in memory, refuses the vault
   * until it ends, even if the ring comes back from a backup. If a run was interrupted, the next
   * one finishes it, and also deletes what another process has written in the meantime. If the KEK
   * of a vault is gone, everything but its files is erased.
   * @returns The number of vaults whose keys were erased by this call. Vaults that never had keys
   * are not counted. Rejects with a RangeError if a scope is a vault that was not deleted, or is
   * not a vault and has keys, or if you pass neither the option `keyRings` nor
   * `backupsKeepThem: true`. If a scope fails, the others are still processed, and the first error
   * is thrown at the end.
   */
  eraseKeys(options: EraseKeysOptions): Promise<number>
  /**
   * Makes new calls fail with StorageUnavailableError (503), waits until the calls in progress have
   * settled, and overwrites all cached keys. Streams that are still being read then fail. Closing
   * again returns the same promise. The inner store and the key provider, which keeps its own keys, are not
   * closed.
   */
  close(): Promise<void>
}

/**
 * Creates a store that encrypts everything that it writes to the store `inner`. Whoever can read
 * `inner` still sees the keys of records, their versions and sizes, and which index keys of a vault
 * are equal. `docs/encryption.md` has the complete list.
 *
 * @returns A store whose calls reject with the errors of `inner`, and with
 * - a DecryptionError (500) if anything cannot be decrypted, for whatever reason
 * - a StorageError of code `STORAGE_UNAVAILABLE` (503) if the key provider fails, or if the store
 *   is closed
 * - a StorageError of code `STORAGE_FAILED` (500) if the keys of a scope were deleted or erased,
 *   are older than those that this process has read, or have not been moved to `keyRings`
 * - a StorageError of code `STORAGE_FAILED` (500) if a transaction could be rolled back: that of
 *   the store with the keys, while keys are created, changed or read for the first time, or that of
 *   `inner`, while keys are erased. Stores that can tell have `RecordStore.canRollBack`
 * - a TypeError if an option of a method has the wrong type, such as `scopes` that is not a list of
 *   strings
 *
 * @throws TypeError if
 * - `inner` is not a store
 * - `keys` is not a key provider whose `kekIds` is a list of names of 1 to 2,048 characters
 * - `acceptsPlaintext` is not a boolean
 * - `maxKeyAgeMs` is not a number
 * - `keyRings` is not a record store
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
 * const store = createEncryptedStore(await openSqliteStore('vault.db'), { keys })
 * const service = createVaultService({ store })
 * ```
 */
export function createEncryptedStore(
  inner: VaultStore,
  options: EncryptedStoreOptions,
): EncryptedStore {
  readArgument(like(anyStore), { inner, options })
  const { keys: provider, acceptsPlaintext, maxKeyAgeMs, keyRings } = storeOptions.read(options)
  const { records, blobs } = inner
  if (keyRings === records) throw sameStoreError()
  const rings = createRingStore(vaultRings, records, keyRings)
  const keys = createKeyStore(rings, provider, maxKeyAgeMs)
  const context = { records, blobs, keys, rings, acceptsPlaintext }
  const calls: OpenCalls = { owner: 'the encrypted store', count: 0 }
  /** Encrypts records of the inner store. Key rings are never part of a transaction. */
  const encrypt = (inner: RecordStore): RecordStore => {
    const own = { ...context, records: inner }
    return countEach(calls, guardVaults(own, createEncryptedRecords(own)))
  }
  const rotate = async (scope: string): Promise<boolean> => {
    await rotateDataKey(keys, scope)
    return true
  }
  const rewrap = (scope: string): Promise<boolean> => rewrapRing(keys, provider, scope)
  const erase = (scope: string): Promise<boolean> => eraseScope(context, keyRings, scope)
  const checkRing = createHealthCheck(keys)
  const maintenance = {
    async checkHealth() {
      const ring = await keys.readRing(vaultRecords.scope)
      if (ring !== undefined) await checkRing(vaultRecords.scope, ring)
    },
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
      const move = (scope: string) => moveRing(records, keyRings, keys.opener, scope)
      return countScopes(listIds(listRings(records, rings.use)), move)
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
    ...countEach(calls, maintenance),
    ...toClosable(() => closeCalls(calls).then(keys.wipe)),
  }
}

async function* listIds(records: AsyncIterable<ListedRecord>): AsyncGenerator<string> {
  for await (const { id } of records) yield id
}
