/** Labels under which records are found again, and which say nothing but that two of them are the same. */

import { lengthPrefixed, toBase64 } from '../envelope/encoding.js'
import { labelLength } from '../envelope/record-envelope.js'

/** What stands for a label in a collection. */
export interface Label {
  /** 16 bytes. */
  readonly bytes: Uint8Array
  /** The same in base64, as the store beneath gets it. */
  readonly text: string
}

/** Makes labels out of the callers'. */
export type Labeller = (collection: string, label: string) => Label | Promise<Label>

/** How many labels are remembered, so that a change of anything but a title computes none. */
const mostRemembered = 256

/**
 * The first 16 bytes of HMAC-SHA-256 (RFC 2104) with this key over the length-prefixed list of `label`, collection and
 * label. The labels of 256 records, in the clear, are remembered.
 */
export function createLabeller(key: Uint8Array): Labeller {
  let imported: Promise<CryptoKey> | undefined
  const remembered = new Map<string, Label>()
  const compute = async (collection: string, label: string): Promise<Label> => {
    imported ??= importKey(key)
    const message = new Uint8Array(lengthPrefixed(['label', collection, label]))
    const code = await crypto.subtle.sign('HMAC', await imported, message)
    const oldest = remembered.keys().next()
    if (remembered.size === mostRemembered && !oldest.done) remembered.delete(oldest.value)
    const bytes = new Uint8Array(code).slice(0, labelLength)
    const made = { bytes, text: toBase64(bytes) }
    remembered.set(`${collection}\n${label}`, made)
    return made
  }
  return (collection, label) =>
    remembered.get(`${collection}\n${label}`) ?? compute(collection, label)
}

function importKey(key: Uint8Array): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign'])
}
