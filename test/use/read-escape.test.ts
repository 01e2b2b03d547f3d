import { describe, expect, it } from 'vitest'
import { readEscape } from '../../src/use/read-escape.js'

/** Returns how each beginning of a text is read: the character, `...` if open, or `-`. */
function readAll(text: string): string {
  return Array.from(text, (_, index) => {
    const { bytes, isOpen } = readEscape(text.slice(0, index + 1))
    const character = bytes === undefined ? '' : Buffer.from(bytes).toString('latin1')
    return character + (isOpen ? '...' : '') || '-'
  }).join(' ')
}

describe('readEscape', () => {
  it.each([
    ['%2f', '... ... /'],
    ['%2F', '... ... /'],
    ['%c3', '... ... Ã'],
    ['%g', '... -'],
    ['%2g', '... ... -'],
    ['\\n', '... \n'],
    ['\\/', '... -'],
    ['\\\\', '... -'],
    ['\\x', '... -'],
    ['\\u0041', '... ... ... ... ... A'],
    ['\\u00g', '... ... ... ... -'],
    ['\\u0041x', '... ... ... ... ... A -'],
    ['\\ud83d\\ude00', `${'... '.repeat(11)}ð\x9f\x98\x80`],
    ['\\ud83dx', `${'... '.repeat(6)}-`],
    ['\\ud83d\\x', `${'... '.repeat(7)}-`],
    ['\\ud83d\\\\\\\\ude00', `${'... '.repeat(14)}ð\x9f\x98\x80`],
    [`\\ud83d${'\\'.repeat(8)}`, `${'... '.repeat(13)}-`],
    ['\\ud83d\\udx00', `${'... '.repeat(11)}ï¿½\x00`],
    ['&amp;', '... ... ... ... &'],
    ['&apos;', "... ... ... ... ... '"],
    ['&ax', '... ... -'],
    ['&#38;', '... ... ... ... &'],
    ['&#x3C;', '... ... ... ... ... <'],
    ['&#X3c;', '... ... ... ... ... <'],
    ['&#;', '... ... -'],
    ['&#x;', '... ... ... -'],
    ['&#3a', '... ... ... -'],
    ['&#00000038', `${'... '.repeat(9)}-`],
    ['&#1114112;', `${'... '.repeat(9)}-`],
  ])('reads the beginnings of %j as %j', (text, expected) => {
    expect(readAll(text)).toBe(expected)
  })
})
