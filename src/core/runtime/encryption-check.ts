/** Detects that a store is encrypted, and the service was not given its key. */

import { DecryptionError, StorageError } from '../../errors.js'
import { isEncrypted, type RecordStore, ringCollection, vaultCollection } from '../../store.js'

/** Looks whether the store contains encrypted records, which this service cannot read. */
export interface EncryptionCheck {
  /**
   * Looks before the first call of the service, and returns undefined when that has succeeded. Calls
   * wait for it. A look that fails is repeated by the next call, because the store may only have been
   * out of reach.
   * @throws StorageError if the store is encrypted, and the error of the store if it fails.
   */
  beforeFirstCall(): Promise<void> | undefined
  /** Looks now. @throws like `beforeFirstCall`. */
  look(): Promise<void>
  /**
   * Looks now, and decrypts the record of a vault if there is one. A damaged record is no failure.
   * @throws like `beforeFirstCall`, and the error of the store if a key cannot be obtained.
   */
  check(): Promise<void>
}

/**
 * Creates the check of a service. Behind an encrypted store, its own key rings cannot be seen, and
 * records are decrypted.
 */
export function createEncryptionCheck(records: RecordStore): EncryptionCheck {
  let isOver = false
  let looking: Promise<void> | undefined
  const look = async (onError: (error: unknown) => void): Promise<void> => {
    const rings = await records.list(ringCollection, { limit: 1 })
    if (rings.length > 0) throw encryptedStoreError()
    const found = await records.list(vaultCollection, { limit: 1 }).catch((error) => {
      // One record that cannot be decrypted, or a key that cannot be obtained, must not stop calls
      // that do not need it. Only an encrypted store decrypts.
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
