/** Removes from a text what no vault can store. */

import type { ReportLoss } from './result.js'

/**
 * Returns the text without U+0000, and with U+FFFD for each lone surrogate. Reports the change.
 */
export function cleanText(text: string, path: string, report: ReportLoss): string {
  if (text.isWellFormed() && !text.includes('\0')) return text
  report(path, 'converted', 'a NUL character or a lone surrogate was removed from the text')
  return text.replaceAll('\0', '').toWellFormed()
}
