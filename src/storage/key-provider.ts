/** What wraps data keys: a key management service, or a key of one's own. */

import { isVaultError, StorageError } from '../errors.js'
import { withoutSecrets } from '../without-secrets.js'
import { lengthPrefixed } from './envelope-additional-data.js'

/**
 * Wraps and unwraps data keys with a key that the library never sees (a KEK, key-encryption key).
 *
 * `unwrap` throws DecryptionError if the bytes are not what `wrap` made of a key for this context. Any other failure,
 * such as a service that is out of reach or forbids it, reaches the caller as a StorageError of code
 * STORAGE_UNAVAILABLE (503), of a foreign error only with its name and code.
 */
export interface KeyProvider {
  /** The name of the KEK that `wrap` uses: text of 1 to 2,048 characters that is stored beside what it wrapped. */
  readonly currentKekId: string
  /** The 64 bytes, wrapped with the current KEK and bound to the context. */
  wrap(key: Uint8Array, context: KeyContext): Promise<Uint8Array>
  /** The 64 bytes that were wrapped with this KEK for the same context. @throws DecryptionError if they were not. */
  unwrap(kekId: string, wrapped: Uint8Array, context: KeyContext): Promise<Uint8Array>
}

/** What a wrapped key is for. It is no secret: a key management service may write it into its log. */
export interface KeyContext {
  /** Always the same, so that a KEK can be used for other things as well. */
  readonly purpose: 'cofferkit data key'
  /** What the key is the key of: a vault's id, or a collection that belongs to no vault. */
  readonly scope: string
  /** The number of the key in its scope. */
  readonly keyId: string
}

/** The context as bytes, for a provider that binds keys to bytes: its three values in their order, length-prefixed. */
export function encodeKeyContext({ purpose, scope, keyId }: KeyContext): Uint8Array {
  return lengthPrefixed([purpose, scope, keyId])
}

/** What `call` answers. @throws VaultError: the library's own as it is, any other as a StorageError of 503. */
export async function reaching<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (isVaultError(error)) throw error
    const cause = withoutSecrets(error)
    throw new StorageError('the key provider failed', { code: 'STORAGE_UNAVAILABLE', cause })
  }
}
