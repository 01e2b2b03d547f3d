/**
 * Authenticates the key ring of a scope with a key that only the KEK can unwrap.
 *
 * The ring key is HMAC-SHA-256 (RFC 2104) with the scope's blind-index key over the single encoded
 * field `ring key`. The MAC of a ring is HMAC-SHA-256 with the ring key over the encoded fields
 * format, `ring` or `seal ring`, scope, version of the ring's record, 1 if `shifted` and else 0,
 * the same for `next`, and the id, made, kekId and wrapped string of each key in order. Blind
 * indexes are HMACs with the blind-index key over fields that begin with `label`, so none of them
 * is a ring key.
 */

import { toBase64 } from '../../../base/base64.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { encodeFields, fromBase64 } from '../envelope/encoding.js'
import { encodeRing, type KeyRing, type RingContent } from './key-ring.js'
import { dataKeyLength } from './wrap-key.js'

const hmac = { name: 'HMAC', hash: 'SHA-256' }

/** Returns the 32 bytes of the ring key. @param material The 64 bytes of any key of the scope. */
export async function deriveRingKey(material: Uint8Array): Promise<Uint8Array> {
  const blindIndexKey = await importKey(material.subarray(dataKeyLength), 'sign')
  const message = new Uint8Array(encodeFields(['ring key']))
  return new Uint8Array(await crypto.subtle.sign(hmac, blindIndexKey, message))
}

/**
 * Returns a ring with its MAC, as the record that is about to be stored as `version`.
 * @throws StorageError (`STORAGE_FAILED`) if the record exceeds 1 MiB.
 */
export async function encodeAuthenticatedRing(
  ringKey: Uint8Array,
  scope: string,
  version: number,
  content: RingContent,
): Promise<{ readonly body: Uint8Array }> {
  const key = await importKey(ringKey, 'sign')
  const mac = await crypto.subtle.sign(hmac, key, encodeMessage(scope, version, content))
  return encodeRing({ ...content, mac: toBase64(new Uint8Array(mac)) })
}

/**
 * Verifies the MAC of a ring.
 * @throws DecryptionError if it was not computed with this ring key, for this scope and version.
 */
export async function verifyRing(
  ringKey: Uint8Array,
  scope: string,
  { version, mac, ...content }: KeyRing,
): Promise<void> {
  const key = await importKey(ringKey, 'verify')
  const bytes = new Uint8Array(fromBase64(mac))
  if (!(await crypto.subtle.verify(hmac, key, bytes, encodeMessage(scope, version, content))))
    throw undecryptableError()
}

function encodeMessage(
  scope: string,
  version: number,
  { use, hasReencryptions, keys }: RingContent,
): Uint8Array<ArrayBuffer> {
  const entries = keys.flatMap(({ id, made, kekId, wrapped }) => [id, made, kekId, wrapped])
  const shifted = hasReencryptions ? 1 : 0
  const next = use.hasNext ? 1 : 0
  return new Uint8Array(encodeFields([1, use.label, scope, version, shifted, next, ...entries]))
}

function importKey(key: Uint8Array, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(key), hmac, false, [usage])
}
