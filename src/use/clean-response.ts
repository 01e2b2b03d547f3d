/** Removes values from a response. */

import { toChunks, toStream } from '../base/blob-content.js'
import { SecretUseError } from '../errors.js'
import type { ByteRedactor } from './create-redactor.js'
import { isRedactable } from './to-pieces.js'

/** The statuses of responses that have no body (Fetch, "null body status"). */
const withoutBody = [101, 103, 204, 205, 304]

/**
 * Headers that are left out: cookies are credentials, and the length and the encoding are those of
 * the body before it was decoded and masked.
 */
const removedHeaders = ['set-cookie', 'set-cookie2', 'content-length', 'content-encoding']

/**
 * Returns a response without the values, in its status text, its headers and its body.
 * @param toError - Returns the error of a body that cannot be read to its end.
 * @throws SecretUseError (403) if `fetch` does not decode the body.
 */
export async function cleanResponse(
  response: Response,
  values: readonly string[],
  redactor: ByteRedactor,
  toError: (error: unknown) => unknown,
): Promise<Response> {
  const { status, body } = response
  const encodings = response.headers.get('content-encoding')?.toLowerCase().split(',') ?? []
  const isDecoded = encodings.every((name) => /^(?:x-gzip|gzip|deflate|br)$/.test(name.trim()))
  if ((body !== null && !isDecoded) || status < 200 || status > 599) {
    await body?.cancel()
    throw new SecretUseError('the response has an encoding or a status that is unknown')
  }
  const headers = new Headers()
  for (const [name, text] of response.headers) {
    // Names are in lower case.
    const hasValue = values.some(
      (value) => isRedactable(value) && name.includes(value.trim().toLowerCase()),
    )
    if (!hasValue && !removedHeaders.includes(name))
      headers.append(name, redactLatin1(redactor, text))
  }
  const cleaned =
    body === null || withoutBody.includes(status)
      ? null
      : withErrors(body, toError).pipeThrough(redactor.stream())
  return new Response(cleaned, {
    status,
    statusText: redactLatin1(redactor, response.statusText),
    headers,
  })
}

/** Masks values in a text of which each character is a byte: of UTF-8, or a character of Latin-1. */
function redactLatin1(redactor: ByteRedactor, text: string): string {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  const masked = Array.from(redactor.bytes(bytes), (byte) => String.fromCharCode(byte)).join('')
  return redactor.text(masked)
}

/** Returns the same body with other errors. */
function withErrors(
  body: ReadableStream<Uint8Array>,
  toError: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const chunks = toChunks(body)
  async function* readAll(): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks
    } catch (error) {
      throw toError(error)
    }
  }
  return toStream(readAll(), (reason) => chunks.return(reason))
}
