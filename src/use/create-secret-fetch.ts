/** A `fetch` that uses secrets without returning them. */

import {
  callback,
  flag,
  type Kind,
  list,
  object,
  oneOf,
  readArgument,
  result,
  text,
} from '../base/argument.js'
import { defineOptions, type OptionKinds, omittable, optional } from '../base/options.js'
import { callRule } from '../base/rule-error.js'
import { RuleError, SecretUseError, type SecretUseReason } from '../errors.js'
import { cleanResponse } from './clean-response.js'
import {
  type FilledRequest,
  fillPlaces,
  findPlaces,
  type Place,
  type RequestTemplate,
} from './find-places.js'
import { toFormat } from './map-body.js'
import { hasMethodOverride, watchMethod } from './method-override.js'
import { checkUserInfo, readRequest, type SentRequest, takeBody } from './read-request.js'
import { createRedactorCache } from './redactor-cache.js'
import { isRefusalError, toRefusal } from './refusal.js'
import type { SecretSource, SecretTarget } from './secret-source.js'
import {
  type FilledInit,
  followRedirect,
  redirectError,
  sendFilled,
  toSafeError,
} from './send-request.js'
import { type Signature, type SignRequest, signRequest, takeSignature } from './sign-request.js'
import { isRedactable } from './to-forms.js'
import { toUsableValue, toUsableValues, type UsableValue, useSecret } from './use-secret.js'

/** The maximum number of redirects that are followed. */
const maxRedirects = 5
/** The maximum length of a value. */
const maxValueLength = 8192

/**
 * Headers that are refused. Servers may treat all characters except letters and digits as the same,
 * so they are compared that way. The first two could return a value in pieces. The others could
 * send the request to another host on the same server, or turn it into a request that was not
 * allowed.
 */
const refusedHeaders = [
  /^(?:range|if-range|host|transfer-encoding|te|trailer|upgrade|expect|proxy-authorization)$/,
  /^(?:forwarded|x-host|x-http-host-override|x-rewrite-url|x-override-url|x-method-override)$/,
  /^x-(?:forwarded|original|http-method)(?:-|$)/,
]

/** A use of a secret, for the option `allow`. */
export interface SecretUse {
  /** The reference, such as `op://Team/Stripe/key`. */
  readonly reference: string
  /**
   * Where the reference is: `header:authorization`, `query:key`, `body:client_secret`, `form:key` or
   * `path`.
   */
  readonly place: string
  /** The method of the request, such as `GET`. */
  readonly method: string
  /** The URL of the request, with references instead of values. */
  readonly url: URL
}

/** Where a secret is used: in a place of the request, or to sign it. */
type UsedPlace = Place | Signature

/** Options of `createSecretFetch`. */
export interface SecretFetchOptions {
  /**
   * Return true if a secret may be used in a request. It is called for every reference before the
   * value is read, and again for each redirect. It is not called if the source already refuses the
   * use, for example because the caller has no permission. By default every use for an origin of
   * the secret is allowed.
   */
  readonly allow?: (use: SecretUse) => boolean | Promise<boolean>
  /**
   * Returns the places, besides headers, where a reference is filled in:
   * - `query:key`: a query parameter
   * - `body:client_secret`: a field of a form
   * - `body:outer/name`: a member of JSON
   * - `form:key`: a text part of `multipart/form-data`
   * - `path`: the path of the URL
   *
   * In the names of a body, write `~` and `/` as `~0` and `~1`. The function is called once for
   * each reference outside of headers. A reference in any other place is sent unchanged. By default
   * only headers are filled in, and bodies are not read.
   */
  readonly placesOf?: ((reference: string) => readonly string[]) | undefined
  /**
   * Sends a request, does not follow redirects, and decodes the body. Default: the platform's
   * `fetch`.
   */
  readonly fetch?: ((url: string, init: FilledInit) => Promise<Response>) | undefined
  /**
   * What to do if a use is refused. `response` returns a response with the status 403 that API
   * clients do not retry, `throw` rejects with the error. Choose `throw` in code that judges a secret
   * by the status of the response. Default: `response`.
   */
  readonly refusal?: 'response' | 'throw' | undefined
  /**
   * `masked` returns the response with the values masked. `none` returns only its status and the
   * names of its headers, for requests whose response nobody needs. Default: `masked`.
   */
  readonly responses?: 'masked' | 'none' | undefined
  /**
   * Functions that sign requests, by scheme. A request with the header
   * `x-cofferkit-sign: aws op://vault/item` is signed by the function `aws` with that item's
   * values, which go nowhere else. The body is read into memory. By default no request is signed.
   */
  readonly sign?: Readonly<Record<string, SignRequest>> | undefined
  /**
   * The methods that are retried with a refreshed token, such as `['GET', 'HEAD']`. If the API
   * answers 401 to a request with an access token, the token is refreshed and the request is sent a
   * second time. Name only methods that an API may receive twice. A request whose body is a stream
   * is not retried. By default no request is retried.
   */
  readonly retryRejected?: readonly string[] | undefined
  /** If true, `http:` is allowed for `localhost`, `127.0.0.0/8` and `[::1]`. Default: false. */
  readonly allowLoopbackHttp?: boolean | undefined
  /**
   * If true, values may be used that are too short to be masked: no line has 8 characters or more,
   * not counting the spaces around it. Default: false.
   */
  readonly allowShortValues?: boolean | undefined
}

/** The kind of an object of functions. */
const signers: Kind<Readonly<Record<string, SignRequest>>> = (value, path) => {
  for (const [name, sign] of Object.entries(object()(value, path)))
    callback()(sign, `${path}.${name}`)
  return value as Readonly<Record<string, SignRequest>>
}

const fetchOptions = defineOptions({
  allow: omittable(callback()),
  placesOf: optional(callback()),
  fetch: optional(callback(), (url: string, init: FilledInit) => globalThis.fetch(url, init)),
  refusal: optional(oneOf('response', 'throw'), 'response'),
  responses: optional(oneOf('masked', 'none'), 'masked'),
  sign: optional(signers, {}),
  retryRejected: optional(
    list('a list of methods', text('a method in upper case, such as GET', /^[A-Z-]+$/)),
    [],
  ),
  allowLoopbackHttp: optional(flag(), false),
  allowShortValues: optional(flag(), false),
} satisfies OptionKinds<SecretFetchOptions, 'allow'>)

/**
 * Creates a function like `fetch` that uses secrets without returning them. It replaces each
 * `{{ op://vault/item/field }}` in a request's headers, and in the places that `placesOf` returns,
 * with its value. In the response it masks the values. A value is sent only to the origins that its
 * source returns with it. Masking is a safety net, not a wall, because it finds only what
 * `createRedactor` finds.
 *
 * A refused use is returned as a response with the status 403, whatever the status of the error is,
 * so that nobody takes it for the API's verdict on the key. It has the body
 * `{ status, message, error: { code, message } }`, and the error's code in the header
 * `x-cofferkit-error`. `isRefusal` recognizes it by that header. With `refusal: 'throw'` the
 * function rejects with the error instead, which keeps its class and its status. These errors are
 * refusals:
 * - SecretUseError (403) if the use is refused. Its `reason` says why
 * - InvalidInputError (400) if a reference is invalid
 * - UnauthorizedError (401), ForbiddenError (403), NotFoundError (404) and ReconnectRequiredError
 *   (409) from the source
 *
 * The function always rejects with these errors. None of them contains a value:
 * - any other error of this library that the source rejects with
 * - RuleError (500) if the source, `allow` or `placesOf` fails with any other error
 * - TypeError if the request fails. `cause.code` is the code of the error
 * - the reason of the request's signal, if the request was aborted
 *
 * Reading a body that is still compressed fails with a SecretUseError.
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
  readArgument(result('vaultSecrets'), { secrets, options })
  const settings = fetchOptions.read(options)
  const { allowShortValues, allowLoopbackHttp, fetch: send, placesOf, responses } = settings

  const retryRejected: readonly string[] = settings.retryRejected
  const signs: Readonly<Record<string, SignRequest>> = settings.sign
  const redactorOf = createRedactorCache()

  /** Returns the request with its places. The body is read if it can have one. */
  async function readTemplate(request: Request, init?: RequestInit): Promise<RequestTemplate> {
    const { method } = request
    const headers = new Headers(request.headers)
    const signature = takeSignature(headers, Object.keys(signs))
    const url = new URL(request.url)
    const isRead = placesOf !== undefined && toFormat(headers.get('content-type') ?? '')
    const body =
      isRead && request.body !== null
        ? new Uint8Array(await request.arrayBuffer())
        : await takeBody(request, init)
    const enabled = new Map<string, readonly string[]>()
    const isEnabled = async ({ name, text }: Place): Promise<boolean> => {
      const names = enabled.get(text) ?? (await callRule('placesOf', async () => placesOf?.(text)))
      if (!Array.isArray(names)) throw new RuleError('placesOf must return a list')
      enabled.set(text, names)
      return names.includes(name)
    }
    const found = { method, url, headers, body }
    return { ...found, signature, places: await findPlaces(found, placesOf && isEnabled) }
  }

  /** Checks everything about a request that is the same for all of its references. */
  function checkRequest(template: RequestTemplate): void {
    const { url, method, headers, places, signature } = template
    const refuse = (reason: SecretUseReason, problem: string): never => {
      throw new SecretUseError(`${problem}: ${url.origin}`, { reason })
    }
    if (places.length === 0 && signature === undefined)
      refuse('NO_REFERENCE', 'the request has no reference in a header or another enabled place')
    checkUserInfo(url)
    for (const name of headers.keys())
      if (refusedHeaders.some((refused) => refused.test(name.replace(/[^a-z\d]/g, '-'))))
        refuse('HEADER', `the request has the header ${name}, which is not allowed with a secret`)
    const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
    const isLoopbackHttp = url.protocol === 'http:' && isLoopback
    if (isLoopbackHttp && !allowLoopbackHttp)
      refuse('NOT_HTTPS', 'a secret is sent by http only with allowLoopbackHttp')
    if (url.protocol !== 'https:' && !isLoopbackHttp)
      refuse('NOT_HTTPS', 'a secret is only sent by https')
    // Servers differ in how they read a method in lower case.
    if (method !== method.toUpperCase() || hasMethodOverride(template)) throw methodError(url)
  }

  /** Asks the option `allow` whether a reference may be used in a request. */
  async function checkAllowed(
    { name, text: reference }: UsedPlace,
    { url, method }: RequestTemplate,
  ): Promise<void> {
    const isAllowed = await callRule('allow', async () =>
      settings.allow?.({ reference, place: name, method, url: new URL(url) }),
    )
    if (settings.allow !== undefined && isAllowed !== true)
      throw new SecretUseError('the use of the secret is not allowed', { reason: 'NOT_ALLOWED' })
  }

  /**
   * Reads the secret of a place for a request.
   * @param toUsable - Returns what was read, if it may be used for the target.
   */
  function useFor<Usable>(
    place: UsedPlace,
    template: RequestTemplate,
    toUsable: (found: unknown, target: SecretTarget) => Usable,
  ): Promise<Usable> {
    const { url, method } = template
    const target = { origin: url.origin, method, place: place.name }
    return useSecret(secrets, {
      ...{ reference: place.reference, target },
      allow: () => checkAllowed(place, template),
      check: (found) => toUsable(found, target),
    }).catch(nameUses([place], template))
  }

  /** Returns a value that can be sent to the target, and can be masked. */
  function toSentValue(found: unknown, target: SecretTarget): UsableValue {
    const usable = toUsableValue(found, target)
    checkValue(usable.value)
    return usable
  }

  function checkValue(value: string): void {
    if (!isRedactable(value) && !allowShortValues)
      throw new SecretUseError('the value is too short to be masked', { reason: 'TOO_SHORT' })
    if (value.length > maxValueLength)
      throw new SecretUseError(`the value has more than ${maxValueLength} characters`, {
        reason: 'TOO_LONG',
      })
  }

  async function useSecrets(request: Request, init?: RequestInit): Promise<Response> {
    const first = await readTemplate(request, init)
    const used: string[] = []
    const timesLeft: (() => number)[] = []
    /** How the values of the last request can be renewed. */
    let renewals: (() => Promise<void>)[] = []
    const timeLeft = (): number => Math.min(...timesLeft.map((leftOfOne) => leftOfOne()))
    let redactor = redactorOf(used)
    let refused: SecretUseError | undefined
    const toError = (error: unknown): unknown =>
      refused ?? toSafeError(error, request.signal, redactor)

    /** Sends the request with its values, and returns the response as it was received. */
    async function sendOnce(template: RequestTemplate): Promise<Response> {
      checkRequest(template)
      renewals = []
      const values = new Map<Place, string>()
      for (const place of template.places) {
        const usable = await useFor(place, template, toSentValue)
        timesLeft.push(usable.timeLeft)
        if (usable.renew !== undefined) renewals.push(usable.renew)
        values.set(place, usable.value)
        used.push(usable.value)
      }
      const filled = await fill(template, values).catch(nameUses(template.places, template))
      redactor = redactorOf(used)
      const signed = await sign(template, filled)
      const response = await sendFilled(send, signed, template.method, request.signal)
      try {
        timeLeft()
      } catch (error) {
        await response.body?.cancel().catch(ignore)
        throw error
      }
      return response
    }

    async function fill(
      template: RequestTemplate,
      values: ReadonlyMap<Place, string>,
    ): Promise<FilledRequest> {
      const filled = fillPlaces(template, values)
      for (const { pair, user, password, isPasswordFilled } of filled.credentials) {
        if (password !== '' && isPasswordFilled) checkValue(password)
        used.push(pair, password, user)
      }
      const { body, headers } = filled
      if (!(body instanceof ReadableStream)) return filled
      const refuse = (): Error => {
        refused = methodError(template.url)
        return refused
      }
      return { ...filled, body: watchMethod(body, headers, refuse) }
    }

    /** Returns the request signed by its scheme, or unchanged if it needs no signature. */
    async function sign(template: RequestTemplate, filled: FilledRequest): Promise<SentRequest> {
      const { signature, method } = template
      if (signature === undefined) return filled
      const { values, timeLeft } = await useFor(signature, template, toUsableValues)
      timesLeft.push(timeLeft)
      used.push(...Object.values(values))
      redactor = redactorOf(used)
      const signer = signs[signature.scheme] as SignRequest
      return signRequest(filled, method, (unsigned) => signer(unsigned, { ...values }))
    }

    /** Sends the request, and once more with renewed values if the API rejects them. */
    async function sendRenewed(template: RequestTemplate): Promise<Response> {
      const response = await sendOnce(template)
      const isRepeatable =
        retryRejected.includes(template.method) && !(template.body instanceof ReadableStream)
      if (response.status !== 401 || !isRepeatable || renewals.length === 0) return response
      await response.body?.cancel().catch(ignore)
      for (const renew of renewals) await callRule('renew', renew)
      return sendOnce(template)
    }

    /** Follows redirects. Returns undefined if the request forbids them and there is one. */
    async function sendAll(): Promise<Response | undefined> {
      let template = first
      for (let redirects = 0; ; redirects++) {
        const response = await sendRenewed(template)
        const isRedirect = [301, 302, 303, 307, 308].includes(response.status)
        const location = isRedirect ? response.headers.get('location') : null
        const { url } = template
        if (location === null || request.redirect === 'manual')
          return cleanResponse(response, redactor, {
            ...{ responses, url, redirected: redirects > 0, toError, timeLeft },
          })
        await response.body?.cancel().catch(ignore)
        if (request.redirect === 'error') return undefined
        if (redirects === maxRedirects)
          throw redirectError('TOO_MANY_REDIRECTS', 'there are too many redirects', url)
        if (redactor.text(location) !== location || redactor.isInLowerCase(location.toLowerCase()))
          throw redirectError('REDIRECT_VALUE', 'the redirect contains a value', url)
        template = followRedirect(template, response.status, location)
      }
    }

    const response = await sendAll().catch((error: unknown) => {
      throw toError(error)
    })
    if (response === undefined) throw new TypeError('the response is a redirect')
    return response
  }

  return async (input, init) => {
    try {
      return await useSecrets(await readRequest(input, init), init)
    } catch (error) {
      if (settings.refusal === 'response' && isRefusalError(error)) return toRefusal(error)
      throw error
    }
  }
}

function ignore(): void {}

/**
 * Returns a function that throws an error, and names the uses in its message if they are refused.
 */
function nameUses(
  places: readonly UsedPlace[],
  { url }: RequestTemplate,
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SecretUseError)) throw error
    const uses = places.map(({ name, text }) => `${text} in ${name}`).join(', ')
    throw new SecretUseError(`${error.message}: ${uses}, for ${url.origin}`, {
      reason: error.reason,
    })
  }
}

function methodError({ origin }: URL): SecretUseError {
  const problem = 'the request has a method in lower case or names another one'
  return new SecretUseError(`${problem}: ${origin}`, { reason: 'METHOD' })
}
