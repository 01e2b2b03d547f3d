/** How a twin of something good is broken, and who sees it. */

import type { HttpHandler, HttpRequest, HttpResponse } from '../../src/http/message.js'
import { streamOf } from './bytes.js'

/** Something that breaks one promise, and how the contract's case says so. */
export interface BrokenTwin<Subject> {
  /** The name of the case. */
  readonly caught: string
  /** What the case complains of. */
  readonly seen: RegExp
  readonly subject: Subject
}

/** Puts a defect between a mount and its handler. */
export type Breaking = (handler: HttpHandler) => HttpHandler

type Twin = BrokenTwin<Breaking>

/** Answers something else than the handler did. */
export function answers(
  caught: string,
  seen: RegExp,
  change: (response: HttpResponse, request: HttpRequest) => HttpResponse,
): Twin {
  return {
    caught,
    seen,
    subject: (handler) => async (request) => change(await handler(request), request),
  }
}

/** Hands the handler another request than came. */
export function asks(
  caught: string,
  seen: RegExp,
  change: (request: HttpRequest) => Partial<HttpRequest>,
): Twin {
  return {
    caught,
    seen,
    subject: (handler) => (request) => handler({ ...request, ...change(request) }),
  }
}

/** Hands the handler another body than came. */
export function reads(caught: string, seen: RegExp, change: (body: string) => string): Twin {
  const subject: Breaking = (handler) => async (request) => {
    if (request.method === 'GET' || request.header('authorization') === undefined)
      return handler(request)
    const bytes = new TextEncoder().encode(change(await textOf(request.body)))
    return handler({ ...request, body: streamOf([bytes]) })
  }
  return { caught, seen, subject }
}

/** Says in a refusal what was refused. */
export function echoes(caught: string, seen: RegExp): Twin {
  const subject: Breaking = (handler) => async (request) => {
    const body = request.method === 'POST' ? await textOf(request.body) : ''
    const parsed: unknown = body === '' ? undefined : JSON.parse(body)
    const response = await handler({ ...request, body: { parsed } })
    return response.status === 400 ? { ...response, body: text(response) + body } : response
  }
  return { caught, seen, subject }
}

/** What has come of a body, also if its sender has hung up. */
export async function textOf(body: HttpRequest['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk)
  } catch {}
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks))
}

export function without(name: string): (response: HttpResponse) => HttpResponse {
  return ({ headers, ...response }) => {
    return {
      ...response,
      headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
    }
  }
}

export function text({ body }: HttpResponse): string {
  return typeof body === 'string' ? body : ''
}
