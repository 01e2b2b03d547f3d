/** The text of an export: decoded from UTF-8 or UTF-16, and without characters that are invalid. */

import { InvalidInputError } from '../errors.js'
import type { ImportLimits } from './limits.js'
import type { ReportLoss } from './result.js'

/**
 * Returns the text without its byte order mark. UTF-16 without a mark is recognized by the zero
 * byte of its first character, which is ASCII in every format.
 * @throws InvalidInputError if the text is too long or has an invalid encoding.
 */
export function decodeText(bytes: Uint8Array, { textBytes }: ImportLimits): string {
  if (bytes.length > textBytes)
    throw InvalidInputError.at('', `the text must be at most ${textBytes} bytes long`)
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
  return text.replaceAll('\0', '').toWellFormed()
}
