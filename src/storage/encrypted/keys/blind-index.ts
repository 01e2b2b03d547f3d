/**
 * Computes blind indexes. They replace index keys in the inner store, and show only which index
 * keys of a collection are equal.
 */

import { toBase64 } from '../../../base/base64.js'
import { encodeFields } from '../envelope/encoding.js'
import { blindIndexLength } from '../envelope/record-envelope.js'

/** The blind index of an index key in a collection. */
export interface BlindIndex {
  /** 16 bytes. */
  readonly bytes: Uint8Array
  /** The same in base64: the index key in the inner store. */
  readonly text: string
}

/** Computes blind indexes with one key. */
export interface BlindIndexer {
  /** Returns the value itself, not a promise, if it is cached. */
  compute(collection: string, indexKey: string): BlindIndex | Promise<BlindIndex>
  /** Removes the key and the cached index keys. From then on, computing rejects. */
  wipe(): void
}

/**
 * How many index keys are cached, so that nothing is computed when anything but the title changes.
 */
const maxCached = 256

/**
 * Creates an indexer. A blind index is the first 16 bytes of HMAC-SHA-256 (RFC 2104)
 * over the encoded fields `label`, collection and index key. The last 256 index keys are cached, in
 * plaintext.
 *
 * @param key The blind-index key of the scope, 32 bytes.
 */
export function createBlindIndexer(key: Uint8Array): BlindIndexer {
  let bytes = key
  let imported: Promise<CryptoKey> | undefined
  const cache = new Map<string, BlindIndex>()
  const compute = async (collection: string, indexKey: string): Promise<BlindIndex> => {
    imported ??= importKey(bytes)
    const message = new Uint8Array(encodeFields(['label', collection, indexKey]))
    const mac = await crypto.subtle.sign('HMAC', await imported, message)
    const start = new Uint8Array(mac).slice(0, blindIndexLength)
    const blindIndex = { bytes: start, text: toBase64(start) }
    // The key may have been wiped in the meantime.
    if (bytes.length === 0) return blindIndex
    const oldest = cache.keys().next()
    if (cache.size === maxCached && !oldest.done) cache.delete(oldest.value)
    cache.set(`${collection}\n${indexKey}`, blindIndex)
    return blindIndex
  }
  return {
    compute: (collection, indexKey) =>
      cache.get(`${collection}\n${indexKey}`) ?? compute(collection, indexKey),
    wipe() {
      // A key of zeros would still be valid.
      bytes = new Uint8Array(0)
      imported = undefined
      cache.clear()
    },
  }
}

function importKey(key: Uint8Array): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign'])
}
