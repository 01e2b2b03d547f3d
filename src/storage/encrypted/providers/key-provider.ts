/** The interface of a key provider: a key management service, or a local key. */

import { anyFunction, argumentError, type Kind, kindOf, like } from '../../../base/argument.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { redactError } from '../../../base/redact-error.js'
import { safeGet } from '../../../base/safe-get.js'
import { withTimeout } from '../../../base/with-timeout.js'
import { isVaultError, StorageError, StorageUnavailableError } from '../../../errors.js'
import { encodeFields } from '../envelope/encoding.js'

/**
 * Wraps and unwraps the secrets of key rings with a key that the library never sees: the
 * key-encryption key (KEK). A ring's secret encrypts all data keys in the ring.
 *
 * `unwrap` must reject with a DecryptionError if `wrap` did not return these bytes for this
 * context. Any other failure, for example because the service is unreachable or denies the request,
 * reaches the caller of the store as a StorageError of code `STORAGE_UNAVAILABLE` (503). If the
 * error is not from this library, only its name and code are kept. A call that has not settled
 * after 10 s fails in the same way. The next request makes a new call.
 */
export interface KeyProvider {
  /** The id of the KEK that `wrap` uses, 1 to 2,048 characters. It is stored in each key ring. */
  readonly currentKekId: string
  /**
   * The ids of all KEKs with which `unwrap` may be called: the current one, and former ones that may
   * still wrap the secrets of stored key rings. An attacker with write access to the store can
   * change a stored id. If an id is not in this list, unwrapping fails with a DecryptionError, and
   * `unwrap` is not called.
   */
  readonly kekIds: readonly string[]
  /**
   * Wraps the 32 bytes of a secret with the current KEK, bound to the context. `secret` is a copy,
   * so you may overwrite it.
   */
  wrap(secret: Uint8Array, context: KeyContext): Promise<Uint8Array>
  /**
   * Returns the 32 bytes that were wrapped with this KEK for the same context. The caller copies
   * them.
   * @throws DecryptionError if the bytes were not wrapped with this KEK for this context.
   */
  unwrap(kekId: string, wrapped: Uint8Array, context: KeyContext): Promise<Uint8Array>
  /**
   * Returns the provider for one scope, such as a tenant's. It is called whenever the secret of the
   * scope must be wrapped or unwrapped. The result's own `ofScope` is not called. A rejection counts as a
   * failure of the provider. By default this provider serves every scope.
   */
  ofScope?(scope: string): KeyProvider | Promise<KeyProvider>
}

/**
 * What a wrapped secret is for. It is not secret itself, and a key management service may write it
 * to its log.
 */
export interface KeyContext {
  /** Whether the key ring belongs to an encrypted store or to a sealer. */
  readonly purpose: 'cofferkit key ring' | 'cofferkit seal ring'
  /**
   * In a store, the vault's id or, for records outside any vault, their collection. In a sealer,
   * its scope.
   */
  readonly scope: string
}

/**
 * Returns the context as bytes, for a provider that binds secrets to bytes: purpose and scope, each
 * preceded by its length in 4 bytes.
 * @throws TypeError if one of the two is not a string.
 */
export function encodeKeyContext(context: KeyContext): Uint8Array {
  anyContext(context, 'context')
  const { purpose, scope } = context
  return encodeFields([purpose, scope])
}

const anyContext = like({ purpose: '', scope: '' })

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

/** The id of a KEK in the options of a provider. */
export const kekName = kindOf<string>('text of 1 to 2,048 characters', isKekId)

/** @throws DecryptionError if a stored id is not in the list. */
export function assertKnownKek(kekIds: readonly string[], kekId: string): void {
  if (!kekIds.includes(kekId)) throw undecryptableError()
}

/**
 * A key provider. It throws a TypeError if a function is missing or `kekIds` is not a list of
 * names, and a RangeError if `kekIds` does not include `currentKekId`.
 */
export const keyProvider: Kind<KeyProvider> = (provider, path) => {
  const members = [safeGet(provider, 'wrap'), safeGet(provider, 'unwrap')]
  if (!members.every((member) => typeof member === 'function'))
    throw argumentError(provider, path, 'a key provider with wrap and unwrap')
  const { currentKekId, kekIds, ofScope } = provider
  if (ofScope !== undefined) like(anyFunction)(ofScope, `${path}.ofScope`)
  if (!Array.isArray(kekIds) || !kekIds.every(isKekId))
    throw argumentError(kekIds, `${path}.kekIds`, 'a list of names of 1 to 2,048 characters')
  if (!kekIds.includes(currentKekId))
    throw new RangeError(`${path}.kekIds must include ${path}.currentKekId`)
  return provider
}

/**
 * Returns the provider of a scope.
 * @throws StorageError: `STORAGE_UNAVAILABLE` (503) if `ofScope` fails or has not settled after
 * 10 s, `STORAGE_FAILED` (500) if it returns anything but a key provider.
 */
export async function findProvider(provider: KeyProvider, scope: string): Promise<KeyProvider> {
  if (provider.ofScope === undefined) return provider
  return wrapProviderErrors(`to return the provider of ${scope}`, async () => {
    const own = await provider.ofScope?.(scope)
    return requireProvider(own, 'keys.ofScope')
  })
}

/**
 * Checks the provider that a user's function has returned.
 * @throws StorageError (`STORAGE_FAILED`) with the path of the function if it is not valid.
 */
export function requireProvider(value: unknown, path: string): KeyProvider {
  try {
    return keyProvider(value as KeyProvider, path)
  } catch {
    throw new StorageError(`${path} must return a key provider`)
  }
}

/** How long a call to the provider, or to the store for keys, may take, in milliseconds. */
const keyTimeoutMs = 10_000

/**
 * Returns the result of a call to the provider.
 * @param task What the call does, for the message, such as `to unwrap …`.
 * @throws VaultError An error of this library unchanged. A StorageError (`STORAGE_UNAVAILABLE`,
 * 503) for any other error, or if the call has not settled after 10 s.
 */
export async function wrapProviderErrors<Result>(
  task: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await withKeyTimeout('the key provider', async () => call())
  } catch (error) {
    if (isVaultError(error)) throw error
    const cause = redactError(error)
    throw new StorageUnavailableError(`the key provider failed ${task}`, { cause })
  }
}

/**
 * Settles like `call`. If it has not settled after 10 s, rejects with a StorageError
 * (`STORAGE_UNAVAILABLE`, 503) that names `callee`.
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
