/** Detects that a store is encrypted although the service was not given its key. */

import { keyRingRecords, vaultRecords } from '../../base/stored-records.js'
import { DecryptionError, StorageError } from '../../errors.js'
import { isEncrypted, type RecordStore } from '../../store.js'

/** Checks whether the store contains encrypted records that this service cannot read. */
export interface EncryptionCheck {
  /**
   * Checks before the first call of the service, and returns undefined once that has succeeded.
   * Calls wait for it. If the check fails, the next call repeats it, because the store may only
   * have been unreachable.
   * @throws StorageError if the store is encrypted, and the error of the store if it fails.
   */
  beforeFirstCall(): Promise<void> | undefined
  /** Checks now. @throws like `beforeFirstCall`. */
  look(): Promise<void>
  /**
   * Checks now, and decrypts the record of a vault if there is one. A damaged record does not count
   * as a failure.
   * @throws like `beforeFirstCall`, and the error of the store if a key cannot be obtained.
   */
  check(): Promise<void>
}

/**
 * Creates the check of a service. In an encrypted store, the store's own key rings are invisible,
 * and records are decrypted.
 */
export function createEncryptionCheck(records: RecordStore): EncryptionCheck {
  let isOver = false
  let looking: Promise<void> | undefined
  const look = async (onError: (error: unknown) => void): Promise<void> => {
    const rings = await records.list(keyRingRecords.collection, { limit: 1 })
    if (rings.length > 0) throw encryptedStoreError()
    const found = await records.list(vaultRecords.collection, { limit: 1 }).catch((error) => {
      // One record that cannot be decrypted, or a key that cannot be obtained, must not stop calls
      // that do not need it. Only an encrypted store throws this error.
      isOver ||= error instanceof DecryptionError
      onError(error)
      return undefined
    })
    if (found === undefined) return
    for (const { body } of found) assertNotEncrypted(body)
    isOver = true
  }
  return {
    look: () => look(() => {}),
    check: () =>
      look((error) => {
        throw error
      }),
    beforeFirstCall() {
      if (isOver) return undefined
      looking ??= look(() => {}).finally(() => {
        looking = undefined
      })
      return looking
    },
  }
}

/** @throws StorageError if the body of a record is encrypted. */
export function assertNotEncrypted(body: Uint8Array): void {
  if (isEncrypted(body)) throw encryptedStoreError()
}

function encryptedStoreError(): StorageError {
  return new StorageError(
    'the store is encrypted, and this service has no key: pass it the result of createEncryptedStore',
  )
}
