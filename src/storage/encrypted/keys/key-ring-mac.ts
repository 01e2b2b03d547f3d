/**
 * Authenticates the key ring of a scope with a key that only the secret of the ring opens.
 *
 * The ring key is HMAC-SHA-256 (RFC 2104) with the scope's blind-index key over the single encoded
 * field `ring key`. It stays the same when the secret is renewed, so a process that has opened the
 * scope recognizes each later ring, even one whose keys were erased, without asking the provider.
 * The MAC of a ring is HMAC-SHA-256 with the ring key over the encoded fields format, `ring` or
 * `seal ring`, scope, version of the ring's record, 1 if `shifted` and else 0, the same for `next`,
 * then `kekId`, `secret`, `sealed`, and the id and made of each key in order. Blind indexes are HMACs
 * with the blind-index key over fields that begin with `label`, so none of them is a ring key.
 */

import { toBase64 } from '../../../base/base64.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { encodeFields, fromBase64 } from '../envelope/encoding.js'
import { encodeRing, type KeyRing, keyLength, type RingContent } from './key-ring.js'

const hmac = { name: 'HMAC', hash: 'SHA-256' }

/** Returns the 32 bytes of the ring key. @param material The keys of a ring. */
export async function deriveRingKey(material: Uint8Array): Promise<Uint8Array> {
  const blindIndexKey = await importKey(material.subarray(0, keyLength), 'sign')
  const message = new Uint8Array(encodeFields(['ring key']))
  return new Uint8Array(await crypto.subtle.sign(hmac, blindIndexKey, message))
}

/**
 * Returns a ring with its MAC, and the record that is about to be stored as `version`.
 * @throws StorageError (`STORAGE_FAILED`) if the record exceeds 1 MiB.
 */
export async function authenticateRing(
  ringKey: Uint8Array,
  scope: string,
  version: number,
  content: RingContent,
): Promise<KeyRing & { readonly body: Uint8Array }> {
  const key = await importKey(ringKey, 'sign')
  const mac = await crypto.subtle.sign(hmac, key, encodeMessage(scope, version, content))
  const { use, hasReencryptions, kekId, secret, keys, sealed } = content
  const sealedKeys = { kekId, secret, keys, sealed }
  const ring = { use, hasReencryptions, ...sealedKeys, mac: toBase64(new Uint8Array(mac)) }
  return { ...ring, version, ...encodeRing(ring) }
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
  { use, hasReencryptions, kekId, secret, sealed, keys }: RingContent,
): Uint8Array<ArrayBuffer> {
  const entries = [kekId, secret, sealed, ...keys.flatMap(({ id, made }) => [id, made])]
  const shifted = hasReencryptions ? 1 : 0
  const next = use.hasNext ? 1 : 0
  return new Uint8Array(encodeFields([1, use.label, scope, version, shifted, next, ...entries]))
}

function importKey(key: Uint8Array, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(key), hmac, false, [usage])
}
