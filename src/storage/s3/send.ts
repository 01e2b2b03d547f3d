/** Sends requests to a bucket, and repeats those that failed on the way. */

import { StorageError, StorageUnavailableError } from '../../errors.js'
import { redactError } from '../../redact-error.js'

/** A client that signs requests and sends them: `AwsClient` of aws4fetch, or an adapter. */
export interface S3Client {
  /** Signs a request for the service `s3`, sends it, and resolves with the response. */
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** A request to a bucket. */
interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The key of an object; the bucket itself if absent. It needs no escape in a URL. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/**
 * Sends a request, and resolves with a response whose status is one of `accepted`. Rejects with a
 * StorageError for any other: `STORAGE_UNAVAILABLE` (503) if the service was out of reach or busy,
 * else `STORAGE_FAILED` (500). The error has the status and the code of the service, and contains
 * nothing else of the request or the response.
 */
export type Send = (request: S3Request, ...accepted: readonly number[]) => Promise<Response>

/** Statuses after which the service asks for the request to be repeated. */
const retryableStatuses = [409, 429, 500, 502, 503, 504]
const maxAttempts = 4
const maxDelayMs = 400
const maxTextBytes = 1_048_576

/**
 * Creates a `Send` for the bucket at `url`. A request without a response, or with one of
 * `retryableStatuses`, is sent at most four times, although it may have been executed. So each
 * request must have the same effect when it is repeated.
 */
export function createSend(client: S3Client, url: string): Send {
  return async ({ method, key, query = {}, headers = {}, body }, ...accepted) => {
    const search = new URLSearchParams(query).toString()
    const target = `${url}${key === undefined ? '' : `/${key}`}${search && `?${search}`}`
    const init: RequestInit = { method, redirect: 'manual', headers }
    if (body !== undefined) init.body = toUnshared(body)
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryOnce(client, target, init, accepted)
      if ('response' in outcome) return outcome.response
      if (!outcome.canRetry || attempt === maxAttempts) throw outcome.error
      const delay = Math.random() * Math.min(maxDelayMs, 50 * 2 ** attempt)
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }
}

type Outcome =
  | { readonly response: Response }
  | { readonly error: StorageError; readonly canRetry: boolean }

async function tryOnce(
  client: S3Client,
  url: string,
  init: RequestInit,
  accepted: readonly number[],
): Promise<Outcome> {
  try {
    const response = await client.fetch(url, init)
    const { status } = response
    if (accepted.includes(status)) return { response }
    const code = findCode(await readText(response))
    const canRetry = retryableStatuses.includes(status)
    const message = `the object store responded with ${[status, code].filter(Boolean).join(' ')}`
    return {
      error: canRetry ? new StorageUnavailableError(message) : new StorageError(message),
      canRetry,
    }
  } catch (error) {
    return { error: unreachableError(error), canRetry: true }
  }
}

/** Returns the error for a request or a response that was interrupted. */
export function unreachableError(error: unknown): StorageError {
  return new StorageUnavailableError('the object store is out of reach', {
    cause: redactError(error),
  })
}

/** Returns the code of an error in XML, such as `NoSuchKey`; undefined without one. */
export function findCode(text: string): string | undefined {
  return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1]
}

/**
 * Returns the text of a response. Rejects with the error of its body, or with a StorageError if it
 * is larger than 1 MiB.
 */
export async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxTextBytes) throw new StorageError('a response of the object store is too large')
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
