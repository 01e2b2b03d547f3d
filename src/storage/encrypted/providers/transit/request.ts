/** Sends a request to the transit engine of a cluster, and to no host outside of it. */

import { toChunks } from '../../../../base/blob-content.js'
import { concatBytes } from '../../../../base/concat-bytes.js'
import { isErrorWord } from '../../../../base/error-code.js'
import { undecryptableError } from '../../../../base/fixed-errors.js'
import { parseJson } from '../../../../base/parse-json.js'
import { safeGet } from '../../../../base/safe-get.js'

/** A request to the engine. */
export interface TransitRequest {
  /** The origins to which the token may be sent. The first one is tried first. */
  readonly origins: readonly string[]
  /** Used on every node. The path in a redirect is ignored. */
  readonly path: string
  readonly token: string
  readonly body: Readonly<Record<string, string>>
}

interface EngineResponse {
  readonly status: number
  readonly location: string | null
  readonly text: string
}

type Send = (url: string, init: RequestInit) => Promise<Response>

/**
 * Messages of the engine if ciphertext, key and associated data do not belong together. Older
 * versions return them with status 500.
 */
const decryptionFailure = /message authentication failed|invalid ciphertext|unable to decrypt/
const maxRedirects = 3
const maxResponseBytes = 32 * 1024
const timeoutMs = 10_000

/**
 * Sends the request, and returns the string `data[resultName]` of the response.
 * @throws DecryptionError if ciphertext, key and context do not belong together.
 * @throws Error with a `code` and a fixed message for any other failure. Nothing in it comes from
 * the request, the response or `send`.
 */
export async function postToTransit(
  send: Send,
  { origins, path, token, body }: TransitRequest,
  resultName: string,
): Promise<string> {
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token))
    throw transitError('the token for the transit engine has an invalid format', 'INVALID_TOKEN')
  const init: RequestInit = {
    method: 'POST',
    headers: { 'X-Vault-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }
  let origin = origins[0]
  for (let hop = 0; origin !== undefined && hop <= maxRedirects; hop++) {
    const response = await exchange(send, `${origin}${path}`, init)
    if (response.status !== 307 && response.status !== 308) return parseResult(response, resultName)
    origin = origins.find((known) => known === parseOrigin(response.location))
  }
  throw transitError('the transit engine redirects to another host', 'REDIRECTED')
}

async function exchange(send: Send, url: string, init: RequestInit): Promise<EngineResponse> {
  let result: EngineResponse & { readonly isComplete: boolean }
  try {
    const response = await send(url, init)
    const { status, headers, body } = response
    const bytes = body === null ? new Uint8Array(0) : await readLimited(body)
    const text = new TextDecoder().decode(bytes)
    const isComplete = bytes.length <= maxResponseBytes
    result = { status, location: headers.get('location'), text, isComplete }
  } catch (error) {
    const words = [safeGet(safeGet(error, 'cause'), 'code'), safeGet(error, 'name')]
    const code = words.find(isErrorWord)
    throw transitError('the transit engine cannot be reached', String(code))
  }
  if (!result.isComplete)
    throw transitError('the response of the transit engine is too large', 'TOO_LARGE')
  return result
}

/** Returns the body. Cancels it as soon as it is too long. */
async function readLimited(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of toChunks(body)) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxResponseBytes) break
  }
  return concatBytes(chunks)
}

/**
 * Returns the origin of a redirect, the only part of it that is used. A relative URL has none, and
 * would lead to the same node again.
 */
function parseOrigin(location: string | null): string | undefined {
  return location !== null && URL.canParse(location) ? new URL(location).origin : undefined
}

function parseResult({ status, text }: EngineResponse, resultName: string): string {
  if (status !== 200)
    throw decryptionFailure.test(text)
      ? undecryptableError()
      : transitError('the transit engine rejected the request', `HTTP_${status}`)
  const found = safeGet(safeGet(parseJson(text), 'data'), resultName)
  if (typeof found !== 'string')
    throw transitError('the transit engine returned an unexpected response', 'UNEXPECTED')
  return found
}

function transitError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
