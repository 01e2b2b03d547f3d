/** Reads the arguments of a `fetch`. */

import { concatBytes } from '../base/concat-bytes.js'
import { yieldToEventLoop } from '../base/pacer.js'
import { SecretUseError } from '../errors.js'

/** The body of a request: bytes, or a stream of which nothing has been read. */
export type RequestBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** The parts of a request that is sent. */
export interface SentRequest {
  readonly url: URL
  readonly headers: Headers
  readonly body: RequestBody | undefined
}

/** The members that a `Request` has in every realm and library. */
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
 * Returns the request that the arguments of a `fetch` describe. A `Request` from another realm or
 * library is read member by member.
 * @throws TypeError if there is no request. The platform's own error may contain a password.
 * @throws SecretUseError (403) if the URL has a user name or a password.
 */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Request> {
  const isForeign = isForeignRequest(input)
  const own = withOwnSignal(init)
  const text = isForeign || input instanceof Request ? input.url : String(input)
  if (!URL.canParse(text)) throw new TypeError('the URL of the request is invalid')
  checkUserInfo(new URL(text))
  if (!isForeign) return new Request(input, own)
  return new Request(text, { ...(await readMembers(input)), ...own })
}

/** @throws SecretUseError (403) if the URL has a user name or a password. */
export function checkUserInfo({ username, password }: URL): void {
  if (username === '' && password === '') return
  throw new SecretUseError('the URL must not contain a user name or a password', {
    reason: 'USER_INFO',
  })
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

/** Returns the same members with a signal of this realm. Some clients use their own class. */
function withOwnSignal(init: RequestInit | undefined): RequestInit | undefined {
  const signal: ForeignRequest['signal'] = init?.signal
  return signal ? { ...init, signal: toSignal(signal) } : init
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

/** The bytes of a body that are read to find out if it is complete. */
const maxAheadBytes = 1_048_576

/**
 * Returns the body of a request unchanged. If the caller passed a complete body, it is returned as
 * bytes, because the platform then sends its length, which some servers demand. Nobody can tell
 * whether the body of a `Request` is a stream. We treat it as one unless it ends at once.
 */
export async function takeBody(
  request: Request,
  init: RequestInit | undefined,
): Promise<RequestBody | undefined> {
  const { body } = request
  if (body === null) return undefined
  if (isWhole(init?.body)) return new Uint8Array(await request.arrayBuffer())
  const [ahead, whole] = body.tee()
  const chunks = await readAhead(ahead.getReader())
  if (chunks === undefined) return whole
  await whole.cancel()
  return concatBytes(chunks)
}

function isWhole(body: unknown): boolean {
  if (body === undefined || body === null || body instanceof ReadableStream) return false
  return !(Symbol.asyncIterator in Object(body))
}

/**
 * Returns the chunks of a body that is already there, or undefined if it is longer or arrives
 * later.
 */
async function readAhead(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<readonly Uint8Array[] | undefined> {
  const later = yieldToEventLoop()
  const chunks: Uint8Array[] = []
  for (let bytes = 0; bytes <= maxAheadBytes; ) {
    const next = await Promise.race([reader.read(), later])
    if (next === undefined) break
    if (next.done) return chunks
    chunks.push(next.value)
    bytes += next.value.length
  }
  reader.cancel().catch(() => {})
  return undefined
}
