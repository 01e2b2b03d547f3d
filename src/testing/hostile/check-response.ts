/** Reads an answer as it came over the socket, and looks whether it is a refusal as it should be. */

import { assert, assertEqual } from '../contract-case.js'

/** An answer, byte by byte. */
export interface RawResponse {
  /** 0 if the connection was closed without one. */
  readonly status: number
  readonly headers: Headers
  /** Without the framing of chunks. */
  readonly body: string
}

/** What an answer must be. */
export interface ExpectedResponse {
  readonly status: number
  /** What the message holds; anything if absent. */
  readonly message?: string
  /** Headers beside those of every answer, each as it must be; null for one that must not be there. */
  readonly headers?: Readonly<Record<string, string | null>>
}

/** The headers of every answer but its type (docs/http-api.md). */
export const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

const statusHeaders: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  409: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
}

/** The answer in the text of a response of HTTP/1.1. */
export function parseRawResponse({
  status,
  text,
}: {
  readonly status: number
  readonly text: string
}): RawResponse {
  const end = text.indexOf('\r\n\r\n')
  const headers = new Headers()
  for (const line of text.slice(0, Math.max(end, 0)).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 1))
  }
  const rest = end < 0 ? '' : text.slice(end + 4)
  const isChunked = headers.get('transfer-encoding')?.toLowerCase() === 'chunked'
  return { status, headers, body: isChunked ? decodeChunks(rest) : rest }
}

/** @throws Error that says what is wrong, if the answer is not the one that is expected. */
export function assertResponse(response: RawResponse, expected: ExpectedResponse, isHead: boolean): void {
  assertEqual(response.status, expected.status, 'the status')
  if (isHead) assertEqual(response.body, '', 'the body of an answer to HEAD')
  else if (response.status >= 400) assertErrorBody(response, expected.message ?? '')
  const headers = { ...commonHeaders, ...statusHeaders[response.status], ...expected.headers }
  for (const [name, value] of Object.entries(headers))
    assertEqual(response.headers.get(name), value, `the header ${name}`)
  assertEqual(response.headers.get('access-control-allow-origin'), null, 'the header of CORS')
  const requestId = response.headers.get('x-request-id') ?? ''
  assert(/^[\w.-]{1,128}$/.test(requestId), 'the header x-request-id holds an id')
}

/** @throws Error that does not repeat it, if a secret is anywhere in the answer. */
export function assertNoSecret({ headers, body }: RawResponse, secrets: readonly string[]): void {
  const whole = [...headers].flat().join('\n') + body
  for (const [index, secret] of secrets.entries())
    assert(!whole.includes(secret), `the answer holds the secret ${index}`)
}

/** The body of an error is `status` and `message`, and nothing else (contract, section 2.8). */
function assertErrorBody({ status, headers, body }: RawResponse, part: string): void {
  assertEqual(
    headers.get('content-type'),
    'application/json; charset=utf-8',
    'the header content-type',
  )
  const error: unknown = JSON.parse(body)
  const message: unknown = Reflect.get(Object(error), 'message')
  assertEqual(error, { status, message }, 'the body of the error')
  assert(typeof message === 'string' && message !== '', 'the message is a sentence')
  assert(String(message).includes(part), `the message holds "${part}": ${message}`)
}

/** The bytes of a body that was sent in chunks. */
function decodeChunks(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const decoder = new TextDecoder()
  let body = ''
  for (let offset = 0; ; ) {
    const end = bytes.indexOf(0x0a, offset)
    const length = Number.parseInt(decoder.decode(bytes.subarray(offset, end)), 16)
    if (!(end > 0 && length > 0)) return body
    body += decoder.decode(bytes.subarray(end + 1, end + 1 + length), { stream: true })
    offset = end + 1 + length + 2
  }
}
