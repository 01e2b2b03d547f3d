/** Hostile bodies: over a limit, incomplete, with another type, or with invalid HTTP framing. */

import { itemDraft } from '../../testing.js'
import { canary, type HostileRequest, type ServiceSetup } from './hostile-case.js'

const itemsPath = '/v1/vaults/{vaultId}/items'
const itemPath = `${itemsPath}/{itemId}`
const draft = itemDraft('LOGIN', { vault: { id: '{vaultId}' }, title: `#${canary}` })
const validBody = JSON.stringify(draft)
const start = '{"category":"LOGIN","vault":{"id":"{vaultId}"},'

/** The routes that read a JSON body. */
const bodyRoutes: readonly (readonly [method: string, target: string])[] = [
  ['POST', itemsPath],
  ['PUT', itemPath],
  ['PATCH', itemPath],
]

const nested = (open: string, levels: number, close: string): string =>
  `${start}"deep":${open.repeat(levels)}0${close.repeat(levels)}}`

const wellFormed: readonly (readonly [name: string, body: string, message: string])[] = [
  ['100,000 levels of lists', nested('[', 100_000, ']'), 'more than'],
  ['100,000 levels of objects', nested('{"a":', 100_000, '}'), 'more than'],
  ['a duplicate category that is invalid', `${start}"category":"login"}`, 'category'],
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
      name: `${method} with a declared length one byte over the limit`,
      lines: ['content-length: 1048577'],
      body: '',
    },
    {
      ...row,
      name: `${method} with a declared length of a terabyte`,
      lines: ['content-length: 999999999999'],
      body: '',
    },
    {
      ...row,
      name: `${method} with a body one byte over the limit`,
      body: ' '.repeat(1001),
      setup: smallLimit,
    },
    {
      ...row,
      name: `${method} with a chunked body over the limit`,
      lines,
      body: `${toChunk(' '.repeat(500)).repeat(3)}0\r\n\r\n`,
      setup: smallLimit,
    },
    {
      ...row,
      name: `${method} with chunks over the limit and no last chunk`,
      lines,
      body: toChunk(' '.repeat(600)).repeat(2),
      setup: smallLimit,
    },
  ]
})

const stalled: readonly HostileRequest[] = [
  ['a body that stalls in the middle', ['content-length: 100'], '{'],
  ['a body that never starts', ['content-length: 100'], ''],
  ['chunks that stall', ['transfer-encoding: chunked'], toChunk('{')],
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
    setup: shortTimeout,
  })),
)

const invalidMediaTypes = ['application/', 'json', 'application/json, text/plain']

const mediaTypes: readonly HostileRequest[] = [
  ...[
    'text/plain',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    ...invalidMediaTypes,
  ].map((type) => `content-type: ${type}`),
  ...['gzip', 'deflate', 'br', 'zstd', 'x', 'gzip, identity'].map(
    (name) => `content-encoding: ${name}`,
  ),
].map((line) => ({
  name: `a body with ${line}`,
  method: 'POST',
  target: itemsPath,
  lines: line.startsWith('content-type') ? [line] : [line, 'content-type: application/json'],
  json: draft,
  status: 415,
  message: 'the body must be JSON in UTF-8',
  // Fastify 5 itself rejects a content type that is not a media type.
  ...(invalidMediaTypes.some((type) => line.endsWith(`: ${type}`)) && {
    mayBeRejectedUpstream: true,
  }),
}))

/**
 * Node's parser rejects most of them, because their message length is ambiguous (RFC 9112, section
 * 6.3).
 */
const framings: readonly HostileRequest[] = [
  ['a length that is not a number', ['content-length: x']],
  ['a negative length', ['content-length: -1']],
  ['a length with a sign', ['content-length: +5']],
  ['a length in hexadecimal', ['content-length: 0x10']],
  ['two lengths', ['content-length: 5', 'content-length: 6']],
  ['a list of lengths', ['content-length: 5, 6']],
  ['a length and chunks', ['content-length: 5', 'transfer-encoding: chunked']],
  ['an unknown transfer encoding', ['transfer-encoding: x']],
  ['a transfer encoding after chunked', ['transfer-encoding: chunked, gzip']],
  ['a chunk with an invalid size', ['transfer-encoding: chunked']],
  ['a length that truncates the body', [`content-length: ${validBody.length - 1}`]],
].map(([name, lines]) => ({
  name: String(name),
  method: 'POST',
  target: itemsPath,
  lines: lines as string[],
  body: String(name).startsWith('a chunk') ? `zz\r\n${validBody}\r\n0\r\n\r\n` : validBody,
  status: 400,
  mayBeRejectedUpstream: true,
}))

/** Requests with a hostile body. */
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
