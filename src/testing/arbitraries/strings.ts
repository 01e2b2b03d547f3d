/** Arbitrary strings. */

import * as fc from 'fast-check'
import { codePoint } from './code-points.js'

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

/** Returns strings that a vault rejects everywhere (400): with U+0000 or a lone surrogate. */
export function arbitraryInvalidString(): fc.Arbitrary<string> {
  const wrong = fc.constantFrom('\0', '\ud800', '\udfff')
  const text = fc.string({ maxLength: 5 })
  return fc.tuple(text, wrong, text).map((parts) => parts.join(''))
}

/**
 * Returns absolute URLs. Unlike `fc.webUrl()`, which takes milliseconds and megabytes, it can be
 * called for every item of a property.
 */
export function arbitraryUrl(): fc.Arbitrary<string> {
  const scheme = fc.constantFrom('https', 'http', 'ftp', 'ssh')
  const host = fc.constantFrom('example.com', 'localhost:8080', '192.0.2.1', '[::1]', 'xn--4ca.de')
  return fc
    .tuple(scheme, host, arbitraryHostileString())
    .map(([name, server, path]) => `${name}://${server}/${encodeURIComponent(path)}`)
}
