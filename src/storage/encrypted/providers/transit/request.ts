/** Sends one request to the transit engine of a cluster, and goes to no host that is not part of it. */

import { DecryptionError } from '../../../../errors.js'
import { safeGet } from '../../../../safe-get.js'
import { readBytes } from '../../envelope/byte-reader.js'

/** A request to the engine. */
export interface TransitRequest {
  /** Where the token may be sent; the first one is tried first. */
  readonly origins: readonly string[]
  /** The same on every node, whatever a redirect names. */
  readonly path: string
  readonly token: string
  readonly body: Readonly<Record<string, string>>
}

interface Answer {
  readonly status: number
  readonly location: string | null
  readonly text: string
}

type Send = (url: string, init: RequestInit) => Promise<Response>

/** The engine's message when ciphertext, key and associated data do not belong together; with status 500 in older versions. */
const refusal = /message authentication failed|invalid ciphertext|unable to decrypt/
const maxRedirects = 3
const maxAnswerBytes = 32 * 1024
const timeoutMs = 10_000

/**
 * The text that the engine answers as a member of its `data`.
 * @throws DecryptionError if the engine finds that ciphertext, key and context do not belong together. Any other
 * failure is an Error with a code and a fixed sentence: none of it comes from the answer, from the request or from
 * `send`.
 */
export async function postToTransit(
  send: Send,
  { origins, path, token, body }: TransitRequest,
  member: string,
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
    const answer = await exchange(send, `${origin}${path}`, init)
    if (answer.status !== 307 && answer.status !== 308) return textIn(answer, member)
    origin = origins.find((known) => known === originOf(answer.location))
  }
  throw transitError('the transit engine redirects to another host', 'REDIRECTED')
}

async function exchange(send: Send, url: string, init: RequestInit): Promise<Answer> {
  let answer: Answer & { readonly isWhole: boolean }
  try {
    const response = await send(url, init)
    const { status, headers, body } = response
    const bytes = body === null ? new Uint8Array(0) : await startOf(body)
    const text = new TextDecoder().decode(bytes)
    const isWhole = bytes.length <= maxAnswerBytes
    answer = { status, location: headers.get('location'), text, isWhole }
  } catch (error) {
    const words = [safeGet(safeGet(error, 'cause'), 'code'), safeGet(error, 'name')]
    const code = words.find((word) => typeof word === 'string' && /^\w{1,60}$/.test(word))
    throw transitError('the transit engine cannot be reached', String(code))
  }
  if (!answer.isWhole) throw transitError('the transit engine answers too much', 'TOO_LARGE')
  return answer
}

/** All of a short answer, one byte more than is accepted of a long one. */
async function startOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = readBytes(body)
  const bytes = await reader.take(maxAnswerBytes + 1)
  if (bytes.length > maxAnswerBytes) await reader.cancel()
  return bytes
}

/** Nothing of a redirect is used but this. A relative address has none, and would lead to the same node again. */
function originOf(location: string | null): string | undefined {
  return location !== null && URL.canParse(location) ? new URL(location).origin : undefined
}

function textIn({ status, text }: Answer, member: string): string {
  if (status !== 200)
    throw refusal.test(text)
      ? new DecryptionError()
      : transitError('the transit engine refuses', `HTTP_${status}`)
  const found = safeGet(safeGet(parse(text), 'data'), member)
  if (typeof found !== 'string')
    throw transitError('the transit engine returned something else', 'UNEXPECTED')
  return found
}

/** The parser's own error quotes what it read. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function transitError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
