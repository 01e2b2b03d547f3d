/** Answers HTTP requests with the operations of a vault service, without knowing any framework. */

import type { Caller } from '../core/caller.js'
import { describerOf, type VaultService } from '../core/service.js'
import { HttpError, InvalidInputError, UnauthorizedError } from '../errors.js'
import { withoutSecrets } from '../without-secrets.js'
import { matchRoute } from './match.js'
import type { HttpHandler, HttpRequest, HttpResponse } from './message.js'
import { type BodyLimits, readBody } from './read-body.js'
import { readQuery } from './read-query.js'
import {
  contentResponse,
  emptyResponse,
  errorResponse,
  jsonResponse,
  withoutBody,
} from './respond.js'
import type { Route } from './routes.js'
import { within } from './within.js'

/** How a service is put on HTTP. */
export interface HttpHandlerOptions extends BodyLimits {
  /**
   * Who asks; undefined, or an UnauthorizedError, is answered with 401. Anything else it throws, and not answering
   * within `authenticationTimeout`, is answered with 503: nobody is let in because a check is out of order.
   */
  authenticate(request: HttpRequest): Caller | undefined | Promise<Caller | undefined>
  /** Milliseconds; 10,000 if absent. */
  readonly authenticationTimeout?: number
  /** What stands before `/v1` in every path, such as `/secrets`; nothing if absent. */
  readonly basePath?: string
  /** Told of every error that is answered with 500 or more. What it throws is nobody's. */
  onError?(error: unknown, request: HttpRequest): void
}

type Input = Record<string, unknown>
type Operation = (caller: Caller, input: never) => Promise<unknown>

/** A handler for the routes under `/v1`. It answers every request, in the contract's error form at worst, and never rejects. */
export function createHttpHandler(service: VaultService, options: HttpHandlerOptions): HttpHandler {
  return async (request) => {
    const requestId = requestIdOf(request)
    try {
      const { route, parameters, query } = matchRoute(
        request.method,
        request.url,
        options.basePath ?? '',
      )
      const caller = await authenticated(request, options)
      const input: Input = parameters
      if (route.body !== undefined) input[route.body] = await readBody(request, options)
      if (route.query !== undefined && query !== '') readQuery(route.query, query, input)
      if (route.conditional) input['ifVersion'] = versionOf(request.header('if-match'))
      const response = await answer(service, route, caller, input, requestId)
      return request.method === 'HEAD' ? withoutBody(response) : response
    } catch (error) {
      const response = errorResponse(requestId, error)
      if (response.status >= 500) report(options, error, request)
      return request.method === 'HEAD' ? withoutBody(response) : response
    }
  }
}

async function answer(
  service: VaultService,
  { operation }: Route,
  caller: Caller,
  input: Input,
  requestId: string,
): Promise<HttpResponse> {
  const perform: Operation = service[operation]
  const describe = describerOf(perform)
  if (describe !== undefined) {
    const { item, text } = await describe(caller, input as never)
    return jsonResponse(requestId, text, { etag: `"${item.version}"` })
  }
  const result = await perform.call(service, caller, input as never)
  if (operation === 'deleteItem') return emptyResponse(requestId)
  if (operation === 'readFileContent')
    return contentResponse(requestId, result as Parameters<typeof contentResponse>[1])
  return jsonResponse(requestId, JSON.stringify(result), etagOf(result))
}

/** Tells the operator, whose listener may fail in any way without costing the client his answer. */
function report(options: HttpHandlerOptions, error: unknown, request: HttpRequest): void {
  Promise.resolve()
    .then(() => options.onError?.(error, request))
    .catch(() => {})
}

async function authenticated(request: HttpRequest, options: HttpHandlerOptions): Promise<Caller> {
  const { authenticationTimeout = 10_000 } = options
  const caller = await identified(request, options, authenticationTimeout)
  if (caller === undefined) throw new UnauthorizedError()
  return caller
}

async function identified(
  request: HttpRequest,
  options: HttpHandlerOptions,
  timeout: number,
): Promise<Caller | undefined> {
  try {
    return await within(timeout, Promise.resolve(options.authenticate(request)), () =>
      unavailable(undefined),
    )
  } catch (error) {
    throw error instanceof UnauthorizedError ? error : unavailable(withoutSecrets(error))
  }
}

function unavailable(cause: unknown): HttpError {
  return new HttpError('AUTHENTICATION_UNAVAILABLE', 'the authenticator did not answer', { cause })
}

/** The version that `If-Match` asks for; 0, which no item has, for a tag that this service never gave. */
function versionOf(tag: string | undefined): number | undefined {
  if (tag === undefined || tag === '*') return undefined
  if (!/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag)) {
    throw InvalidInputError.at('If-Match', 'must be one entity tag')
  }
  return /^"[1-9]\d{0,14}"$/.test(tag) ? Number(tag.slice(1, -1)) : 0
}

function etagOf(result: unknown): Record<string, string> {
  const version: unknown =
    typeof result === 'object' && result !== null ? Reflect.get(result, 'version') : undefined
  return typeof version === 'number' ? { etag: `"${version}"` } : {}
}

function requestIdOf(request: HttpRequest): string {
  const given = request.header('x-request-id')
  return given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}
