/** A `fetch` that uses secrets and returns none. */

import { anyFunction, callback, flag, like, readArgument } from '../base/argument.js'
import { callAround } from '../base/call-around.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { toRuleError } from '../base/rule-error.js'
import { safeGet } from '../base/safe-get.js'
import { isVaultError, RuleError, SecretUseError } from '../errors.js'
import { cleanResponse } from './clean-response.js'
import { createByteRedactor, type Redactor } from './create-redactor.js'
import {
  fillPlaces,
  findPlaces,
  hasMethodOverride,
  type Place,
  type RequestTemplate,
} from './find-places.js'
import type { FoundSecret, SecretSource, SecretTarget } from './secret-source.js'
import { isRedactable } from './to-forms.js'

/** The maximum number of redirects that are followed. */
const maxRedirects = 5
/** The maximum length of a value. */
const maxValueLength = 8192

/**
 * Headers that are refused, where servers read every character besides letters and digits as the
 * same one: the first two return a value in pieces, the others send the request to another host of
 * the same server, or make it another request than the one that was allowed.
 */
const refusedHeaders = [
  /^(?:range|if-range|host|transfer-encoding|te|trailer|upgrade|expect|proxy-authorization)$/,
  /^(?:forwarded|x-host|x-http-host-override|x-rewrite-url|x-override-url|x-method-override)$/,
  /^x-(?:forwarded|original|http-method)(?:-|$)/,
]

/** Headers that the platform sets. */
const platformHeader = /^(?:accept-encoding|connection|content-length|keep-alive|proxy-connection)$/

/** A use of a secret that can be allowed. */
export interface SecretUse {
  /** The reference, such as `op://Team/Stripe/key`. */
  readonly reference: string
  /** Where the reference is: `header:authorization`, `query:key`, `body:client_secret`. */
  readonly place: string
  /** The method of the request, such as `GET`. */
  readonly method: string
  /** The URL of the request, with references instead of values. */
  readonly url: URL
}

/** Options of `createSecretFetch`. */
export interface SecretFetchOptions {
  /**
   * Returns true if a secret can be used in a request. Called for every reference that the source
   * does not refuse before, such as for a caller without the permission, before the value is read,
   * and again for each redirect. By default, every use for an origin of the secret is allowed.
   */
  allow?(use: SecretUse): boolean | Promise<boolean>
  /**
   * Returns the places besides headers in which a reference can be, such as `query:key`,
   * `body:client_secret` or `body:outer/name`. In the names of a body, `~` and `/` are `~0` and `~1`.
   * None if absent.
   */
  placesOf?(reference: string): readonly string[]
  /**
   * Sends a request, does not follow redirects, and decodes the body. `fetch` of the platform if
   * absent.
   */
  readonly fetch?: ((input: Request) => Promise<Response>) | undefined
  /** True to allow `http:` for `localhost`, `127.0.0.0/8` and `[::1]`. False if absent. */
  readonly allowLoopbackHttp?: boolean | undefined
  /**
   * True to allow values that are not masked, because none of their lines has 8 characters or more,
   * without the blanks around it. False if absent.
   */
  readonly allowShortValues?: boolean | undefined
}

const fetchOptions = defineOptions({
  allow: optional(callback()),
  placesOf: optional(callback()),
  fetch: optional(callback(), (request: Request) => globalThis.fetch(request)),
  allowLoopbackHttp: optional(flag(), false),
  allowShortValues: optional(flag(), false),
} satisfies OptionKinds<SecretFetchOptions>)

/**
 * Creates a function like `fetch` that replaces each `{{ op://vault/item/field }}` of a request by
 * its value, and masks the values in the response. A value is only sent to an origin that its source
 * returns with it. The mask is a net, not a wall: it finds what `createRedactor` finds.
 *
 * The function rejects with these errors, of which none contains a value:
 * - SecretUseError (403) if the use is refused; a body that is still compressed fails with it;
 * - InvalidInputError (400) for a reference that is invalid;
 * - the errors of this library with which the source rejects, such as NotFoundError;
 * - RuleError (500) if the source, `allow` or `placesOf` fails with any other error;
 * - TypeError if the request fails, with the code of the error as `cause.code`;
 * - the reason of the signal of the request, if it was aborted.
 * @param secrets - Where the values are: the result of `vaultSecrets`, or your own source.
 * @throws TypeError if `secrets` is not a source, or an option is invalid.
 * @example
 * const secretFetch = createSecretFetch(vaultSecrets(service, caller))
 * const response = await secretFetch('https://api.example.com/customers', {
 *   headers: { authorization: 'Bearer {{ op://Team/Example/key }}' },
 * })
 */
export function createSecretFetch(
  secrets: SecretSource,
  options: SecretFetchOptions = {},
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  if ('execute' in Object(secrets))
    throw new TypeError(
      'secrets is a service: write createSecretFetch(vaultSecrets(service, caller), options)',
    )
  readArgument(like({ find: anyFunction }), { secrets, options })
  const settings = fetchOptions.read(options)
  const { allowShortValues, allowLoopbackHttp, fetch: send } = settings

  /** Checks everything about a request that is the same for all of its references. */
  function checkRequest(template: RequestTemplate): void {
    const { url, method } = template
    if (url.username !== '' || url.password !== '') throw userInfoError()
    const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
    const isLoopbackHttp = url.protocol === 'http:' && isLoopback
    if (isLoopbackHttp && !allowLoopbackHttp)
      throw new SecretUseError('a secret is sent by http only with allowLoopbackHttp')
    if (url.protocol !== 'https:' && !isLoopbackHttp)
      throw new SecretUseError('a secret is only sent by https')
    // Servers read a method in lower case as they like.
    if (method !== method.toUpperCase() || hasMethodOverride(template))
      throw new SecretUseError('the request has a method in lower case or names another one')
  }

  /** Asks the embedder whether a reference may be used in a request. */
  async function checkAllowed(place: Place, { url, method }: RequestTemplate): Promise<void> {
    const { name, text: reference } = place
    const isAllowed = await callRule('allow', async () =>
      settings.allow?.({ reference, place: name, method, url: new URL(url) }),
    )
    if (settings.allow !== undefined && isAllowed !== true)
      throw new SecretUseError('the use of the secret is not allowed')
  }

  async function checkPlaces({ places, headers }: RequestTemplate): Promise<void> {
    if (places.length === 0) throw new SecretUseError('the request has no reference')
    const names = [...headers.keys()].map((name) => name.replace(/[^a-z\d]/g, '-'))
    if (names.some((name) => refusedHeaders.some((refused) => refused.test(name))))
      throw new SecretUseError('the request has a header that is not allowed with a secret')
    for (const { name, text } of places) {
      if (name.startsWith('header:')) continue
      const allowed = await callRule('placesOf', async () => settings.placesOf?.(text) ?? [])
      if (!Array.isArray(allowed)) throw new RuleError('placesOf must return a list')
      if (!allowed.includes(name))
        throw new SecretUseError('the reference is in a place that is not allowed')
    }
  }

  /** Returns the value of a reference for a request. */
  async function useValue(place: Place, template: RequestTemplate): Promise<string> {
    const { reference, name } = place
    const { url, method } = template
    const target = { origin: url.origin, method, place: name }
    const run = async (find = secrets.find): Promise<string> => {
      await checkAllowed(place, template)
      const found = await callRule('secrets.find', () => find.call(secrets, reference, target))
      return checkValue(checkFound(found, target))
    }
    if (secrets.aroundUse === undefined) return run()
    const around = secrets.aroundUse.bind(secrets, reference, target)
    return callAround('secrets.aroundUse', around, run)
  }

  function checkValue(value: string): string {
    if (!isRedactable(value) && !allowShortValues)
      throw new SecretUseError('the value is too short to be masked')
    if (value.length > maxValueLength)
      throw new SecretUseError(`the value has more than ${maxValueLength} characters`)
    return value
  }

  return async (input, init) => {
    const request = toRequest(input, init)
    const first = await findPlaces(request)
    await checkPlaces(first)
    const used: string[] = []
    let redactor = createByteRedactor(used)
    const toError = (error: unknown): unknown => toSafeError(error, request.signal, redactor)

    /** Sends the request with its values, and returns the response as it was received. */
    async function sendOnce(template: RequestTemplate): Promise<Response> {
      checkRequest(template)
      const values = new Map<string, string>()
      for (const place of template.places) {
        const value = await useValue(place, template)
        values.set(place.text, value)
        used.push(value)
      }
      const { credentials, ...filled } = fillPlaces(template, values)
      for (const pair of credentials) {
        const [user, password] = [pair.split(':', 1).join(), pair.slice(pair.indexOf(':') + 1)]
        if (password !== '') checkValue(password)
        used.push(pair, password, user)
      }
      redactor = createByteRedactor(used)
      return sendFilled(send, request, template.method, filled)
    }

    /** Follows redirects. Returns undefined if the request forbids them and there is one. */
    async function sendAll(): Promise<Response | undefined> {
      let template = first
      for (let redirects = 0; ; redirects++) {
        const response = await sendOnce(template)
        const isRedirect = [301, 302, 303, 307, 308].includes(response.status)
        const location = isRedirect ? response.headers.get('location') : null
        if (location === null || request.redirect === 'manual')
          return cleanResponse(response, redactor, toError)
        await response.body?.cancel().catch(ignore)
        if (request.redirect === 'error') return undefined
        if (redirects === maxRedirects) throw new SecretUseError('there are too many redirects')
        if (redactor.text(location) !== location)
          throw new SecretUseError('the redirect contains a value')
        template = followRedirect(template, response.status, location)
      }
    }

    const response = await sendAll().catch((error: unknown) => {
      throw toError(error)
    })
    if (response === undefined) throw new TypeError('the response is a redirect')
    return response
  }
}

const ignore = (): void => {}

async function callRule<Result>(rule: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw toRuleError(error, rule)
  }
}

/**
 * Returns the value of a secret that can be sent to the origin.
 * @throws SecretUseError (403) if it cannot; RuleError if the source has found something else.
 */
function checkFound(found: FoundSecret, { origin }: SecretTarget): string {
  const { value, origins } = Object(found)
  if (typeof value !== 'string' || !Array.isArray(origins))
    throw new RuleError('secrets.find must resolve with an object with value and origins')
  if (!origins.some((one) => URL.canParse(one) && new URL(one).origin === origin))
    throw new SecretUseError('the origin is not one of the secret')
  return value
}

function userInfoError(): SecretUseError {
  return new SecretUseError('the URL must not contain a user name or a password')
}

/** @throws TypeError for what is no request. The platform's error can contain a password. */
function toRequest(input: string | URL | Request, init: RequestInit | undefined): Request {
  const text = input instanceof Request ? input.url : String(input)
  if (!URL.canParse(text)) throw new TypeError('the URL of the request is invalid')
  const { username, password } = new URL(text)
  if (username !== '' || password !== '') throw userInfoError()
  return new Request(input, init)
}

async function sendFilled(
  send: (request: Request) => Promise<Response>,
  { signal }: Request,
  method: string,
  { url, headers, body }: { url: URL; headers: Headers; body: Uint8Array<ArrayBuffer> | undefined },
): Promise<Response> {
  for (const name of [...headers.keys()]) if (platformHeader.test(name)) headers.delete(name)
  // Deno decodes no body of a request that has this header.
  if (!('Deno' in globalThis)) headers.set('accept-encoding', 'identity')
  const init = { method, headers, signal, redirect: 'manual', ...(body && { body }) } as const
  const response = await send(new Request(url, init))
  if (!response.redirected) return response
  await response.body?.cancel().catch(ignore)
  throw new Error('a redirect was followed')
}

/**
 * Returns the request of a redirect (Fetch, "HTTP-redirect fetch").
 * @throws SecretUseError (403) if it is not followed.
 */
function followRedirect(
  template: RequestTemplate,
  status: number,
  location: string,
): RequestTemplate {
  const isRepeatable = template.places.every(({ name }) => name.startsWith('header:'))
  if (template.body !== undefined || !isRepeatable)
    throw new SecretUseError('a redirect of a request with a body or a filled URL is not followed')
  if (!URL.canParse(location, template.url.href))
    throw new SecretUseError('the redirect has an invalid URL')
  const url = new URL(location, template.url)
  const isGet =
    (template.method === 'POST' && status < 303) || (template.method !== 'HEAD' && status === 303)
  return { ...template, url, method: isGet ? 'GET' : template.method }
}

/**
 * Returns an error of the library unchanged, and any other as one that contains nothing of a request
 * or a response: errors of the platform quote URLs, headers and bytes that were received.
 */
function toSafeError(error: unknown, signal: AbortSignal, redactor: Redactor): unknown {
  if (isVaultError(error)) return error
  if (signal.aborted) return signal.reason
  const found = safeGet(safeGet(error, 'cause'), 'code') ?? safeGet(error, 'code')
  const isCode = typeof found === 'string' && /^[A-Z][A-Z\d_]{1,59}$/.test(found)
  const code = isCode && redactor.text(found) === found ? found : 'UNKNOWN'
  const cause = Object.assign(new Error(code), { code })
  return new TypeError('the request failed', { cause })
}
