/** Assertions about the response to a hostile request. */

import { commonHeaders } from '../../base/common-headers.js'
import { assert, assertEqual } from '../../base/contract-case.js'
import type { ParsedResponse } from '../../base/raw-response.js'

/** The response that a request must receive. */
export interface ExpectedResponse {
  readonly status: number
  /** A part of the error message. By default any message is accepted. */
  readonly message?: string
  /** More headers with their exact values. Null means that the header must not be sent. */
  readonly headers?: Readonly<Record<string, string | null>>
}

const statusHeaders: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  409: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
}

/** @throws Error that describes the difference, if the response is not the expected one. */
export function assertResponse(
  response: ParsedResponse,
  expected: ExpectedResponse,
  isHead: boolean,
): void {
  assertEqual(response.status, expected.status, 'the status')
  if (isHead) assertEqual(response.body, '', 'the body of a response to HEAD')
  else if (response.status >= 400) assertErrorBody(response, expected.message ?? '')
  const headers = { ...commonHeaders, ...statusHeaders[response.status], ...expected.headers }
  for (const [name, value] of Object.entries(headers))
    assertEqual(response.headers.get(name), value, `the header ${name}`)
  assertEqual(response.headers.get('access-control-allow-origin'), null, 'the CORS header')
  const requestId = response.headers.get('x-request-id') ?? ''
  assert(/^[\w.-]{1,128}$/.test(requestId), 'the header x-request-id is not a request id')
}

/**
 * @throws Error if the response contains a secret. The message has the secret's index, not the
 * secret.
 */
export function assertNoSecret(
  { headers, body }: ParsedResponse,
  secrets: readonly string[],
): void {
  const whole = [...headers].flat().join('\n') + body
  for (const [index, secret] of secrets.entries())
    assert(!whole.includes(secret), `the response contains secret ${index}`)
}

/** Requires that an error body has only `status` and `message` (contract, section 2.8). */
function assertErrorBody({ status, headers, body }: ParsedResponse, part: string): void {
  assertEqual(
    headers.get('content-type'),
    'application/json; charset=utf-8',
    'the header content-type',
  )
  const error: unknown = JSON.parse(body)
  const message: unknown = Reflect.get(Object(error), 'message')
  assertEqual(error, { status, message }, 'the error body')
  assert(typeof message === 'string' && message !== '', 'the message is empty or not a string')
  assert(String(message).includes(part), `the message does not contain "${part}": ${message}`)
}
