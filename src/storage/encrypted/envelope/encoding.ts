/** Encodes lists of fields as bytes, unambiguously, and bytes as base64. */

import { undecryptableError } from '../../../base/fixed-errors.js'

/** A string in UTF-8, an integer from 0 to 2^53 - 1 as 8 bytes (big-endian), or bytes. */
export type Field = string | number | Uint8Array

const encoder = new TextEncoder()

/** Returns the fields in order, each preceded by its length in 4 bytes (big-endian). */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  let maxLength = 0
  for (const field of fields) maxLength += 4 + maxSizeOf(field)
  const bytes = new Uint8Array(maxLength)
  const view = new DataView(bytes.buffer)
  let end = 0
  for (const field of fields) {
    const start = end + 4
    end = start + writeField(bytes, view, start, field)
    view.setUint32(start - 4, end - start)
  }
  return bytes.subarray(0, end)
}

function maxSizeOf(field: Field): number {
  if (typeof field === 'number') return 8
  return typeof field === 'string' ? field.length * 3 : field.length
}

/** Writes a field, and returns its length. */
function writeField(bytes: Uint8Array, view: DataView, start: number, field: Field): number {
  if (typeof field === 'string') return writeText(bytes, start, field)
  if (typeof field === 'number') {
    view.setUint32(start, Math.floor(field / 2 ** 32))
    view.setUint32(start + 4, field >>> 0)
    return 8
  }
  bytes.set(field, start)
  return field.length
}

/** Writes ASCII, such as keys, by character, which takes a third of the encoder's time. */
function writeText(bytes: Uint8Array, start: number, text: string): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127) return encoder.encodeInto(text, bytes.subarray(start)).written
    bytes[start + index] = code
  }
  return text.length
}

/**
 * With padding, and with all unused bits zero (RFC 4648, section 3.5), so that each value has one
 * spelling.
 */
const canonicalBase64 =
  /^(?:[\dA-Za-z+/]{4})*(?:[\dA-Za-z+/][AQgw]==|[\dA-Za-z+/]{2}[AEIMQUYcgkosw048]=)?$/

/** Decodes the base64 that `toBase64` returns. @throws DecryptionError if it is not canonical. */
export function fromBase64(text: string): Uint8Array {
  if (!canonicalBase64.test(text)) throw undecryptableError()
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
