/** The interface of a key provider: a key management service, or a local key. */

import { anyFunction, assertLike } from '../../../base/assert-argument.js'
import { redactError } from '../../../base/redact-error.js'
import { safeGet } from '../../../base/safe-get.js'
import { withTimeout } from '../../../base/with-timeout.js'
import {
  DecryptionError,
  isVaultError,
  StorageError,
  StorageUnavailableError,
} from '../../../errors.js'
import { encodeFields } from '../envelope/encoding.js'

/**
 * Wraps and unwraps data keys with a key that the library never sees: a KEK, key-encryption key.
 *
 * `unwrap` rejects with a DecryptionError if the bytes are not what `wrap` returned for a key and
 * this context. Any other failure, such as a service that is unreachable or denies the request,
 * reaches the caller of the store as a StorageError of code `STORAGE_UNAVAILABLE` (503); of an
 * error that is not from this library, it contains only the name and the code. A call that has not
 * settled after 10 s fails in the same way. The next request makes a new call.
 */
export interface KeyProvider {
  /**
   * The name of the KEK that `wrap` uses, 1 to 2,048 characters. Stored beside each wrapped key.
   */
  readonly currentKekId: string
  /**
   * The names of all KEKs that `unwrap` can be called with: the current one, and former ones under
   * which stored data keys may still be wrapped. An attacker with write access to the store can change a
   * stored name. A name that is not in this list is a DecryptionError, and `unwrap` is not called.
   */
  readonly kekIds: readonly string[]
  /**
   * Wraps the 64 bytes of a key with the current KEK, bound to the context. `key` is a copy, which
   * can be overwritten.
   */
  wrap(key: Uint8Array, context: KeyContext): Promise<Uint8Array>
  /**
   * Returns the 64 bytes that were wrapped with this KEK for the same context. The caller copies
   * them.
   * @throws DecryptionError if the bytes were not wrapped with this KEK for this context.
   */
  unwrap(kekId: string, wrapped: Uint8Array, context: KeyContext): Promise<Uint8Array>
  /**
   * Returns the provider of one scope, such as that of a tenant. Called whenever keys of the scope
   * must be wrapped or unwrapped; `ofScope` of its result is not called. A rejection is a failure
   * of the provider. If `ofScope` is absent, this provider serves every scope.
   */
  ofScope?(scope: string): KeyProvider | Promise<KeyProvider>
}

/**
 * The purpose of a wrapped key. It is not secret: a key management service can write it to its log.
 */
export interface KeyContext {
  /** The key is one of an encrypted store, or one of a sealer. */
  readonly purpose: 'cofferkit data key' | 'cofferkit seal key'
  /** Of a store: a vault's id, or the collection of records that belong to no vault. */
  readonly scope: string
  /** The number of the key in its scope, from 1. */
  readonly keyId: string
}

/**
 * Returns the context as bytes, for a provider that binds keys to bytes: purpose, scope and key id,
 * each preceded by its length in 4 bytes.
 * @throws TypeError if one of the three is not a string.
 */
export function encodeKeyContext(context: KeyContext): Uint8Array {
  assertLike(context, { purpose: '', scope: '', keyId: '' }, 'context')
  const { purpose, scope, keyId } = context
  return encodeFields([purpose, scope, keyId])
}

const maxKekIdLength = 2048

/** Returns true for a string of 1 to 2,048 characters without lone surrogates. */
export function isKekId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= maxKekIdLength &&
    value.isWellFormed()
  )
}

/**
 * Returns the names in a provider's options, each once, as its `kekIds`.
 * @throws RangeError that names the option, if one of its names has an invalid format.
 */
export function parseKekIds(
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

/** @throws DecryptionError if a stored name is not in the list. */
export function assertKnownKek(kekIds: readonly string[], kekId: string): void {
  if (!kekIds.includes(kekId)) throw new DecryptionError()
}

/**
 * Validates the members of a key provider.
 * @param path The path of the provider in the message.
 * @throws TypeError if it lacks a function, or if `kekIds` is not a list of names.
 * @throws RangeError if `kekIds` does not include `currentKekId`.
 */
export function assertKeyProvider(provider: KeyProvider, path = 'keys'): void {
  const [wrap, unwrap] = [safeGet(provider, 'wrap'), safeGet(provider, 'unwrap')]
  if (typeof wrap !== 'function' || typeof unwrap !== 'function')
    throw new TypeError(`${path} must be a key provider with wrap and unwrap`)
  const { currentKekId, kekIds, ofScope } = provider
  if (ofScope !== undefined) assertLike(ofScope, anyFunction, `${path}.ofScope`)
  if (!Array.isArray(kekIds) || !kekIds.every(isKekId))
    throw new TypeError(`${path}.kekIds must be a list of names of 1 to 2,048 characters`)
  if (!kekIds.includes(currentKekId))
    throw new RangeError(`${path}.kekIds must include ${path}.currentKekId`)
}

/**
 * Returns the provider of a scope.
 * @throws StorageError: `STORAGE_UNAVAILABLE` (503) if `ofScope` fails or has not settled after
 * 10 s, `STORAGE_FAILED` (500) if it returns anything but a key provider.
 */
export async function findProvider(provider: KeyProvider, scope: string): Promise<KeyProvider> {
  if (provider.ofScope === undefined) return provider
  return wrapProviderErrors(async () => {
    const own = await provider.ofScope?.(scope)
    return requireProvider(own, 'keys.ofScope')
  })
}

/**
 * Returns the provider that a function of the user has returned.
 * @throws StorageError (`STORAGE_FAILED`) with the path of the function if it is not valid.
 */
export function requireProvider(value: unknown, path: string): KeyProvider {
  try {
    assertKeyProvider(value as KeyProvider, 'its result')
  } catch {
    throw new StorageError(`${path} must return a key provider`)
  }
  return value as KeyProvider
}

/** Milliseconds after which a call of the provider, or of the store for keys, fails. */
const keyTimeoutMs = 10_000

/**
 * Returns the result of a call of the provider.
 * @throws VaultError: an error of this library unchanged; a StorageError (`STORAGE_UNAVAILABLE`,
 * 503) for any other error, or if the call has not settled after 10 s.
 */
export async function wrapProviderErrors<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await withKeyTimeout('the key provider', async () => call())
  } catch (error) {
    if (isVaultError(error)) throw error
    const cause = redactError(error)
    throw new StorageUnavailableError('the key provider failed', { cause })
  }
}

/**
 * Settles like `call`. Rejects with a StorageError (`STORAGE_UNAVAILABLE`, 503) that names `callee`
 * if it has not settled after 10 s.
 */
export function withKeyTimeout<Result>(
  callee: 'the key provider' | 'the store',
  call: () => Promise<Result>,
): Promise<Result> {
  return withTimeout(
    call(),
    keyTimeoutMs,
    () => new StorageUnavailableError(`${callee} did not settle in 10 s`),
  )
}
