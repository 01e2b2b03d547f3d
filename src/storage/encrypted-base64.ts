/** Bytes as base64 (RFC 4648, section 4) and back. */

import { DecryptionError } from '../errors.js'

/** Of at most some thousand bytes. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** @throws DecryptionError if the text is none. */
export function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    throw new DecryptionError()
  }
}
