/** Bodies of JSON that go beyond its limits, or are not sent as HTTP wants it: the second half of list C of the bad inputs. */

import { loginDraft } from '../item-drafts.js'
import { type HostileRequest, type ServiceSetup, canary } from './hostile-case.js'

const items = '/v1/vaults/{vaultId}/items'
const item = `${items}/{itemId}`
const draft = loginDraft('{vaultId}', { title: `#${canary}` })
const validBody = JSON.stringify(draft)
const start = '{"category":"LOGIN","vault":{"id":"{vaultId}"},'

/** Where bodies are read. */
const bodyRoutes: readonly (readonly [method: string, target: string])[] = [
  ['POST', items],
  ['PUT', item],
  ['PATCH', item],
]

const nested = (open: string, levels: number, close: string): string =>
  `${start}"deep":${open.repeat(levels)}0${close.repeat(levels)}}`

const wellFormed: readonly (readonly [name: string, body: string, message: string])[] = [
  ['33 levels of lists', nested('[', 32, ']'), 'levels'],
  ['33 levels of objects', nested('{"a":', 32, '}'), 'levels'],
  ['100,000 levels of lists', nested('[', 100_000, ']'), 'more than'],
  ['100,000 levels of objects', nested('{"a":', 100_000, '}'), 'more than'],
  ['32,769 elements', `${start}"a":[${Array(32_769).fill('0').join(', ')}]}`, 'elements'],
  ['a number beyond doubles for a boolean', `${start}"favorite":1e400}`, 'favorite'],
  ['2^53 + 1 for a text', `${start}"title":9007199254740993}`, 'title'],
  ['a length beyond doubles', `${start}"fields":[{"id":"a","recipe":{"length":1e400}}]}`, 'length'],
  ['a lone surrogate', `${start}"title":"\\ud800"}`, 'title must not hold a lone surrogate'],
  ['a surrogate that comes second', `${start}"title":"\\udc00a"}`, 'title'],
  ['U+0000', `${start}"tags":["a","\\u0000"]}`, 'tags/1 must not hold U+0000'],
  [
    'a category in the prototype',
    '{"__proto__":{"category":"LOGIN","vault":{"id":"{vaultId}"}}}',
    'category',
  ],
  [
    'a constructor for a prototype',
    '{"constructor":{"prototype":{"category":"LOGIN"}}}',
    'category',
  ],
  ['a second category that is none', `${start}"category":"login"}`, 'category'],
  ...['[]', '[{}]', '"item"', '7', 'true', 'null', '[[]]'].map((text): [string, string, string] => [
    text,
    text,
    'must be an object',
  ]),
]

const smallLimit: ServiceSetup = { http: { maxBodyBytes: 1000 } }
const shortTimeout: ServiceSetup = { http: { bodyTimeoutMs: 40 } }
const toChunk = (chunk: string): string => `${chunk.length.toString(16)}\r\n${chunk}\r\n`

const tooLarge: readonly HostileRequest[] = bodyRoutes.flatMap(([method, target]) => {
  const row = { method, target, status: 413, message: 'must not be larger than' }
  const lines = ['transfer-encoding: chunked']
  return [
    {
      ...row,
      name: `${method} that says it is a byte too long`,
      lines: ['content-length: 1048577'],
      body: '',
    },
    {
      ...row,
      name: `${method} that says it is endless`,
      lines: ['content-length: 999999999999'],
      body: '',
    },
    { ...row, name: `${method} of a byte more than the limit`, body: ' '.repeat(1001), on: smallLimit },
    {
      ...row,
      name: `${method} of that in chunks`,
      lines,
      body: `${toChunk(' '.repeat(500)).repeat(3)}0\r\n\r\n`,
      on: smallLimit,
    },
    {
      ...row,
      name: `${method} of too many chunks, and no end`,
      lines,
      body: toChunk(' '.repeat(600)).repeat(2),
      on: smallLimit,
    },
  ]
})

const stalled: readonly HostileRequest[] = [
  ['a body that stops in the middle', ['content-length: 100'], '{'],
  ['a body that never begins', ['content-length: 100'], ''],
  ['chunks that stop', ['transfer-encoding: chunked'], toChunk('{')],
].flatMap(([name, lines, body]) =>
  bodyRoutes.map(([method, target]) => ({
    name: `${method} with ${name}`,
    method,
    target,
    lines: lines as string[],
    body: String(body),
    status: 408,
    message: 'in time',
    headers: { connection: 'close' },
    on: shortTimeout,
  })),
)

const invalidMediaTypes = ['application/', 'json', 'application/json, text/plain']

const mediaTypes: readonly HostileRequest[] = [
  ...[
    ...['text/plain', 'text/json', 'application/xml', 'application/jsonp', 'application/json5'],
    ...[
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=a',
      'application/',
      '*/*',
    ],
    ...['application/merge-patch+json', 'application/octet-stream', 'application/json, text/plain'],
    ...['application/json; charset=latin1', 'application/json; charset=utf-16', 'json'],
    ...['application/json; charset=utf-8; charset=utf-16', 'application/json; charset='],
  ].map((type) => `content-type: ${type}`),
  ...['gzip', 'deflate', 'br', 'zstd', 'x', 'gzip, identity'].map(
    (name) => `content-encoding: ${name}`,
  ),
].map((line) => ({
  name: `a body with ${line}`,
  method: 'POST',
  target: items,
  lines: line.startsWith('content-type') ? [line] : [line, 'content-type: application/json'],
  json: draft,
  status: 415,
  message: 'the body must be JSON in UTF-8',
  // Fastify 5 refuses what is no media type at all.
  ...(invalidMediaTypes.some((type) => line.endsWith(`: ${type}`)) && { stoppedBefore: true }),
}))

/** Node's parser refuses most of them: a request whose end is in doubt is no request (RFC 9112, section 6.3). */
const framings: readonly HostileRequest[] = [
  ['a length that is not a number', ['content-length: x']],
  ['a negative length', ['content-length: -1']],
  ['a length with a sign', ['content-length: +5']],
  ['a length in hexadecimal', ['content-length: 0x10']],
  ['two lengths', ['content-length: 5', 'content-length: 6']],
  ['a list of lengths', ['content-length: 5, 6']],
  ['a length and chunks', ['content-length: 5', 'transfer-encoding: chunked']],
  ['an encoding of transfer that is not known', ['transfer-encoding: x']],
  ['chunks that are not the last encoding', ['transfer-encoding: chunked, gzip']],
  ['a chunk whose size is no number', ['transfer-encoding: chunked']],
  ['a length that cuts the body', [`content-length: ${validBody.length - 1}`]],
].map(([name, lines]) => ({
  name: String(name),
  method: 'POST',
  target: items,
  lines: lines as string[],
  body: String(name).startsWith('a chunk') ? `zz\r\n${validBody}\r\n0\r\n\r\n` : validBody,
  status: 400,
  stoppedBefore: true,
}))

/** C. */
export const hostileBodies: readonly HostileRequest[] = [
  ...bodyRoutes.map(([method, target]) => ({
    name: `${method} without a body`,
    method,
    target,
    status: 400,
  })),
  ...wellFormed.flatMap(([name, body, message]) =>
    bodyRoutes.slice(0, 2).map(([method, target]) => ({
      name: `${method} with ${name}`,
      method,
      target,
      body,
      status: 400,
      message,
    })),
  ),
  ...tooLarge,
  ...stalled,
  ...mediaTypes,
  ...framings,
]
