/** Sends a request that is filled in, and finds out where a redirect leads. */

import { isErrorCode } from '../base/error-code.js'
import { safeGet } from '../base/safe-get.js'
import { isVaultError, SecretUseError, type SecretUseReason } from '../errors.js'
import type { Redactor } from './create-redactor.js'
import type { RequestTemplate } from './find-places.js'
import type { SentRequest } from './read-request.js'

/** Headers that the platform sets. */
const platformHeader = /^(?:accept-encoding|connection|content-length|keep-alive|proxy-connection)$/

/** A request as it is sent. Every `fetch` takes it as its second argument. */
export interface FilledInit {
  readonly method: string
  /** The headers by their names, which are in lower case. */
  readonly headers: Record<string, string>
  /** Bytes of the type that the platform's `fetch` takes, or a stream. */
  readonly body?: ReturnType<TextEncoder['encode']> | ReadableStream<Uint8Array>
  /** Set if the body is a stream. */
  readonly duplex?: 'half'
  readonly signal: AbortSignal
  readonly redirect: 'manual'
}

/** Sends a request once, and returns the response as it was received. */
export async function sendFilled(
  send: (url: string, init: FilledInit) => Promise<Response>,
  { url, headers, body }: SentRequest,
  method: string,
  signal: AbortSignal,
): Promise<Response> {
  const sent = [...headers].filter(([name]) => !platformHeader.test(name))
  // Deno does not decode the response if the request has this header.
  if (!('Deno' in globalThis)) sent.push(['accept-encoding', 'identity'])
  const response = await send(url.href, {
    ...{ method, headers: Object.fromEntries(sent), signal, redirect: 'manual' },
    ...(body !== undefined && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
  if (!response.redirected) return response
  await response.body?.cancel().catch(() => {})
  throw new Error('a redirect was followed')
}

/**
 * Returns the request of a redirect (Fetch, "HTTP-redirect fetch").
 * @throws SecretUseError (403) if the redirect must not be followed.
 */
export function followRedirect(
  template: RequestTemplate,
  status: number,
  location: string,
): RequestTemplate {
  const isRepeatable = template.places.every(({ name }) => name.startsWith('header:'))
  if (template.body !== undefined || !isRepeatable)
    throw redirectError(
      'REDIRECT_BODY',
      'a redirect of a request with a body or a filled URL is not followed',
      template.url,
    )
  if (!URL.canParse(location, template.url.href))
    throw redirectError('REDIRECT_URL', 'the redirect has an invalid URL', template.url)
  const url = new URL(location, template.url)
  const isGet =
    (template.method === 'POST' && status < 303) || (template.method !== 'HEAD' && status === 303)
  return { ...template, url, method: isGet ? 'GET' : template.method }
}

/** Returns the error of a redirect that is not followed. @param url - The URL that redirects. */
export function redirectError(
  reason: SecretUseReason,
  problem: string,
  { origin }: URL,
): SecretUseError {
  return new SecretUseError(`${problem}: ${origin}`, { reason })
}

/**
 * Returns an error of the library unchanged. Any other error is replaced by one that contains
 * nothing of the request or response, because the platform's errors quote URLs, headers and
 * received bytes.
 */
export function toSafeError(error: unknown, signal: AbortSignal, redactor: Redactor): unknown {
  if (isVaultError(error)) return error
  if (signal.aborted) return signal.reason
  const found = safeGet(safeGet(error, 'cause'), 'code') ?? safeGet(error, 'code')
  const code = isErrorCode(found) && redactor.text(found) === found ? found : 'UNKNOWN'
  const cause = Object.assign(new Error(code), { code })
  return new TypeError('the request failed', { cause })
}
