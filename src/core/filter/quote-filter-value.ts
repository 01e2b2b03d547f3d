/** Quotes values for the filters that clients send. */

import { text } from '../../base/argument.js'

const anyText = text()

/**
 * Quotes a value for a filter. As in a Windows command line, only backslashes before a quote are
 * escaped.
 * @returns The value in double quotes, not yet encoded for a URL. No value can end the comparison
 * early.
 * @throws TypeError if `value` is not a string.
 * @example
 * const filter = `title eq ${quoteFilterValue('GitHub')}` // title eq "GitHub"
 */
export function quoteFilterValue(value: string): string {
  anyText(value, 'value')
  let quoted = ''
  let backslashes = 0
  for (const character of value) {
    quoted += character === '"' ? `${'\\'.repeat(backslashes + 1)}"` : character
    backslashes = character === '\\' ? backslashes + 1 : 0
  }
  return `"${quoted}${'\\'.repeat(backslashes)}"`
}
