/**
 * A store that seals everything it hands on: what lies in the store beneath says nothing to who has not the key.
 * @module cofferkit/encrypted
 */

import type { VaultStore } from '../store.js'
import { countScopes, scopesOf, scopesWithKeys } from './encrypted/all-scopes.js'
import { createEncryptedBlobs } from './encrypted/blobs.js'
import { createKeys } from './encrypted/keys/key-store.js'
import { rewrapScope, rotateScope } from './encrypted/keys/rotate.js'
import { checkPlainRecords, type PlaintextReader } from './encrypted/plaintext-records.js'
import { checkKeyProvider, type KeyProvider } from './encrypted/providers/key-provider.js'
import { createEncryptedRecords } from './encrypted/records.js'
import {
  type ReencryptOptions,
  type ReencryptReport,
  rewrapRecords,
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

/** How a store is encrypted. */
export interface EncryptedStoreOptions {
  /** Wraps the data keys. */
  readonly keys: KeyProvider
  /**
   * Given, as `plainRecords`, only while encryption is being turned on over a store with plain records: they are read
   * as they are, and `rewrap` seals them. Whoever can write to the store can then put plain records into it that are
   * believed. Without it, what is not sealed is refused.
   */
  readonly plaintextReader?: PlaintextReader
}

/** Which keys are meant. Each of these scopes must have keys: a vault that never held anything has none. */
export interface ScopeOptions {
  /**
   * The vaults' ids, `vaults` for the records of the vaults themselves, `activity` for an activity log in the store;
   * every scope that has keys if absent.
   */
  readonly scopes?: Iterable<string>
}

/** An encrypted store, and what is done to its keys. */
export interface EncryptedStore extends VaultStore {
  /**
   * Gives each scope a new data key, and resolves with how many scopes. This process seals with it at once, others
   * within a minute; what is stored stays as it is and can still be opened, until `rewrap` seals it anew.
   * Rejects with a RangeError if a scope that is named has no keys; the other scopes are done nevertheless.
   */
  rotateDataKeys(options?: ScopeOptions): Promise<number>
  /**
   * Wraps with the provider's current KEK every data key that is wrapped with another one, and resolves with the number
   * of scopes that had one. After that the other KEKs are not needed any more. Records are not touched.
   * Rejects with a RangeError if a scope that is named has no keys; the other scopes are done nevertheless.
   */
  rewrapKeys(options?: ScopeOptions): Promise<number>
  /**
   * Seals anew every record that is not under the current data key of its scope, and with `plaintext` also every plain
   * record and the contents it names. Versions stay as they are. It can be ended anywhere and begun again; writers
   * need not stop. Contents that are sealed stay under the key that they were written with.
   */
  reencrypt(options?: ReencryptOptions): Promise<ReencryptReport>
}

/**
 * The store `inner`, of which nothing is in the clear but what `docs/encryption.md` lists: the keys of its records, their
 * versions and sizes, and which labels of a vault are the same. Its operations reject with DecryptionError when
 * something cannot be opened, whatever the reason, with a StorageError of 503 when the key provider fails, and with one
 * of 500 when the keys of a scope are gone or older than this process has seen. `rotate`, `rewrapKeys` and `rewrap`
 * reject with a TypeError if `scopes` is not a list of texts, as when it is one text.
 * @throws TypeError if `keys` is not a provider whose `kekIds` is a list of names, or if `plaintext` is neither
 * undefined nor an object with both functions. @throws RangeError if `keys.currentKekId` is not in `keys.kekIds`.
 */
export function createEncryptedStore(
  inner: VaultStore,
  { keys: provider, plaintextReader: plaintext }: EncryptedStoreOptions,
): EncryptedStore {
  checkKeyProvider(provider)
  checkPlainRecords(plaintext)
  const { records, blobs } = inner
  const keys = createKeys(records, provider)
  const context = { records, blobs, keys, plaintext }
  return {
    records: createEncryptedRecords(context),
    blobs: createEncryptedBlobs(context),
    rotateDataKeys: ({ scopes } = {}) =>
      countScopes(scopesOf(scopes) ?? scopesWithKeys(records), async (scope) => {
        await rotateScope(keys, provider, scope)
        return true
      }),
    rewrapKeys: ({ scopes } = {}) =>
      countScopes(scopesOf(scopes) ?? scopesWithKeys(records), (scope) =>
        rewrapScope(keys, provider, scope),
      ),
    reencrypt: (options = {}) => rewrapRecords(context, options),
  }
}
