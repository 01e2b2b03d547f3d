/** Strings of any Unicode characters. */

import * as fc from 'fast-check'

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
