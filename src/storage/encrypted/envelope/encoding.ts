/** Fields as one string of bytes that no other fields have. */

import { DecryptionError } from '../../../errors.js'

/** Text is written in UTF-8, a number (whole, 0 to 2^53 - 1) as 8 bytes, the highest first. */
export type Field = string | number | Uint8Array

const encoder = new TextEncoder()

/** Each field in its order, after its length in 4 bytes, the highest first. */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  let room = 0
  for (const field of fields) room += 4 + sizeOf(field)
  const bytes = new Uint8Array(room)
  const view = new DataView(bytes.buffer)
  let end = 0
  for (const field of fields) {
    const start = end + 4
    end = start + write(bytes, view, start, field)
    view.setUint32(start - 4, end - start)
  }
  return bytes.subarray(0, end)
}

function sizeOf(field: Field): number {
  if (typeof field === 'number') return 8
  return typeof field === 'string' ? field.length * 3 : field.length
}

/** Writes the field and answers its length. */
function write(bytes: Uint8Array, view: DataView, start: number, field: Field): number {
  if (typeof field === 'string') return writeText(bytes, start, field)
  if (typeof field === 'number') {
    view.setUint32(start, Math.floor(field / 2 ** 32))
    view.setUint32(start + 4, field >>> 0)
    return 8
  }
  bytes.set(field, start)
  return field.length
}

/** ASCII, which keys are made of, character by character: that takes a third of the encoder's time. */
function writeText(bytes: Uint8Array, start: number, text: string): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127) return encoder.encodeInto(text, bytes.subarray(start)).written
    bytes[start + index] = code
  }
  return text.length
}

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
