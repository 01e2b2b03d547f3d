/** Ids that every process derives from the same names. */

import { toBase32 } from './to-base32.js'

const idLength = 26

/**
 * Returns an id of 26 characters of lowercase base32: the first 130 bits of the SHA-256 digest of
 * the JSON of the names. It is a chosen id: the ids that a vault makes begin with other characters.
 */
export async function deriveId(names: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(names))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return toBase32(digest).slice(0, idLength)
}
