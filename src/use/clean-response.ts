/** Removes values from a response. */

import { maxTimerMs } from '../base/with-timeout.js'
import { SecretUseError } from '../errors.js'
import type { ByteRedactor } from './create-redactor.js'
import { refusalHeader } from './refusal.js'

/** The statuses of responses that have no body (Fetch, "null body status"). */
const withoutBody = [101, 103, 204, 205, 304]

/**
 * Headers that are left out. Cookies are credentials. The length and the encoding describe the body
 * before it was decoded and masked. And no API may pretend that this library refused the request.
 */
const removedHeaders = [
  ...['set-cookie', 'set-cookie2', 'content-length', 'content-encoding'],
  refusalHeader,
]

/** The encodings of a body that every platform decodes. */
const decodedEncodings = ['', 'identity', 'gzip', 'br']

/** How a response is cleaned. */
export interface Cleaning {
  /** `none` to return no body, no status text and no header values. */
  readonly responses: 'masked' | 'none'
  /** The URL of the request, with references instead of values. */
  readonly url: URL
  /** True if a redirect was followed. */
  readonly redirected: boolean
  /** Returns the error of a body that cannot be read to its end. */
  readonly toError: (error: unknown) => unknown
  /**
   * Returns how long the values may still be used, in milliseconds. After that, it throws the error
   * that the body then fails with.
   */
  readonly timeLeft: () => number
}

/**
 * Returns a response whose status text, headers and body do not contain the values.
 * @throws SecretUseError (403) if the body has an encoding that not every `fetch` decodes. A body
 * that is still compressed fails with the same error.
 */
export async function cleanResponse(
  response: Response,
  redactor: ByteRedactor,
  cleaning: Cleaning,
): Promise<Response> {
  const { responses, url, redirected } = cleaning
  const { status, body } = response
  const isShown = responses === 'masked'
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  const isDecoded = !isShown || body === null || decodedEncodings.includes(encoding)
  const isKept = isShown && isDecoded && body !== null && !withoutBody.includes(status)
  if (!isKept) await body?.cancel().catch(() => {})
  if (!isDecoded || status < 200 || status > 599)
    throw new SecretUseError(
      `the response has an encoding or a status that is unknown: ${url.origin}`,
      { reason: 'ENCODING' },
    )
  const headers = new Headers()
  // Names are in lower case.
  const hasValue = redactor.isInLowerCase([...response.headers.keys()].join('\n'))
  for (const [name, text] of response.headers)
    if (!removedHeaders.includes(name) && !(hasValue && redactor.isInLowerCase(name)))
      headers.append(name, isShown ? redactLatin1(redactor, text) : '')
  const cleaned = isKept ? maskBody(body, redactor, cleaning) : null
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

/** Masks values in a string in which each character is one byte, either of UTF-8 or of Latin-1. */
function redactLatin1(redactor: ByteRedactor, text: string): string {
  // ASCII is the same in both.
  if (/^[\0-\x7f]*$/.test(text)) return redactor.text(text)
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  const masked = Array.from(redactor.bytes(bytes), (byte) => String.fromCharCode(byte)).join('')
  return redactor.text(masked)
}

/** Returns the masked body, which fails with the error of `timeLeft` once the time is over. */
function maskBody(
  body: ReadableStream<Uint8Array>,
  redactor: ByteRedactor,
  { toError, timeLeft }: Cleaning,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  // A generator that is made and never started would keep the response in memory.
  let masked: AsyncIterator<Uint8Array> | undefined
  return new ReadableStream(
    {
      async pull(controller) {
        masked ??= redactor.chunks(readDecoded(reader, toError))
        try {
          const { done, value } = await waitInTime(masked.next(), timeLeft)
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          reader.cancel().catch(() => {})
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Reads a body, with mapped errors. Fails if it begins like gzip (RFC 1952). */
async function* readDecoded(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  toError: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void> {
  const first: number[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (first.length < 2) first.push(...value.subarray(0, 2 - first.length))
      if (first[0] === 0x1f && first[1] === 0x8b)
        throw new SecretUseError('the body of the response is still compressed', {
          reason: 'ENCODING',
        })
      yield value
    }
  } catch (error) {
    throw toError(error)
  }
}

/** Resolves as `reading` does. @throws The error of `timeLeft`, once the time is over. */
async function waitInTime<Result>(
  reading: Promise<Result>,
  timeLeft: () => number,
): Promise<Result> {
  let isRead = false
  const end = (): void => {
    isRead = true
  }
  const ended = reading.then(end, end)
  // The timer uses a different clock, so `timeLeft` decides.
  for (let ms = timeLeft(); ms !== Number.POSITIVE_INFINITY && !isRead; ms = timeLeft())
    await waitFor(ended, ms)
  return reading
}

/** Resolves when `ended` has resolved, or after this time. */
function waitFor(ended: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(ms, maxTimerMs))
    ended.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
