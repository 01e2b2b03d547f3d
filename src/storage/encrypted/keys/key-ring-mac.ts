/**
 * Authenticates the ring of a scope with a key that only its KEK opens.
 *
 * The ring key is HMAC-SHA-256 (RFC 2104) under the scope's label key over the length-prefixed list of `ring key`. The
 * code of a ring is HMAC-SHA-256 under the ring key over the length-prefixed list of format, `ring`, scope, version of
 * the ring's record, 1 if `shifted` and else 0, and id, kekId and wrapped text of each key in its order. Labels are
 * codes under the label key over lists that begin with `label`, so that none of them is a ring key.
 */

import { DecryptionError } from '../../../errors.js'
import { encodeFields, fromBase64, toBase64 } from '../envelope/encoding.js'
import { encodeRing, type KeyRing, type RingContent } from './key-ring.js'
import { dataKeyLength } from './wrap-key.js'

const hmac = { name: 'HMAC', hash: 'SHA-256' }

/** The 32 bytes of the ring key, from the 64 bytes of any key of the scope. */
export async function deriveRingKey(material: Uint8Array): Promise<Uint8Array> {
  const labelKey = await importKey(material.subarray(dataKeyLength), 'sign')
  const code = await crypto.subtle.sign(hmac, labelKey, new Uint8Array(encodeFields(['ring key'])))
  return new Uint8Array(code)
}

/** The ring as the record of this version, with its code. */
export async function sealRing(
  ringKey: Uint8Array,
  scope: string,
  version: number,
  content: RingContent,
): Promise<{ readonly body: Uint8Array }> {
  const key = await importKey(ringKey, 'sign')
  const code = await crypto.subtle.sign(hmac, key, messageOf(scope, version, content))
  return encodeRing({ ...content, mac: toBase64(new Uint8Array(code)) })
}

/** @throws DecryptionError if the ring was not sealed with this key, for this scope, as this version. */
export async function verifyRing(
  ringKey: Uint8Array,
  scope: string,
  { version, mac, ...content }: KeyRing,
): Promise<void> {
  const key = await importKey(ringKey, 'verify')
  const code = new Uint8Array(fromBase64(mac))
  if (!(await crypto.subtle.verify(hmac, key, code, messageOf(scope, version, content))))
    throw new DecryptionError()
}

function messageOf(
  scope: string,
  version: number,
  { shifted, keys }: RingContent,
): Uint8Array<ArrayBuffer> {
  const entries = keys.flatMap(({ id, kekId, wrapped }) => [id, kekId, wrapped])
  const isShifted = shifted ? 1 : 0
  return new Uint8Array(encodeFields([1, 'ring', scope, version, isShifted, ...entries]))
}

function importKey(key: Uint8Array, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(key), hmac, false, [usage])
}
