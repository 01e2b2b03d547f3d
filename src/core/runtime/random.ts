/** Random bytes, and ids made from them. */

import { generationError } from '../../base/fixed-errors.js'
import { toBase32 } from '../../base/to-base32.js'
import { toHex } from '../../base/to-hex.js'

/** Returns this number of unpredictable bytes. */
export type RandomBytes = (length: number) => Uint8Array

const poolBytes = 4096

/**
 * Returns a new id: 0, 1, 8 or 9, which base32 does not have, then 25 characters of lowercase base32
 * (RFC 4648, section 6). That is 127 random bits. No id that a caller chooses begins so.
 * @throws GenerationError if the random source does not return 16 bytes, because an id of fewer
 * bits could be guessed.
 */
export function newId(randomBytes: RandomBytes): string {
  const bytes = randomBytes(16)
  const last = bytes.at(-1)
  if (bytes.length !== 16 || last === undefined) throw generationError()
  return '0189'.charAt(last & 3) + toBase32(bytes).slice(0, 25)
}

/**
 * Returns a new UUID with 122 random bits (RFC 9562, version 4).
 * @throws GenerationError if the random source does not return 16 bytes.
 */
export function newUuid(randomBytes: RandomBytes): string {
  const bytes = randomBytes(16)
  if (bytes.length !== 16) throw generationError()
  const digits = toHex(bytes)
  const variant = '89ab'[Number.parseInt(digits.slice(16, 17), 16) & 3]
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`)
}

/**
 * Returns a source that reads from the cryptographic generator of the platform, in pools of 4,096
 * bytes. Calling the generator for each id would cost more than the id itself.
 */
export function createRandomBytes(): RandomBytes {
  let pool = new Uint8Array(0)
  let used = 0
  return (length) => {
    if (length >= poolBytes) return crypto.getRandomValues(new Uint8Array(length))
    if (used + length > pool.length) {
      pool = crypto.getRandomValues(new Uint8Array(poolBytes))
      used = 0
    }
    const bytes = pool.slice(used, used + length)
    pool.fill(0, used, used + length)
    used += length
    return bytes
  }
}
