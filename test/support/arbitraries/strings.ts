/** Arbitrary strings. */

import fc from 'fast-check'

const surrogateCount = 0x800

/**
 * One character: any code point that is not a surrogate, ASCII in half of the cases. Unlike the
 * unit `binary` of fast-check, it builds no table of all code points, which takes a second per test
 * file.
 */
export const codePoint: fc.Arbitrary<string> = fc.oneof(
  fc.nat(0x7f).map((code) => String.fromCodePoint(code)),
  fc
    .nat(0x10ffff - surrogateCount)
    .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + surrogateCount)),
)

const hostileStrings = [
  ...['', ' ', '\t', '0', '-', '-1', '1e3', 'null', 'undefined', 'true', '[object Object]', 'NaN'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'id'],
  ...['/', '//', '~', '~0', '~1', '~2', '/fields/-', '/title', '..', '../../etc/passwd', 'C:\\'],
  ...['"', "'", '`', '\\', '\\"', '" or title eq "', "'; drop table records; --", '%', '_', '%00'],
  ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</textarea>', '&amp;'],
  ...['\u0024{x}', '{{x}}', '$(id)', '`id`', '%s%n', '=1+1', '@import', 'op://vault/item/field'],
  ...['\r\nset-cookie: a=b', '\n', '\u0001', '\u001b[31m', '\u007f', '\u0085', '\u2028', '\ufeff'],
  ...['ß', 'ẞ', 'İ', 'ı', 'ﬀ', 'é', 'e\u0301', '\u202etxt', '\u200b', '😀', '👩‍👩‍👧', '\u{10ffff}'],
  ...['Bearer full-token', 'javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd'],
]

/**
 * Returns strings that break careless code: names of inherited members, syntax of paths, filters,
 * SQL, HTML, shells, headers and templates, control characters, and any Unicode. A vault stores each
 * of them unchanged as a title, a tag, a label or a value.
 */
export function arbitraryHostileString(): fc.Arbitrary<string> {
  const withoutNull = (text: string): string => text.replaceAll('\0', '')
  return fc.oneof(
    fc.constantFrom(...hostileStrings),
    fc.array(fc.constantFrom(...hostileStrings), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.string({ unit: codePoint, maxLength: 20 }).map(withoutNull),
    fc.nat(300).map((length) => 'x'.repeat(length)),
  )
}
