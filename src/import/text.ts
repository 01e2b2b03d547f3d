/** The text of an export: decoded from UTF-8 or UTF-16, and without characters that are invalid. */

import { InvalidInputError } from '../index.js'
import type { ReadLimits } from './limits.js'
import type { ReportLoss } from './result.js'

/**
 * Returns the text without its byte order mark. UTF-16 without a mark is recognized by the zero
 * byte of its first character, which is ASCII in JSON.
 * @throws InvalidInputError if the text is too long or has an invalid encoding.
 */
export function decodeText(bytes: Uint8Array, { textBytes }: ReadLimits): string {
  if (bytes.length > textBytes)
    throw InvalidInputError.at('', `the text is longer than ${textBytes} bytes`)
  const encoding = detectEncoding(bytes)
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw InvalidInputError.at('', `the text is not valid ${encoding.toUpperCase()}`)
  }
}

function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be'
  return 'utf-8'
}

/**
 * Returns the text without U+0000, and with U+FFFD for each lone surrogate. Reports the change.
 */
export function cleanText(text: string, toPath: () => string, report: ReportLoss): string {
  if (text.isWellFormed() && !text.includes('\0')) return text
  report(toPath(), 'converted', 'a NUL character or a lone surrogate was removed from the text')
  return removeNuls(text).toWellFormed()
}

/** The number of characters that are cleaned at a time. */
const blockLength = 65_536

/**
 * Removes every U+0000. `replaceAll` would make a tree with a node for each, of gigabytes for a text
 * of tens of millions.
 */
function removeNuls(text: string): string {
  let cleaned = ''
  for (let start = 0; start < text.length; start += blockLength)
    cleaned += text
      .slice(start, start + blockLength)
      .split('\0')
      .join('')
  return cleaned
}

/** Returns the first characters of a text. No pair of surrogates is cut in half. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed()
}
