/** Wraps and unwraps the keys of a scope with a provider, and checks what the provider returns. */

import { toBase64 } from '../../../base/base64.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { createCallTracer } from '../../../base/trace-calls.js'
import { StorageError } from '../../../errors.js'
import { fromBase64 } from '../envelope/encoding.js'
import { randomBytes } from '../envelope/record-envelope.js'
import {
  assertKnownKek,
  type KeyContext,
  type KeyProvider,
  wrapProviderErrors,
} from '../providers/key-provider.js'
import { maxWrappedLength, type WrappedKey } from './key-ring.js'

/** Looked up once, because not every runtime has it. */
const tracer = createCallTracer('cofferkit.key')

/** Bytes of a data key. */
export const dataKeyLength = 32
/** Bytes of the material that is wrapped: a data key, then the blind-index key of its scope. */
export const keyMaterialLength = 64

/** Returns a copy of the 64 bytes with a new data key. The rest is the blind-index key. */
export function withNewDataKey(material: Uint8Array): Uint8Array {
  const next = new Uint8Array(material)
  next.set(randomBytes(dataKeyLength))
  return next
}

/**
 * Wraps the 64 bytes with the current KEK, and unwraps them again before they are used.
 * @param provider The provider of the scope.
 * @throws StorageError: `STORAGE_UNAVAILABLE` (503) if the provider fails, `STORAGE_FAILED` (500)
 * if it returns no bytes or more than 6,144, or if unwrapping returns different bytes.
 */
export async function wrapKey(
  provider: KeyProvider,
  scope: string,
  { id, made }: Pick<WrappedKey, 'id' | 'made'>,
  material: Uint8Array,
): Promise<WrappedKey> {
  const kekId = provider.currentKekId
  const copy = new Uint8Array(material)
  const bytes = assertBytes(
    await callProvider('wrap', () => provider.wrap(copy, toKeyContext(scope, id))),
  )
  if (bytes.length > maxWrappedLength)
    throw new StorageError('the key provider returned a wrapped key of more than 6,144 bytes')
  const key = { id, made, kekId, wrapped: toBase64(bytes) }
  const unwrapped = await unwrapKey(provider, scope, key)
  if (unwrapped.some((byte, index) => byte !== material[index]))
    throw new StorageError('the key provider cannot unwrap a key that it has just wrapped')
  return key
}

/**
 * Unwraps the 64 bytes. They are a copy, because a provider that caches its own bytes would
 * otherwise see them change.
 * @param provider The provider of the scope.
 * @throws DecryptionError if the bytes were not wrapped for this scope and id, or if the KEK is not
 * in the provider's `kekIds`. In the second case the provider is not called.
 * @throws StorageError: `STORAGE_UNAVAILABLE` (503) if the provider fails, `STORAGE_FAILED` (500)
 * if it returns no bytes.
 */
export async function unwrapKey(
  provider: KeyProvider,
  scope: string,
  { id, kekId, wrapped }: WrappedKey,
): Promise<Uint8Array> {
  assertKnownKek(provider.kekIds, kekId)
  const bytes = fromBase64(wrapped)
  const material = assertBytes(
    await callProvider('unwrap', () => provider.unwrap(kekId, bytes, toKeyContext(scope, id))),
  )
  if (material.length !== keyMaterialLength) throw undecryptableError()
  return new Uint8Array(material)
}

/**
 * Returns the result of a call to the provider. The call, without its result, is published on the
 * tracing channel `cofferkit.key`.
 */
function callProvider<Result>(
  name: 'wrap' | 'unwrap',
  call: () => Promise<Result>,
): Promise<Result> {
  const settle = () => wrapProviderErrors(call)
  return tracer?.isObserved() ? tracer.trace({ call: name }, settle) : settle()
}

function assertBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new StorageError('the key provider must return a Uint8Array')
}

function toKeyContext(scope: string, id: number): KeyContext {
  return { purpose: 'cofferkit data key', scope, keyId: String(id) }
}
