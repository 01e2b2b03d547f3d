/** The texts that are searched for to find values. */

import { toBase64 } from '../base/base64.js'
import { concatBytes } from '../base/concat-bytes.js'
import { toHex } from '../base/to-hex.js'

/** The minimum length of a value that is masked: a shorter one occurs by chance. */
const minRedactableLength = 8
/** The maximum number of characters of a piece. */
const maxPieceLength = 32

const encoder = new TextEncoder()

/**
 * Returns true if a value is long enough to be masked, without the blanks around it, which a header
 * loses, and without backslashes, which are ignored because each form of JSON adds or removes some.
 */
export function isRedactable(value: string): boolean {
  return value.replaceAll('\\', '').trim().length >= minRedactableLength
}

/**
 * Returns the texts of values: the values without backslashes and with `+` for blanks, base64,
 * base64url and hexadecimal digits. A text of more than 32 characters is divided, so that the work
 * for each byte of an input is limited.
 */
export function toPieces(values: readonly string[]): ReadonlySet<string> {
  const texts = values.filter(isRedactable).flatMap((value) => [value, value.trim()])
  return new Set([...new Set(texts)].flatMap(encodeValue).flatMap(divide))
}

/** Returns the maximum number of consecutive backslashes in any of the values. */
export function countBackslashes(values: readonly string[]): number {
  const runs = values.flatMap((value) => value.match(/\\+/g) ?? [])
  return runs.reduce((most, { length }) => Math.max(most, length), 0)
}

function encodeValue(value: string): readonly string[] {
  const bytes = encoder.encode(value)
  const digits = toHex(bytes)
  const base64 = base64Parts(bytes)
  const base64Url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const text = value.replaceAll('\\', '').replaceAll(' ', '+')
  return [text, digits, digits.toUpperCase(), ...base64, ...base64Url]
}

/**
 * Returns bytes in base64: alone, and as a part of longer data, where they begin at any of three
 * positions in a group of three bytes. There, the characters at both ends also depend on the
 * neighbors and are left out.
 */
function base64Parts(bytes: Uint8Array): readonly string[] {
  const alone = toBase64(bytes).replaceAll('=', '')
  const inside = [1, 2].map((shift) => {
    const text = toBase64(concatBytes([new Uint8Array(shift), bytes]))
    return text.slice(shift + 1, Math.floor(((shift + bytes.length) * 4) / 3))
  })
  return [alone, alone.slice(0, Math.floor((bytes.length * 4) / 3)), ...inside]
}

/** Divides a text into pieces of about the same length. */
function divide(text: string): readonly string[] {
  const characters = [...text]
  const count = Math.ceil(characters.length / maxPieceLength)
  return Array.from({ length: count }, (_, index) => {
    const [start = 0, end = 0] = [index, index + 1].map((part) =>
      Math.round((characters.length * part) / count),
    )
    return characters.slice(start, end).join('')
  })
}
