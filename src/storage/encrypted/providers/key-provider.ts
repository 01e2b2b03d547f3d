/** What wraps data keys: a key management service, or a key of one's own. */

import { DecryptionError, isVaultError, StorageUnavailableError } from '../../../errors.js'
import { redactError } from '../../../redact-error.js'
import { safeGet } from '../../../safe-get.js'
import { withTimeout } from '../../../with-timeout.js'
import { encodeFields } from '../envelope/encoding.js'

/**
 * Wraps and unwraps data keys with a key that the library never sees (a KEK, key-encryption key).
 *
 * `unwrap` throws DecryptionError if the bytes are not what `wrap` made of a key for this context. Any other failure,
 * such as a service that is out of reach or forbids it, reaches the caller as a StorageError of code
 * STORAGE_UNAVAILABLE (503), of a foreign error only with its name and code. So does a call that has not settled after
 * 10 s, and the next request makes a new one.
 */
export interface KeyProvider {
  /** The name of the KEK that `wrap` uses: text of 1 to 2,048 characters that is stored beside what it wrapped. */
  readonly currentKekId: string
  /**
   * Every KEK that `unwrap` may be called with: the current one, and former ones that data keys may still be wrapped
   * with. The store can be written by others, so a name that is read from it and is not listed here is a
   * DecryptionError, and `unwrap` is not called.
   */
  readonly kekIds: readonly string[]
  /** The 64 bytes, wrapped with the current KEK and bound to the context. They are a copy that can be overwritten. */
  wrap(key: Uint8Array, context: KeyContext): Promise<Uint8Array>
  /** The 64 bytes that were wrapped with this KEK for the same context; they are copied. @throws DecryptionError if they were not. */
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
  return encodeFields([purpose, scope, keyId])
}

const maxKekIdLength = 2048

/** Whether the value can be the name of a KEK: text of 1 to 2,048 characters without lone surrogates. */
export function isKekId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= maxKekIdLength &&
    value.isWellFormed()
  )
}

/**
 * The names in a provider's options, each once, as its `kekIds`.
 * @throws RangeError that names the option if one of its values cannot be the name of a KEK.
 */
export function kekIdsOf(
  options: Readonly<Record<string, string | readonly string[]>>,
): readonly string[] {
  const kekIds = new Set<string>()
  for (const [option, names] of Object.entries(options)) {
    for (const name of [names].flat()) {
      if (!isKekId(name)) throw new RangeError(`${option} must be text of 1 to 2,048 characters`)
      kekIds.add(name)
    }
  }
  return [...kekIds]
}

/** @throws DecryptionError if a name that was read from the store is not one that may unwrap. */
export function checkKekId(kekIds: readonly string[], kekId: string): void {
  if (!kekIds.includes(kekId)) throw new DecryptionError()
}

/**
 * Checks what a provider of the embedder's own declares.
 * @throws TypeError if it lacks a function or `kekIds` is no list of names, RangeError if the current one is not in it.
 */
export function checkKeyProvider(provider: KeyProvider): void {
  const [wrap, unwrap] = [safeGet(provider, 'wrap'), safeGet(provider, 'unwrap')]
  if (typeof wrap !== 'function' || typeof unwrap !== 'function')
    throw new TypeError('keys must be a key provider with wrap and unwrap')
  const { currentKekId, kekIds } = provider
  if (!Array.isArray(kekIds) || !kekIds.every(isKekId))
    throw new TypeError('keys.kekIds must list names of 1 to 2,048 characters')
  if (!kekIds.includes(currentKekId))
    throw new RangeError('keys.kekIds must include keys.currentKekId')
}

/** Milliseconds that one call for keys, of the provider or of the store, can take. */
const keyTimeoutMs = 10_000

/**
 * The result of `call`, which is waited for at most 10 s.
 * @throws VaultError: the library's own unchanged, any other as a StorageError of 503, and 503 after those 10 s.
 */
export async function wrapProviderErrors<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await withinKeyTimeout('the key provider', async () => call())
  } catch (error) {
    if (isVaultError(error)) throw error
    const cause = redactError(error)
    throw new StorageUnavailableError('the key provider failed', { cause })
  }
}

/** The result of `call`. @throws StorageError 503 that names `callee` if it does not settle within 10 s. */
export function withinKeyTimeout<Result>(
  callee: 'the key provider' | 'the store',
  call: () => Promise<Result>,
): Promise<Result> {
  return withTimeout(
    keyTimeoutMs,
    call(),
    () => new StorageUnavailableError(`${callee} did not settle in 10 s`),
  )
}
