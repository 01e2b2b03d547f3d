/** Hostile JSON: strings and bytes that are not JSON in UTF-8 (RFC 8259). */

import { itemDraft } from '../../testing.js'
import { canary, type HostileRequest } from './hostile-case.js'

const items = '/v1/vaults/{vaultId}/items'
const start = '{"category":"LOGIN","vault":{"id":"{vaultId}"},'
const validBody = JSON.stringify(
  itemDraft('LOGIN', { vault: { id: '{vaultId}' }, title: `#${canary}` }),
)

/** The bodies are sent to these routes in turn, because all of them read JSON in the same way. */
const bodyRoutes = [
  { method: 'POST', target: items },
  { method: 'PUT', target: `${items}/{itemId}` },
  { method: 'PATCH', target: `${items}/{itemId}` },
]

/** Values that are not JSON (RFC 8259), each sent as a title. */
const invalidValues: readonly string[] = [
  ...['NaN', 'Infinity', '-Infinity', 'undefined', 'nul', 'tru', 'True', "'a'", 'a', '`a`'],
  ...['+1', '01', '-01', '.5', '1.', '0x10', '1e', '1e+', '1_0', '--1', '-', '1 2', '\uff11'],
  ...['"a', '"a\n"', '"a\t"', '"\u0001"', '"\\x41"', '"\\u12"', '"\\u{41}"', '"\\', '"\\U0041"'],
  ...[
    '[1,]',
    '[,1]',
    '[1',
    '[1 2]',
    '[1]]',
    '{,}',
    '{"a"}',
    '{"a" 1}',
    '{"a":}',
    '{a:1}',
    '{"a":1,}',
  ],
  ...[
    '{"a"::1}',
    '{1:1}',
    '/**/"a"',
    '"a"//',
    '#a',
    '<a>',
    '',
    '\u00a0"a"',
    '\u000b"a"',
    '\ufeff"a"',
  ],
]

const texts: readonly string[] = [
  '',
  ' ',
  '\n\t\r\n',
  '\0',
  '\ufeff',
  `\ufeff${validBody}`,
  validBody.slice(0, -1),
  validBody.slice(0, 40),
  `${validBody}}`,
  `${validBody},`,
  `${validBody}${validBody}`,
  `${validBody}\0`,
  validBody.replace(/}$/, ',}'),
  validBody.replaceAll('"', "'"),
  `callback(${validBody})`,
  `)]}',\n${validBody}`,
  `item=${validBody}`,
  ...invalidValues.map((value) => `${start}"title":${value}}`),
]

/** Invalid UTF-8, placed at the start of the title. */
const invalidUtf8: Readonly<Record<string, readonly number[]>> = {
  'a byte that never occurs in UTF-8': [0xff],
  'Latin-1': [0xe9],
  'a continuation byte alone': [0x80],
  'a truncated character': [0xe2, 0x82],
  'an overlong slash': [0xc0, 0xaf],
  'an overlong NUL': [0xc0, 0x80],
  'a surrogate in three bytes': [0xed, 0xa0, 0x80],
  'a code point beyond U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
  'a character of five bytes': [0xf8, 0x88, 0x80, 0x80, 0x80],
}

function withTitleBytes(bytes: readonly number[]): Uint8Array {
  const [before = '', after = ''] = validBody.split('#')
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
  return Uint8Array.from([...encode(before), ...bytes, ...encode(after)])
}

/** Encodes each character in `width` bytes, in the given byte order. */
function utf16Bytes(text: string, width: number, isBigEndian: boolean): Uint8Array {
  return Uint8Array.from(
    [...text].flatMap((char) => {
      const unit = [char.charCodeAt(0) & 255, char.charCodeAt(0) >> 8, ...Array(width - 2).fill(0)]
      return isBigEndian ? unit.reverse() : unit
    }),
  )
}

/** The bodies, by name. */
const bodies: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ...texts.map(
    (text, index) => [`string ${index}, ${JSON.stringify(text.slice(-30))}`, text] as const,
  ),
  ...Object.entries(invalidUtf8).map(([name, bytes]) => [name, withTitleBytes(bytes)] as const),
  ['UTF-16LE', utf16Bytes(validBody, 2, false)],
  ['UTF-16BE', utf16Bytes(validBody, 2, true)],
  ['UTF-16LE with a byte order mark', utf16Bytes(`\ufeff${validBody}`, 2, false)],
  ['UTF-32LE', utf16Bytes(validBody, 4, false)],
]

/** Requests whose body is not JSON in UTF-8. */
export const hostileJson: readonly HostileRequest[] = bodies.map(([name, body], index) => ({
  method: 'POST',
  target: items,
  ...bodyRoutes[index % bodyRoutes.length],
  name: `a body of ${name}`,
  body,
  status: 400,
  message: 'the body must be JSON in UTF-8',
}))
