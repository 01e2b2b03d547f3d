/** Removes values from a response. */

import { SecretUseError } from '../errors.js'
import type { ByteRedactor } from './create-redactor.js'
import { refusalHeader } from './refusal.js'

/** The statuses of responses that have no body (Fetch, "null body status"). */
const withoutBody = [101, 103, 204, 205, 304]

/**
 * Headers that are left out: cookies are credentials, the length and the encoding are those of the
 * body before it was decoded and masked, and an API cannot refuse in the name of this library.
 */
const removedHeaders = [
  ...['set-cookie', 'set-cookie2', 'content-length', 'content-encoding'],
  refusalHeader,
]

/** The encodings of a body that every platform decodes. */
const decodedEncodings = ['', 'identity', 'gzip', 'br']

/** How a response is cleaned. */
export interface Cleaning {
  /** `none` to return no body, no status text, and no value of a header. */
  readonly responses: 'masked' | 'none'
  /** The URL of the request, with references instead of values. */
  readonly url: URL
  /** True if a redirect was followed. */
  readonly redirected: boolean
  /** Returns the error of a body that cannot be read to its end. */
  readonly toError: (error: unknown) => unknown
}

/**
 * Returns a response without the values, in its status text, its headers and its body.
 * @throws SecretUseError (403) if the body has an encoding that not every `fetch` decodes. A body
 * that is still compressed fails with it.
 */
export async function cleanResponse(
  response: Response,
  redactor: ByteRedactor,
  { responses, url, redirected, toError }: Cleaning,
): Promise<Response> {
  const { status, body } = response
  const isShown = responses === 'masked'
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  const isDecoded = !isShown || body === null || decodedEncodings.includes(encoding)
  const isKept = isShown && isDecoded && body !== null && !withoutBody.includes(status)
  if (!isKept) await body?.cancel().catch(() => {})
  if (!isDecoded || status < 200 || status > 599)
    throw new SecretUseError(
      `the response has an encoding or a status that is unknown: ${url.origin}`,
      'ENCODING',
    )
  const headers = new Headers()
  // Names are in lower case.
  const hasValue = redactor.isInLowerCase([...response.headers.keys()].join('\n'))
  for (const [name, text] of response.headers)
    if (!removedHeaders.includes(name) && !(hasValue && redactor.isInLowerCase(name)))
      headers.append(name, isShown ? redactLatin1(redactor, text) : '')
  const cleaned = isKept ? toDecoded(body, toError).pipeThrough(redactor.stream()) : null
  const statusText = isShown ? redactLatin1(redactor, response.statusText) : ''
  const { href } = new URL(url)
  return withMembers(new Response(cleaned, { status, statusText, headers }), {
    url: href.replace(/#.*$/s, ''),
    redirected,
  })
}

/** Sets the members of a response that its constructor cannot set, and those of its clones. */
function withMembers(response: Response, members: Pick<Response, 'url' | 'redirected'>): Response {
  const clone = (): Response => withMembers(Response.prototype.clone.call(response), members)
  for (const [name, value] of Object.entries({ ...members, clone }))
    Object.defineProperty(response, name, { value, configurable: true })
  return response
}

/** Masks values in a text of which each character is a byte: of UTF-8, or a character of Latin-1. */
function redactLatin1(redactor: ByteRedactor, text: string): string {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  const masked = Array.from(redactor.bytes(bytes), (byte) => String.fromCharCode(byte)).join('')
  return redactor.text(masked)
}

/** Returns the same body with other errors, which fails if it begins like gzip (RFC 1952). */
function toDecoded(
  body: ReadableStream<Uint8Array>,
  toError: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const first: number[] = []
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          if (first.length < 2) first.push(...value.subarray(0, 2 - first.length))
          if (first[0] === 0x1f && first[1] === 0x8b)
            throw new SecretUseError('the body of the response is still compressed', 'ENCODING')
          controller.enqueue(value)
        } catch (error) {
          reader.cancel().catch(() => {})
          throw toError(error)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
