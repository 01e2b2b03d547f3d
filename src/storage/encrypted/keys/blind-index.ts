/** Labels under which records are found again, and which say nothing but that two of them are the same. */

import { encodeFields, toBase64 } from '../envelope/encoding.js'
import { labelLength } from '../envelope/record-envelope.js'

/** What stands for a label in a collection. */
export interface BlindLabel {
  /** 16 bytes. */
  readonly bytes: Uint8Array
  /** The same in base64, as the store beneath gets it. */
  readonly text: string
}

/** Makes labels out of the callers'. */
export type BlindIndex = (collection: string, indexKey: string) => BlindLabel | Promise<BlindLabel>

/** How many labels are remembered, so that a change of anything but a title computes none. */
const maxCached = 256

/**
 * The first 16 bytes of HMAC-SHA-256 (RFC 2104) with this key over the length-prefixed list of `label`, collection and
 * label. The labels of 256 records, in the clear, are remembered.
 */
export function createBlindIndex(key: Uint8Array): BlindIndex {
  let imported: Promise<CryptoKey> | undefined
  const remembered = new Map<string, BlindLabel>()
  const compute = async (collection: string, indexKey: string): Promise<BlindLabel> => {
    imported ??= importKey(key)
    const message = new Uint8Array(encodeFields(['label', collection, indexKey]))
    const code = await crypto.subtle.sign('HMAC', await imported, message)
    const oldest = remembered.keys().next()
    if (remembered.size === maxCached && !oldest.done) remembered.delete(oldest.value)
    const bytes = new Uint8Array(code).slice(0, labelLength)
    const made = { bytes, text: toBase64(bytes) }
    remembered.set(`${collection}\n${indexKey}`, made)
    return made
  }
  return (collection, indexKey) =>
    remembered.get(`${collection}\n${indexKey}`) ?? compute(collection, indexKey)
}

function importKey(key: Uint8Array): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign'])
}
