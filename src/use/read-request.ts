/** Reads the arguments of a `fetch`. */

import { concatBytes } from '../base/concat-bytes.js'
import { yieldToEventLoop } from '../base/pacer.js'
import { SecretUseError } from '../errors.js'

/** The body of a request: bytes, or a stream of which nothing has been read. */
export type RequestBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** The members that requests of every realm and library have. */
interface ForeignRequest {
  readonly url: string
  readonly method: string
  readonly headers: Iterable<readonly [string, string]>
  readonly body?: unknown
  readonly redirect?: RequestRedirect
  readonly signal?: Pick<AbortSignal, 'aborted' | 'reason' | 'addEventListener'> | null
  arrayBuffer(): Promise<ArrayBuffer>
}

/**
 * Returns the request of the arguments of a `fetch`. A `Request` of another realm or library is read
 * by its members.
 * @throws TypeError for what is no request. The platform's error can contain a password.
 * @throws SecretUseError (403) if the URL has a user name or a password.
 */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Request> {
  const isForeign = isForeignRequest(input)
  const text = isForeign || input instanceof Request ? input.url : String(input)
  if (!URL.canParse(text)) throw new TypeError('the URL of the request is invalid')
  checkUserInfo(new URL(text))
  if (!isForeign) return new Request(input, init)
  return new Request(text, { ...(await readMembers(input)), ...init })
}

/** @throws SecretUseError (403) if the URL has a user name or a password. */
export function checkUserInfo({ username, password }: URL): void {
  if (username === '' && password === '') return
  throw new SecretUseError('the URL must not contain a user name or a password', 'USER_INFO')
}

function isForeignRequest(input: unknown): input is ForeignRequest {
  if (input instanceof Request || typeof input !== 'object' || input === null) return false
  return 'url' in input && 'method' in input && 'headers' in input
}

async function readMembers(request: ForeignRequest): Promise<RequestInit> {
  const { method, headers, body = null, redirect = 'follow', signal } = request
  const isStream = body instanceof ReadableStream
  const bytes = body === null || isStream ? undefined : await request.arrayBuffer()
  return {
    ...{ method, headers: Object.fromEntries(headers), redirect },
    ...(isStream && { body, duplex: 'half' }),
    ...(bytes && { body: bytes }),
    ...(signal && { signal: toSignal(signal) }),
  }
}

/** Returns a signal of this realm that is aborted with another one. */
function toSignal(signal: NonNullable<ForeignRequest['signal']>): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}

/**
 * Returns the body of a request that is passed on as it is. One chunk that is already there is
 * returned as bytes, because then the platform sends its length, and some servers demand that.
 */
export async function takeBody({ body }: Request): Promise<RequestBody | undefined> {
  if (body === null) return undefined
  const [ahead, whole] = body.tee()
  const reader = ahead.getReader()
  const later = yieldToEventLoop()
  const first = await Promise.race([reader.read(), later])
  const second = first && !first.done ? await Promise.race([reader.read(), later]) : first
  reader.cancel().catch(() => {})
  if (!second?.done) return whole
  await whole.cancel()
  return concatBytes([first?.value ?? new Uint8Array()])
}
