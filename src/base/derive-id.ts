/** Ids that every process derives from the same names. */

import { toHex } from './to-hex.js'

const idLength = 26
/** The length of the largest SHA-256 digest in base 36. */
const digestLength = 50

/**
 * Returns an id of 26 characters of `0-9 a-z`: the first base-36 digits of the SHA-256 digest of
 * the JSON of the names.
 */
export async function deriveId(names: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(names))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = toHex(digest)
  return BigInt(`0x${hex}`).toString(36).padStart(digestLength, '0').slice(0, idLength)
}
