/** Encodes bytes in base32. */

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Returns lowercase base32 (RFC 4648, section 6) without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let count = 0
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    count += 8
    while (count >= 5) {
      count -= 5
      text += alphabet[(bits >> count) & 31]
    }
  }
  return count === 0 ? text : text + alphabet[(bits << (5 - count)) & 31]
}
