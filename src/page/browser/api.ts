/** Sends requests to the API beside the page. The token is only in memory and in a header. */

import { parseJson } from '../../base/parse-json.js'
import { maskBody } from './concealed.js'

/** A change that was sent, and its response, both with masked values. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON that was sent, or a description of the bytes. Undefined if there was no body. */
  readonly body: string | undefined
  readonly status: number
  readonly statusText: string
  /** The JSON of the response. Undefined if it is empty. */
  readonly response: string | undefined
  readonly milliseconds: number
}

/** The details of a request. */
export interface RequestOptions {
  readonly json?: unknown
  readonly content?: Blob
  /** The version that the change is made from. It is rejected if there is a newer one. */
  readonly ifVersion?: number
  /** True to read the permissions on the list as well. */
  readonly hasPermissions?: boolean
  readonly signal?: AbortSignal
}

/** A parsed response. */
export interface Answer {
  readonly body: unknown
  readonly headers: Headers
}

/** A request that failed. `message` is a sentence for the user. */
export class RequestError extends Error {
  /** 0 if there was no response. */
  readonly status: number
  /** True if a bearer token would be accepted. */
  readonly wantsToken: boolean

  constructor(status: number, message: string, wantsToken = false) {
    super(message)
    this.status = status
    this.wantsToken = wantsToken
  }
}

/** Sends requests with one token, or with the cookies of the browser. */
export interface Api {
  readonly hasToken: boolean
  /** Reads JSON. Rejects with a RequestError. */
  get(path: string, options?: RequestOptions): Promise<Answer>
  /** Reads the bytes of a file. Rejects with a RequestError. */
  download(path: string): Promise<Blob>
  /** Changes something, and calls `onChange` with the request and its response. */
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

/** Creates an {@link Api}. `onUnauthorized` is called with every 401. */
export function createApi(
  token: string | undefined,
  onChange: (exchange: Exchange) => void,
  onUnauthorized: (error: RequestError) => void,
): Api {
  const request = async (method: string, path: string, options: RequestOptions) => {
    const response = await fetch(apiUrl(path), {
      method,
      headers: {
        ...shownHeaders(options),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: options.json === undefined ? (options.content ?? null) : JSON.stringify(options.json),
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'manual',
      signal: options.signal ?? null,
    }).catch((error: unknown) => {
      if (options.signal?.aborted) throw error
      throw new RequestError(0, 'The service does not respond.')
    })
    return response
  }
  const rejectFailure = (response: Response, body: unknown): void => {
    if (response.ok) return
    // Logins redirect to their own page instead of responding with 401.
    const status = response.type === 'opaqueredirect' ? 401 : response.status
    const challenge = response.headers.get('www-authenticate') ?? ''
    const message: unknown = Reflect.get(Object(body), 'message')
    const text = typeof message === 'string' ? message : `The service responded with ${status}.`
    const error = new RequestError(status, text, /^bearer\b/i.test(challenge))
    if (status === 401) onUnauthorized(error)
    throw error
  }
  const get = async (path: string, options: RequestOptions = {}): Promise<Answer> => {
    const response = await request('GET', path, options)
    const body = await parseBody(response)
    rejectFailure(response, body)
    return { body, headers: response.headers }
  }
  return {
    hasToken: token !== undefined,
    get,
    async download(path) {
      const response = await request('GET', path, {})
      if (!response.ok) rejectFailure(response, await parseBody(response))
      return response.blob()
    },
    async send(method, path, options = {}) {
      const startedAt = performance.now()
      const response = await request(method, path, options)
      const body = await parseBody(response)
      const { json, content } = options
      const bytes = content && `${content.size} bytes`
      onChange({
        method,
        path: new URL(apiUrl(path)).pathname + new URL(apiUrl(path)).search,
        headers: shownHeaders(options),
        body: json === undefined ? bytes : formatMasked(json),
        status: response.status,
        statusText: response.statusText,
        response: body === undefined ? undefined : formatMasked(body),
        milliseconds: Math.round(performance.now() - startedAt),
      })
      rejectFailure(response, body)
      return { body, headers: response.headers }
    },
  }
}

/** Returns the URL of a path of the API. It always has the origin of the page. */
function apiUrl(path: string): string {
  return location.origin + location.pathname.replace(/\/ui\/?$/, '') + path
}

/** Returns the headers of a request without its token. */
function shownHeaders(options: RequestOptions): Record<string, string> {
  const { json, content, ifVersion, hasPermissions } = options
  return {
    ...(hasPermissions === true && { prefer: 'permissions' }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    // With a form's type, another site could send the request without a preflight.
    ...(content !== undefined && { 'content-type': 'application/octet-stream' }),
    ...(ifVersion !== undefined && { 'if-match': `"${ifVersion}"` }),
  }
}

/** Returns the JSON of a response, or undefined if it has none. */
async function parseBody(response: Response): Promise<unknown> {
  return parseJson(await response.text())
}

function formatMasked(body: unknown): string {
  return JSON.stringify(maskBody(body), null, 2)
}
