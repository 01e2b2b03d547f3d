/** Wraps and unwraps the keys of a scope with a provider that need not be trusted to work. */

import { DecryptionError, StorageError } from '../../../errors.js'
import { fromBase64, toBase64 } from '../envelope/encoding.js'
import {
  checkKekId,
  type KeyContext,
  type KeyProvider,
  wrapProviderErrors,
} from '../providers/key-provider.js'
import { maxWrappedLength, type WrappedKey } from './key-ring.js'

/** Bytes of a data key. */
export const dataKeyLength = 32
/** Bytes of what is wrapped: a data key, then the label key of its scope. */
export const keyMaterialLength = 64

/**
 * The 64 bytes, wrapped. They are unwrapped again before anything is sealed with them.
 * @throws StorageError 503 if the provider fails, 500 if it returns other bytes or none, or wraps into more than 6,144.
 */
export async function wrapKey(
  provider: KeyProvider,
  scope: string,
  id: number,
  material: Uint8Array,
): Promise<WrappedKey> {
  const kekId = provider.currentKekId
  const copy = new Uint8Array(material)
  const bytes = checkBytes(
    await wrapProviderErrors(() => provider.wrap(copy, contextOf(scope, id))),
  )
  if (bytes.length > maxWrappedLength)
    throw new StorageError('the key provider wraps a key into more than 6,144 bytes')
  const key = { id, kekId, wrapped: toBase64(bytes) }
  const back = await unwrapKey(provider, scope, key)
  if (back.some((byte, index) => byte !== material[index]))
    throw new StorageError('the key provider does not give back what it has wrapped')
  return key
}

/**
 * The 64 bytes, as a copy: a provider that remembers its own would otherwise see them change.
 * @throws DecryptionError if the KEK is not one of the provider's `kekIds`, which is then not called, or if the bytes
 * were not wrapped for this place. @throws StorageError 503 if the provider fails, 500 if it returns no bytes.
 */
export async function unwrapKey(
  provider: KeyProvider,
  scope: string,
  { id, kekId, wrapped }: WrappedKey,
): Promise<Uint8Array> {
  checkKekId(provider.kekIds, kekId)
  const bytes = fromBase64(wrapped)
  const material = checkBytes(
    await wrapProviderErrors(() => provider.unwrap(kekId, bytes, contextOf(scope, id))),
  )
  if (material.length !== keyMaterialLength) throw new DecryptionError()
  return new Uint8Array(material)
}

function checkBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new StorageError('the key provider must return a Uint8Array')
}

function contextOf(scope: string, id: number): KeyContext {
  return { purpose: 'cofferkit data key', scope, keyId: String(id) }
}
