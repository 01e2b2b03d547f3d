/** Sends requests to a bucket, and retries those that failed on the way. */

import { redactError } from '../../base/redact-error.js'
import { withTimeout } from '../../base/with-timeout.js'
import { StorageError, StorageUnavailableError } from '../../errors.js'

/** A client that signs requests and sends them: `AwsClient` of aws4fetch, or an adapter. */
export interface S3Client {
  /** Signs a request for the service `s3`, sends it, and resolves with the response. */
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** A request to a bucket. */
interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The key of an object. It needs no escaping in a URL. Default: the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /**
   * A time of `performance.now()` at which the request must be complete, if that is before its own
   * timeout.
   */
  readonly end?: number
}

/** A response. Its body must be read to its end or cancelled. */
export interface S3Response {
  readonly status: number
  readonly headers: Headers
  /** A time of `performance.now()` at which a body that is not streamed must be complete. */
  readonly end: number
  /**
   * Resolves with the next bytes of the body, or undefined at its end. Rejects with
   * `unreachableError` if it is interrupted, and with `STORAGE_UNAVAILABLE` if nothing arrives in
   * time or before `end`.
   * @param end A time of `performance.now()`. By default the body may take any time in total.
   */
  read(end?: number): Promise<Uint8Array | undefined>
  /** Closes the body. Never rejects. */
  cancel(): Promise<void>
}

/**
 * Sends a request, and resolves with a response whose status is one of `accepted`. Rejects with a
 * StorageError for any other: `STORAGE_UNAVAILABLE` (503) if the service was unreachable, busy or
 * too slow, otherwise `STORAGE_FAILED` (500). The error has the status and the code of the service,
 * and contains nothing else of the request or the response.
 */
export type Send = (request: S3Request, ...accepted: readonly number[]) => Promise<S3Response>

/** Statuses after which a request is retried. */
const retryableStatuses = [409, 429, 500, 502, 503, 504]
const maxAttempts = 4
const maxDelayMs = 400
const maxTextBytes = 1_048_576

/** How many characters of an error's body are searched for its code. */
const maxErrorLength = 8192

/**
 * Creates a `Send` for the bucket at `url`. A request without a response, or with one of
 * `retryableStatuses`, is sent at most four times, although it may have been executed. So each
 * request must have the same effect when it is repeated.
 * @param timeoutMs How long a request may take with its retries, and how long a pause of a streamed
 * body may be, in milliseconds: 1 to 2,147,483,647.
 */
export function createSend(client: S3Client, url: string, timeoutMs: number): Send {
  return async ({ method, key, query = {}, headers = {}, body, ...request }, ...accepted) => {
    const search = new URLSearchParams(query).toString()
    const target = `${url}${key === undefined ? '' : `/${key}`}${search && `?${search}`}`
    const init: RequestInit = { method, redirect: 'manual', headers }
    if (body !== undefined) init.body = toUnshared(body)
    const now = performance.now()
    const end = Math.min(now + timeoutMs, request.end ?? Number.POSITIVE_INFINITY)
    if (now >= end) throw timeoutError()
    const fetchInTime = async (): Promise<S3Response> => {
      const response = await fetchUntil(client, target, init, end)
      return openResponse(response, timeoutMs, end)
    }
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryOnce(fetchInTime, accepted)
      if ('response' in outcome) return outcome.response
      const delay = Math.random() * Math.min(maxDelayMs, 50 * 2 ** attempt)
      const isLast = attempt === maxAttempts || performance.now() + delay >= end
      if (!outcome.canRetry || isLast) throw outcome.error
      await new Promise((resolve) => setTimeout(resolve, delay))
      if (performance.now() >= end) throw outcome.error
    }
  }
}

/** Aborts the request if its response has not begun at `end`, a time of `performance.now()`. */
async function fetchUntil(
  client: S3Client,
  url: string,
  init: RequestInit,
  end: number,
): Promise<Response> {
  const controller = new AbortController()
  const fetching = client.fetch(url, { ...init, signal: controller.signal })
  const onTimeout = (): Error => {
    controller.abort()
    return timeoutError()
  }
  // A client may ignore the signal.
  const onLate = ({ body }: Response): void => void body?.cancel().catch(() => {})
  return withTimeout(fetching, Math.max(1, end - performance.now()), onTimeout, { onLate })
}

function openResponse(
  { status, headers, body }: Response,
  timeoutMs: number,
  end: number,
): S3Response {
  const reader = body?.getReader()
  const cancel = async (): Promise<void> => reader?.cancel().catch(() => {})
  const onTimeout = (): Error => {
    void cancel()
    return timeoutError()
  }
  return {
    status,
    headers,
    end,
    cancel,
    async read(until = Number.POSITIVE_INFINITY) {
      if (reader === undefined) return undefined
      const remainingMs = Math.min(timeoutMs, until - performance.now())
      if (remainingMs <= 0) throw onTimeout()
      try {
        return (await withTimeout(reader.read(), remainingMs, onTimeout)).value
      } catch (error) {
        throw error instanceof StorageError ? error : unreachableError(error)
      }
    },
  }
}

type Outcome =
  | { readonly response: S3Response }
  | { readonly error: StorageError; readonly canRetry: boolean }

async function tryOnce(
  fetchInTime: () => Promise<S3Response>,
  accepted: readonly number[],
): Promise<Outcome> {
  let response: S3Response
  try {
    response = await fetchInTime()
  } catch (error) {
    const isOwn = error instanceof StorageError
    return { error: isOwn ? error : unreachableError(error), canRetry: true }
  }
  const { status } = response
  if (accepted.includes(status)) return { response }
  const code = await readCode(response)
  const canRetry = retryableStatuses.includes(status)
  const message = `the object store responded with ${[status, code].filter(Boolean).join(' ')}`
  return {
    error: canRetry ? new StorageUnavailableError(message) : new StorageError(message),
    canRetry,
  }
}

/**
 * Returns the code in the body of an error, and closes the body. Returns undefined if the body has
 * no code in its first bytes, or is interrupted or too slow. The error then has only the status.
 */
async function readCode(response: S3Response): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (findCode(text) === undefined && text.length < maxErrorLength) {
      const chunk = await response.read(response.end)
      if (chunk === undefined) break
      text += decoder.decode(chunk, { stream: true })
    }
  } catch {}
  await response.cancel()
  return findCode(text)
}

function timeoutError(): StorageError {
  return new StorageUnavailableError('the object store did not respond in time')
}

/** Returns the error for a request or a response that was interrupted. */
function unreachableError(error: unknown): StorageError {
  return new StorageUnavailableError('the object store is unreachable', {
    cause: redactError(error),
  })
}

/** Returns the code of an error in XML, such as `NoSuchKey`, or undefined if there is none. */
export function findCode(text: string): string | undefined {
  return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1]
}

/**
 * Returns the text of a response. Rejects with a StorageError if it fails, is larger than 1 MiB, or
 * is not complete at its `end`.
 */
export async function readText(response: S3Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const readNext = (): Promise<Uint8Array | undefined> => response.read(response.end)
  for (let chunk = await readNext(); chunk; chunk = await readNext()) {
    bytes += chunk.length
    if (bytes > maxTextBytes) {
      await response.cancel()
      throw new StorageError('a response of the object store is too large')
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** Returns the bytes, or a copy if their memory is shared, which `fetch` does not accept. */
function toUnshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return isUnshared(bytes) ? bytes : new Uint8Array(bytes)
}

function isUnshared(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
}
