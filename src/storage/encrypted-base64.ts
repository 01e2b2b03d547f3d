/** Bytes as base64 (RFC 4648, section 4) and back. */

import { DecryptionError } from '../errors.js'

/** With padding, and with no bit set that stands for nothing (RFC 4648, section 3.5): one text for each value. */
const canonical =
  /^(?:[\dA-Za-z+/]{4})*(?:[\dA-Za-z+/][AQgw]==|[\dA-Za-z+/]{2}[AEIMQUYcgkosw048]=)?$/

/** Of at most some thousand bytes. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** The bytes that `toBase64` encodes as this text. @throws DecryptionError if the text is not canonical base64. */
export function fromBase64(text: string): Uint8Array {
  if (!canonical.test(text)) throw new DecryptionError()
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
