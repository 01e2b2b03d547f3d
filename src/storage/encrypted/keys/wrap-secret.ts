/** Wraps and unwraps the secrets of rings with a provider, and checks what the provider returns. */

import { toBase64 } from '../../../base/base64.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { createCallTracer } from '../../../base/trace-calls.js'
import { DecryptionError, StorageError } from '../../../errors.js'
import { fromBase64 } from '../envelope/encoding.js'
import { type KeyProvider, wrapProviderErrors } from '../providers/key-provider.js'
import { type KeyRing, keyLength, maxWrappedLength, nameKeys, type RingUse } from './key-ring.js'

/** Looked up once, because not every runtime has it. */
const tracer = createCallTracer('cofferkit.key')

/** A secret that only the key provider can unwrap. */
export type WrappedSecret = Pick<KeyRing, 'use' | 'kekId' | 'secret'>

/**
 * Wraps the 32 bytes with the current KEK.
 * @param provider The provider of the scope.
 * @throws StorageError: `STORAGE_UNAVAILABLE` (503) if the provider fails, `STORAGE_FAILED` (500)
 * if it returns no bytes or more than 6,144.
 */
export async function wrapSecret(
  provider: KeyProvider,
  use: RingUse,
  scope: string,
  secret: Uint8Array,
): Promise<WrappedSecret> {
  const kekId = provider.currentKekId
  const copy = new Uint8Array(secret)
  const context = { purpose: use.purpose, scope }
  const task = `to wrap ${nameKeys(use, scope)} with the KEK ${showKekId(kekId)}`
  const bytes = assertBytes(await callProvider('wrap', task, () => provider.wrap(copy, context)))
  if (bytes.length === 0 || bytes.length > maxWrappedLength)
    throw new StorageError('the key provider must return a wrapped key of 1 to 6,144 bytes')
  return { use, kekId, secret: toBase64(bytes) }
}

/**
 * Unwraps the 32 bytes. They are a copy, because a provider that caches its own bytes would
 * otherwise see them change.
 * @param provider The provider of the scope.
 * @throws DecryptionError if the bytes were not wrapped for this scope, or if the KEK is not in the
 * provider's `kekIds`. In the second case the provider is not called.
 * @throws StorageError: `STORAGE_UNAVAILABLE` (503) if the provider fails, `STORAGE_FAILED` (500)
 * if it returns no bytes.
 */
export async function unwrapSecret(
  provider: KeyProvider,
  scope: string,
  { use, kekId, secret }: WrappedSecret,
): Promise<Uint8Array> {
  if (!provider.kekIds.includes(kekId)) throw unknownKekError(provider, scope, { use, kekId })
  const wrapped = fromBase64(secret)
  const context = { purpose: use.purpose, scope }
  const task = `to unwrap ${nameKeys(use, scope)} with the KEK ${showKekId(kekId)}`
  const bytes = assertBytes(
    await callProvider('unwrap', task, () => provider.unwrap(kekId, wrapped, context)),
  )
  if (bytes.length !== keyLength) throw undecryptableError()
  return new Uint8Array(bytes)
}

/** Returns the id of a KEK for a message. Anyone who can write to the store can change it. */
export function showKekId(kekId: string): string {
  return kekId.slice(0, 200).replace(/[^\x20-\x7e]/g, '?')
}

function unknownKekError(
  { kekIds }: KeyProvider,
  scope: string,
  { use, kekId }: Pick<WrappedSecret, 'use' | 'kekId'>,
): DecryptionError {
  const known = kekIds.map(showKekId).join(', ')
  return new DecryptionError(
    `${nameKeys(use, scope)} are wrapped with the KEK ${showKekId(kekId)}, but the key provider has only ${known}`,
  )
}

/**
 * Returns the result of a call to the provider. The call, without its result, is published on the
 * tracing channel `cofferkit.key`.
 */
function callProvider<Result>(
  name: 'wrap' | 'unwrap',
  task: string,
  call: () => Promise<Result>,
): Promise<Result> {
  const settle = () => wrapProviderErrors(task, call)
  return tracer?.isObserved() ? tracer.trace({ call: name }, settle) : settle()
}

function assertBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new StorageError('the key provider must return a Uint8Array')
}
