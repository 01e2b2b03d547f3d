/** Errors of stores: failed, unavailable, or with data that cannot be read. */

import { VaultErrorBase } from './vault-error-base.js'

/** The codes of `StorageError` and the classes that extend it. */
export type StorageErrorCode =
  | 'STORAGE_FAILED'
  | 'STORAGE_UNAVAILABLE'
  | 'DECRYPTION_FAILED'
  | 'ACTIVITY_UNAVAILABLE'

/** Options of the errors of a store. */
export interface StorageErrorOptions {
  /**
   * For the operator. It must not contain data of a record: pass a driver's error through
   * `redactError`.
   */
  readonly cause?: unknown
}

/**
 * 500 (`STORAGE_FAILED`): the store failed, or contains data that no vault wrote. It is unknown
 * whether a write happened. The other errors of a store extend this class, with codes of their own.
 */
export class StorageError extends VaultErrorBase<StorageErrorCode> {
  static override readonly kind: string = 'StorageError'
  /** The code of the errors of the class. */
  protected static readonly code: StorageErrorCode = 'STORAGE_FAILED'

  /**
   * `options.cause` must not contain data of a record: pass a driver's error through `redactError`.
   */
  constructor(message: string, options: StorageErrorOptions = {}) {
    super(new.target.code, message, options.cause)
  }
}

/**
 * 503 (`STORAGE_UNAVAILABLE`): the store or the key service is locked or out of reach, and can come
 * back. It is unknown whether a write happened.
 */
export class StorageUnavailableError extends StorageError {
  static override readonly kind: string = 'StorageUnavailableError'
  protected static override readonly code: StorageErrorCode = 'STORAGE_UNAVAILABLE'
  declare readonly code: 'STORAGE_UNAVAILABLE'
}

/**
 * 503 (`ACTIVITY_UNAVAILABLE`): the call could not be recorded in the activity log, so nothing was
 * done.
 */
export class ActivityUnavailableError extends StorageError {
  static override readonly kind: string = 'ActivityUnavailableError'
  protected static override readonly code: StorageErrorCode = 'ACTIVITY_UNAVAILABLE'
  declare readonly code: 'ACTIVITY_UNAVAILABLE'
}

/**
 * 500 (`DECRYPTION_FAILED`): a record could not be decrypted. The error is the same for every
 * reason.
 */
export class DecryptionError extends StorageError {
  static override readonly kind: string = 'DecryptionError'
  protected static override readonly code: StorageErrorCode = 'DECRYPTION_FAILED'
  declare readonly code: 'DECRYPTION_FAILED'

  constructor() {
    super('the record could not be decrypted')
  }
}
