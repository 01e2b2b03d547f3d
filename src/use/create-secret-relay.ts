/** Forwards other processes' requests to APIs, and fills in secrets on the way. */

import { callback, integer, limit, list, readArgument, result } from '../base/argument.js'
import { basePath } from '../base/base-path.js'
import { toChunks } from '../base/blob-content.js'
import { isErrorCode } from '../base/error-code.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { host } from '../base/public-host.js'
import { toRuleError } from '../base/rule-error.js'
import { safeGet } from '../base/safe-get.js'
import { maxTimerMs, withTimeout } from '../base/with-timeout.js'
import type { KnownCaller } from '../core/access/caller.js'
import { assertService } from '../core/assert-service.js'
import type { VaultService } from '../core/vault-service.js'
import {
  ForbiddenError,
  InvalidInputError,
  isVaultError,
  MethodNotAllowedError,
  RuleError,
  TooManyRequestsError,
} from '../errors.js'
import { type AuthenticationOptions, authenticationKinds } from '../http/authenticate.js'
import type { HttpHandler, HttpRequest, HttpResponse } from '../http/message.js'
import { metricsOf } from '../http/metrics.js'
import { readBodyBytes } from '../http/read-body.js'
import { emptyResponse, errorResponse, jsonResponse, withHeaders } from '../http/responses.js'
import { type RoutedRequest, serveRoutes } from '../http/serve-routes.js'
import { refusalHeader, toRefusal, toRefusalBody } from './refusal.js'
import { toApiHeaders, toClientHeaders, withRelayToken } from './relay-headers.js'
import { assertPublicUrl, divideTarget, toTargetUrl } from './relay-target.js'

/** A function like `fetch`, such as the result of `createSecretFetch`. */
export type RelayFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Returns the secret fetch for a caller.
 * @param fetch - Sends the requests without following redirects. Pass it on as the option `fetch`
 * of `createSecretFetch`, because it checks the host of each request, including redirects.
 */
export type SecretFetchFor = (
  caller: KnownCaller,
  fetch: RelayFetch,
  request: HttpRequest,
) => RelayFetch | Promise<RelayFetch>

/** Options of `createSecretRelay`. */
export interface SecretRelayOptions extends AuthenticationOptions {
  /**
   * The prefix of every path, without a slash at its end. Pass an empty string if the mount strips
   * the prefix, as Express does. Default: `/relay`.
   */
  readonly basePath?: string | undefined
  /**
   * Hosts that need not be public: names such as `billing.internal` and addresses, without ports.
   * Default: none.
   */
  readonly allowHosts?: readonly string[] | undefined
  /**
   * Sends a request to a host whose name has been checked, does not follow redirects, and decodes
   * the body. On Node, pass the result of `createPublicFetch` from `cofferkit/node`, because the
   * `fetch` of Node also connects if the name resolves to a private address. On a platform whose
   * `fetch` reaches public addresses only, pass that.
   */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** How many calls a caller can have at once, 1 or more. More fail with 429. Default: 8. */
  readonly maxCalls?: number | undefined
  /** The maximum size of the body of a request in bytes, 0 or more. Default: 1,048,576. */
  readonly maxBodyBytes?: number | undefined
  /**
   * How long a call may take, from the login to the end of the response, in milliseconds: 1 or
   * more, or Infinity for no limit. Default: 60,000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * The service whose `/metrics` also count the requests to the relay. By default they are not
   * counted.
   */
  readonly service?: VaultService | undefined
  /**
   * Called with every error whose response has a status of 500 or more. Errors that it throws are
   * ignored. By default each error is printed with `console.error`, without the messages of foreign
   * errors.
   */
  readonly onError?: ((error: unknown, request: HttpRequest, requestId: string) => void) | undefined
}

const defaultBasePath = '/relay'

const relayOptions = defineOptions({
  ...authenticationKinds,
  basePath: (value = defaultBasePath, path) => basePath(value, path),
  allowHosts: optional(list('a list of hosts', host), []),
  fetch: result('createPublicFetch'),
  maxCalls: optional(integer({ min: 1 }), 8),
  maxBodyBytes: optional(integer({ min: 0 }), 1_048_576),
  timeoutMs: optional(limit({ min: 1 }), 60_000),
  service: optional((service: VaultService) => assertService(service)),
  onError: optional(callback()),
} satisfies OptionKinds<SecretRelayOptions>)

type Settings = OptionValues<typeof relayOptions.kinds>

/** Methods that `fetch` does not send. */
const unknownMethod = /^(?:CONNECT|TRACE|TRACK)$/i
const knownMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/**
 * Creates a handler for code that runs in another process, calls APIs, and must not have the keys.
 * That process sends `POST /relay/https/api.example.com/customers` with the header
 * `Authorization: Bearer {{ op://Team/Example/key }}`. The relay sends the request with the key to
 * `https://api.example.com/customers`, and returns the response with the key masked.
 *
 * The client sends the relay's own token as `x-cofferkit-authorization: Bearer …`, and
 * `authenticate` receives it as `Authorization`. The relay does not forward cookies, `Forwarded`,
 * `X-Forwarded-*` and headers about a single connection. It does not return `Set-Cookie` and CORS
 * headers.
 *
 * If the relay itself fails a request, the header `x-cofferkit-error` of the response is the
 * error's code:
 * - 403 if the use is refused, whatever the status of the error is, if the host is not public, if
 *   the scheme is `http`, or if a page on another site sent the request
 * - 401 and the other errors of `authenticate`
 * - 400 if the target or the body cannot be sent
 * - 404 if the path is not a target
 * - 413, 408 and 429 if a limit is exceeded
 * - 502 (`API_UNAVAILABLE`) if the request fails
 * - 504 (`API_TIMEOUT`) after `timeoutMs`. A response that has already begun is cut off
 * @param secretFetchFor - Returns the secret fetch for a caller. If it throws an error of this
 * library with a status of 400 to 499 other than 408 and 429, the use is refused (403). Any other
 * error of this library is the response. All other errors become a RuleError (500).
 * @returns A handler that never rejects, for any mount.
 * @throws TypeError if `authenticate` or `fetch` is missing, an option is unknown or has the wrong
 * type, or `basePath` is malformed.
 * @throws RangeError if a limit is out of range.
 * @example
 * const relay = createSecretRelay(
 *   (caller, fetch) => createSecretFetch(vaultSecrets(service, caller), { fetch }),
 *   { authenticate: bearerAuth(authenticator), fetch: createPublicFetch(), service },
 * )
 */
export function createSecretRelay(
  secretFetchFor: SecretFetchFor,
  options: SecretRelayOptions,
): HttpHandler {
  readArgument(callback(), { secretFetchFor, options })
  const settings = relayOptions.read(options)
  /** The number of open calls by the id of the caller. */
  const counts = new Map<string, number>()

  const { basePath, onError, service, authenticate } = settings
  const { challenge } = authenticate

  async function respond({
    request,
    requestId,
    parameters,
    login,
  }: RoutedRequest): Promise<HttpResponse> {
    const target = divideTarget(String(parameters['target']))
    const { method } = request
    if (unknownMethod.test(method))
      throw new MethodNotAllowedError('a relay does not send this method', {
        headers: { allow: knownMethods },
      })
    assertSameSite(request)
    const caller = await login()
    const url = toTargetUrl(target)
    assertPublicUrl(url, settings.allowHosts)
    const call = openCall(counts, caller, request, settings)
    try {
      const { maxBodyBytes } = settings
      const bytes = await readBodyBytes(request, { maxBodyBytes, bodyTimeoutMs: call.restMs() })
      const init = { method, headers: readHeaders(request), body: toBody(method, bytes) }
      const { signal } = call
      const response = await send(caller, request, call, [url.href, { ...init, signal }])
      return toHttpResponse(requestId, response, call)
    } catch (error) {
      call.end()
      // Nobody needs to know that a client has disconnected.
      if (error instanceof ApiError && error.isOfClient) return refuse(requestId, error, challenge)
      throw error
    }
  }

  /**
   * Sends a request through the secret fetch of the caller. If the use is refused, returns the
   * refusal.
   * @throws ApiError if it fails, or takes too long.
   */
  async function send(
    caller: KnownCaller,
    request: HttpRequest,
    call: Call,
    given: readonly [string, RequestInit],
  ): Promise<Response> {
    let isSent = false
    const sendChecked: RelayFetch = async (input, init) => {
      isSent = true
      const [url, sent] = await readRequest(input, init)
      assertPublicUrl(new URL(url), settings.allowHosts)
      return withoutErrorHeader(await settings.fetch(url, { ...sent, redirect: 'manual' }))
    }
    const sending = findSecretFetch(caller, sendChecked, request).then((found) => found(...given))
    const pending = withTimeout(sending, call.restMs(), call.expire, {
      onLate: ({ body }) => void body?.cancel().catch(ignore),
    })
    const response = await pending.catch((error: unknown) => {
      if (!isVaultError(error)) throw toApiError(error, call)
      if (isFinal(error.status)) return toRefusal(error)
      throw error
    })
    if (isSent || response.headers.has(refusalHeader)) return response
    response.body?.cancel().catch(ignore)
    throw new RuleError('secretFetchFor must pass its fetch on: createSecretFetch(…, { fetch })')
  }

  async function findSecretFetch(
    caller: KnownCaller,
    fetch: RelayFetch,
    request: HttpRequest,
  ): Promise<RelayFetch> {
    let found: unknown
    try {
      found = await secretFetchFor(caller, fetch, request)
    } catch (error) {
      throw toRuleError(error, 'secretFetchFor')
    }
    if (typeof found !== 'function') throw new RuleError('secretFetchFor must return a function')
    return (input, init) => found(input, init)
  }

  return serveRoutes({
    ...{ basePath, onError },
    metrics: metricsOf(service ?? settings),
    authentication: {
      ...settings,
      authenticate: Object.assign(
        (request: HttpRequest) => authenticate(withRelayToken(request)),
        authenticate,
      ),
    },
    routes: [{ label: 'relay', method: '*', path: '/{target*}', respond }],
    formatError: refuse,
  })
}

const ignore = (): void => {}

/**
 * @throws ForbiddenError if a browser sent the request for a page on another site. The login may be
 * a cookie, which the browser then adds.
 */
function assertSameSite(request: HttpRequest): void {
  if (/^(?:cross|same)-site$/i.test(request.header('sec-fetch-site') ?? ''))
    throw new ForbiddenError('a page on another site cannot use the relay')
}

/** A call that counts for its caller until its response has ended. */
interface Call {
  /** Aborted when the client has disconnected, or the time is over. */
  readonly signal: AbortSignal
  /** The milliseconds that are left, 1 or more. */
  restMs(): number
  /** Aborts and ends the call because its time is over. Returns the error for that. */
  expire(): ApiError
  /** Ends the call. Called again, it does nothing. */
  end(): void
}

/** @throws TooManyRequestsError (429) if the caller already has the maximum number of calls. */
function openCall(
  counts: Map<string, number>,
  { id }: KnownCaller,
  request: HttpRequest,
  { maxCalls, timeoutMs }: Settings,
): Call {
  const callerId = String(id)
  const count = counts.get(callerId) ?? 0
  if (count >= maxCalls)
    throw new TooManyRequestsError(`a caller can have ${maxCalls} calls at once`)
  counts.set(callerId, count + 1)
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const client = request.signal?.()
  if (client?.aborted) abort()
  client?.addEventListener('abort', abort)
  const start = performance.now()
  let isOpen = true
  const end = (): void => {
    if (!isOpen) return
    isOpen = false
    client?.removeEventListener('abort', abort)
    const rest = Number(counts.get(callerId)) - 1
    if (rest > 0) counts.set(callerId, rest)
    else counts.delete(callerId)
  }
  return {
    signal: controller.signal,
    restMs: () => Math.max(1, timeoutMs - (performance.now() - start)),
    expire() {
      abort()
      end()
      return new ApiError(504)
    },
    end,
  }
}

/** Returns the headers for the API. @throws RuleError if the mount does not list them. */
function readHeaders(request: HttpRequest): Headers {
  const headers = request.headers?.()
  if (headers === undefined)
    throw new RuleError('the mount must pass on the function headers of a request')
  return toApiHeaders(headers)
}

/** @throws InvalidInputError if `fetch` would not send the body. */
function toBody(method: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (bytes.length === 0) return null
  if (/^(?:GET|HEAD)$/i.test(method))
    throw InvalidInputError.at('', 'a GET or HEAD request must not have a body')
  return new Uint8Array(bytes)
}

/** Returns the arguments of `fetch` for a request in either of its forms. */
async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<readonly [string, RequestInit]> {
  if (typeof input === 'string' || input instanceof URL) return [String(input), { ...init }]
  const { url, method, headers, signal } = input
  const body = input.body === null ? null : await input.arrayBuffer()
  return [url, { method, headers, signal, body, ...init }]
}

/** Returns an API's response without the header by which clients recognize the relay's errors. */
function withoutErrorHeader(response: Response): Response {
  // The secret fetch rejects a response that was redirected.
  if (!response.headers.has(refusalHeader) || response.redirected) return response
  const { status, statusText, body } = response
  const headers = new Headers(response.headers)
  headers.delete(refusalHeader)
  return new Response(body, { status, statusText, headers })
}

/**
 * A request to an API that failed. It does not repeat the platform's message, which may quote the
 * request.
 */
class ApiError extends Error {
  readonly status: 502 | 504
  /** True if the client has disconnected. */
  readonly isOfClient: boolean

  /** @param reason - The code of the error of the platform, such as `ECONNREFUSED`. */
  constructor(status: 502 | 504, reason?: string, isOfClient = false) {
    const sentence =
      status === 504 ? 'the API did not respond in time' : 'the request to the API failed'
    super(reason === undefined ? sentence : `${sentence}: ${reason}`)
    this.status = status
    this.isOfClient = isOfClient
  }
}

function toApiError(error: unknown, { signal }: Call): ApiError {
  if (error instanceof ApiError) return error
  const reason = safeGet(safeGet(error, 'cause'), 'code')
  return new ApiError(502, isErrorCode(reason) ? reason : undefined, signal.aborted)
}

/** Returns the response of the API: its masked body, which is passed on as it arrives. */
function toHttpResponse(requestId: string, response: Response, call: Call): HttpResponse {
  const { status, body } = response
  // A cache in front of the relay does not know that the response is for one caller.
  const { headers: ofRelay } = emptyResponse(requestId)
  const { 'x-request-id': _, ...fixed } = ofRelay
  const headers = { ...ofRelay, ...toClientHeaders(response), ...fixed }
  if (body === null) {
    call.end()
    return { status, headers, body }
  }
  const source = toChunks(body)
  // A client that does not read would keep the call open.
  const restMs = call.restMs()
  const timer = restMs <= maxTimerMs ? setTimeout(call.expire, restMs) : undefined
  const release = (reason?: unknown): void => {
    clearTimeout(timer)
    source.return(reason)
    call.end()
  }
  return { status, headers, body: toChunks(() => passOn(source, call, release), release) }
}

/** Yields the chunks of a response until its end. They fail when the time of the call is over. */
async function* passOn(
  source: AsyncIterator<Uint8Array>,
  { restMs, expire }: Call,
  release: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { done, value } = await withTimeout(source.next(), restMs(), expire)
      if (done) return
      yield value
    }
  } finally {
    release()
  }
}

/** Returns true if a retry would fail with the same status. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429
}

/** Returns the response to a call that failed. */
function refuse(
  requestId: string,
  error: unknown,
  challenge: string | null | undefined,
): HttpResponse {
  if (error instanceof ApiError) return respondWithApiError(requestId, error)
  const response = errorResponse(requestId, error, challenge)
  const code = isVaultError(error) ? error.code : 'INTERNAL'
  return withHeaders(withRefusalBody(response, code), {
    [refusalHeader]: code,
    ...(isFinal(response.status) && { 'x-should-retry': 'false', 'stripe-should-retry': 'false' }),
  })
}

function respondWithApiError(requestId: string, { status, message }: ApiError) {
  const response = { ...jsonResponse(requestId, JSON.stringify({ status, message })), status }
  const code = status === 504 ? 'API_TIMEOUT' : 'API_UNAVAILABLE'
  return withHeaders(withRefusalBody(response, code), { [refusalHeader]: code })
}

/** Returns the response of an error in the form that SDKs read. */
function withRefusalBody(response: HttpResponse, code: string): HttpResponse {
  const body = toRefusalBody(code, JSON.parse(String(response.body)))
  return { ...response, body: JSON.stringify(body) }
}
