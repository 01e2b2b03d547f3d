/** Broken variants: subjects with one defect, and the contract case that detects it. */

import type { HttpHandler, HttpRequest, HttpResponse } from '../../src/http/message.js'
import { streamOf } from './bytes.js'

/** A subject that breaks one promise of a contract. */
export interface BrokenVariant<Subject> {
  /** The name of the case that must fail. */
  readonly caseName: string
  /** The message that the case must fail with. */
  readonly message: RegExp
  readonly subject: Subject
}

/** Adds a defect to a handler. */
export type HandlerDefect = (handler: HttpHandler) => HttpHandler

type Variant = BrokenVariant<HandlerDefect>

/** A handler whose responses are changed. */
export function withChangedResponse(
  caseName: string,
  message: RegExp,
  change: (response: HttpResponse, request: HttpRequest) => HttpResponse,
): Variant {
  const subject: HandlerDefect = (handler) => async (request) =>
    change(await handler(request), request)
  return { caseName, message, subject }
}

/** A handler that receives changed requests. */
export function withChangedRequest(
  caseName: string,
  message: RegExp,
  change: (request: HttpRequest) => Partial<HttpRequest>,
): Variant {
  const subject: HandlerDefect = (handler) => (request) =>
    handler({ ...request, ...change(request) })
  return { caseName, message, subject }
}

/** A handler that receives changed request bodies. */
export function withChangedBody(
  caseName: string,
  message: RegExp,
  change: (body: string) => string,
): Variant {
  const subject: HandlerDefect = (handler) => async (request) => {
    if (request.method === 'GET' || request.header('authorization') === undefined)
      return handler(request)
    const bytes = new TextEncoder().encode(change(await readText(request.body)))
    return handler({ ...request, body: streamOf([bytes]) })
  }
  return { caseName, message, subject }
}

/** A handler whose 400 responses contain the request body. */
export function withEchoedBody(caseName: string, message: RegExp): Variant {
  const subject: HandlerDefect = (handler) => async (request) => {
    const body = request.method === 'POST' ? await readText(request.body) : ''
    const parsed: unknown = body === '' ? undefined : JSON.parse(body)
    const response = await handler({ ...request, body: { parsed } })
    return response.status === 400 ? { ...response, body: bodyText(response) + body } : response
  }
  return { caseName, message, subject }
}

/** Reads a request body; returns the bytes received so far if the client disconnects. */
export async function readText(body: HttpRequest['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    if (body instanceof Uint8Array) chunks.push(body)
    else for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk)
  } catch {}
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks))
}

/** Returns a function that removes a header from a response. */
export function withoutHeader(name: string): (response: HttpResponse) => HttpResponse {
  return ({ headers, ...response }) => ({
    ...response,
    headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
  })
}

/** Returns the body of a response if it is text; otherwise an empty string. */
export function bodyText({ body }: HttpResponse): string {
  return typeof body === 'string' ? body : ''
}
