import {
  ForbiddenError,
  InvalidInputError,
  type SecretUseReason,
  StorageUnavailableError,
  UnauthorizedError,
  type VaultError,
} from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { createSecretFetch, isRefusal, type SecretFetchOptions } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { notFoundError, reconnectRequiredError } from '../../src/base/fixed-errors.js'
import { SecretUseError } from '../../src/errors.js'
import { createUse } from './support/echo-server.js'
import { sourceOf } from './support/source-of.js'

const origin = 'https://api.test'
const value = 'sk_live_correct_horse'
const bearer = { authorization: 'Bearer {{ op://Team/Acme/token }}' }
const use = 'op://Team/Acme/token in header:authorization, for https://api.test'
const multipart = { 'content-type': 'multipart/form-data; boundary=x' }
const part = (text: string): string =>
  `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}\r\n--x--`

/** Returns a secret fetch over a source that fails with this error, or finds this value. */
function fetchWith(found: VaultError | string, options: SecretFetchOptions = {}) {
  const read = async () => {
    if (typeof found === 'string') return { value: found, origins: [origin] }
    throw found
  }
  const fetch = async (): Promise<Response> => expect.unreachable('the request was sent')
  return createSecretFetch(sourceOf(read), { fetch, ...options })
}

describe('createSecretFetch when it refuses a request', () => {
  it.each<[VaultError]>([
    [new SecretUseError('not this one')],
    [InvalidInputError.at('item', 'is ambiguous')],
    [new UnauthorizedError('the caller has expired')],
    [notFoundError('item', '7')],
    [new ForbiddenError('not here')],
    [reconnectRequiredError('7', 'expired')],
  ])('returns a response with the status 403, which clients do not repeat: %o', async (error) => {
    const response = await fetchWith(error)(origin, { headers: bearer })
    expect(response.status).toBe(403)
    expect(isRefusal(response)).toBe(true)
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'x-cofferkit-error': error.code,
      'x-should-retry': 'false',
      'stripe-should-retry': 'false',
    })
    const { message, ...rest } = await response.json()
    expect(rest).toEqual({ status: 403, error: { code: error.code, message } })
    expect(message).toContain(error.message)
    const rejecting = fetchWith(error, { refusal: 'throw' })(origin, { headers: bearer })
    await expect(rejecting).rejects.toBeInstanceOf(error.constructor)
    await expect(rejecting).rejects.toMatchObject({ code: error.code, status: error.status })
  })

  it.each<[string, unknown, RequestInit?]>([
    ['a store', new StorageUnavailableError('the store is closed')],
    ['the request', new TypeError('the URL of the request is invalid')],
  ])('rejects with any other error: of %s', async (_, error) => {
    const isOurs = error instanceof TypeError
    const secretFetch = fetchWith(isOurs ? value : (error as VaultError))
    const call = secretFetch(isOurs ? 'http://[' : origin, { headers: bearer })
    await expect(call).rejects.toEqual(error)
  })

  it('rejects when the request fails or is aborted', async () => {
    const fetch = () => Promise.reject(new Error('offline'))
    const call = fetchWith(value, { fetch })(origin, { headers: bearer })
    await expect(call).rejects.toEqual(new TypeError('the request failed'))
    const signal = AbortSignal.abort(new Error('stopped'))
    const aborted = fetchWith(value, { fetch })(origin, { headers: bearer, signal })
    await expect(aborted).rejects.toEqual(new Error('stopped'))
  })

  it('refuses in a response what is invalid in the URL, before anything else', async () => {
    const response = await fetchWith(value)('https://wendy:1234@api.test', { headers: bearer })
    expect(await response.text()).not.toMatch(/wendy|1234/)
    expect(response.status).toBe(403)
  })

  it('has a reason for each cause, and names origin, place and reference', async () => {
    const redirect = (location: string, status = 302) => ({
      fetch: async () => new Response(null, { status, headers: { location } }),
    })
    const refuse = () => Promise.reject(new SecretUseError('not this one'))
    const causes: Readonly<
      Record<SecretUseReason, [problem: string, RequestInit?, SecretFetchOptions?, string?]>
    > = {
      REFUSED: [`not this one: ${use}`, {}, { allow: refuse }],
      NO_REFERENCE: [
        `the request has no reference in a header or another enabled place: ${origin}`,
        { headers: {} },
      ],
      USER_INFO: [
        'the URL must not contain a user name or a password',
        {},
        {},
        'https://wendy:1234@api.test',
      ],
      NOT_HTTPS: ['a secret is only sent by https: http://api.test', {}, {}, 'http://api.test'],
      METHOD: [
        `the request has a method in lower case or names another one: ${origin}`,
        { method: 'patch' },
      ],
      HEADER: [
        `the request has the header range, which is not allowed with a secret: ${origin}`,
        { headers: { ...bearer, range: 'bytes=0-1' } },
      ],
      SAME_NAME: [
        `the body has two members of the same name: ${origin}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"a":"{{ op://Team/Acme/token }}","a":1}',
        },
        { placesOf: () => ['body:a'] },
      ],
      ORIGIN: [
        `the item has no URL of this origin: ${use.replace('api', 'evil')}`,
        {},
        {},
        'https://evil.test',
      ],
      NOT_ALLOWED: [`the use of the secret is not allowed: ${use}`, {}, { allow: () => false }],
      CALLER: [
        `the caller may not use the item: ${use}`,
        {},
        {
          allow: () =>
            Promise.reject(
              new SecretUseError('the caller may not use the item', { reason: 'CALLER' }),
            ),
        },
      ],
      ATTRIBUTE: [
        'the attribute of the reference cannot be used: op://Team/Acme/token?attribute=otp in header:a, for https://api.test',
        { headers: { a: '{{ op://Team/Acme/token?attribute=otp }}' } },
      ],
      NO_TOKENS: [
        'a reference to an access_token needs the option tokens of vaultSecrets: op://Team/Acme/token?attribute=access_token in header:a, for https://api.test',
        { headers: { a: '{{ op://Team/Acme/token?attribute=access_token }}' } },
      ],
      REFRESH_TOKEN: [
        'a refresh token can only be used by its token keeper: op://Team/Acme/refresh_token in header:a, for https://api.test',
        { headers: { a: '{{ op://Team/Acme/refresh_token }}' } },
      ],
      TOO_SHORT: [
        'the value is too short to be masked: op://Team/Acme/short in header:a, for https://api.test',
        { headers: { a: '{{ op://Team/Acme/short }}' } },
      ],
      TOO_LONG: [
        'the value has more than 8192 characters: op://Team/Acme/long in header:a, for https://api.test',
        { headers: { a: '{{ op://Team/Acme/long }}' } },
      ],
      CHARACTERS: [
        'the value has characters that a header cannot have: op://Team/Acme/lines in header:a, for https://api.test',
        { headers: { a: '{{ op://Team/Acme/lines }}' } },
      ],
      TOO_MANY_REDIRECTS: [`there are too many redirects: ${origin}`, {}, redirect('/')],
      REDIRECT_URL: [`the redirect has an invalid URL: ${origin}`, {}, redirect('http://[')],
      REDIRECT_VALUE: [
        `the redirect contains a value: ${origin}`,
        {},
        redirect(`https://SK_live_correct_horse.evil.test`.toLowerCase()),
      ],
      REDIRECT_BODY: [
        `a redirect of a request with a body or a filled URL is not followed: ${origin}`,
        { method: 'POST', body: part('a'), headers: { ...bearer, ...multipart } },
        redirect('/', 307),
      ],
      ENCODING: [
        `the response has an encoding or a status that is unknown: ${origin}`,
        {},
        { fetch: async () => new Response('a', { headers: { 'content-encoding': 'zstd' } }) },
      ],
    }
    for (const [reason, [message, init, options, url = origin]] of Object.entries(causes)) {
      const { secretFetch, service, caller, vaultId, itemId } = await createUse([origin], options)
      const patch = [
        {
          op: 'add',
          path: '/fields/-',
          value: { id: 'refresh_token', value: 'the-refresh-token' },
        },
        { op: 'replace', path: '/fields/token/value', value: 'Sk_Live_Correct_Horse' },
      ] as const
      await service.patchItem(caller, { vaultId, itemId, patch })
      const call = secretFetch(url, { headers: bearer, ...init })
      await expect(call, reason).rejects.toEqual(
        new SecretUseError(message, { reason: reason as never }),
      )
      await expect(call, reason).rejects.toMatchObject({ reason })
    }
  })
})

describe('createSecretFetch when it judges a credential', () => {
  const kinds = (secretFetch: typeof globalThis.fetch) => ({
    api: {
      fields: { key: {} },
      verify: async () => (await secretFetch(origin, { headers: bearer })).status !== 403,
    },
  })
  const save = async (secretFetch: typeof globalThis.fetch) => {
    const { service, caller, vaultId } = await createUse([origin])
    const credentials = createCredentials(service, kinds(secretFetch)).of(caller, vaultId)
    return (await credentials.save('api', { key: value })).status
  }
  const missing = new ForbiddenError('not here')

  it('makes a refusal no rejection with refusal throw', async () => {
    expect(await save(fetchWith(missing, { refusal: 'throw' }))).toBe('unverified')
  })

  it('leaves it to isRefusal otherwise', async () => {
    await expect(save(fetchWith(missing))).rejects.toMatchObject({ code: 'CREDENTIAL_REJECTED' })
    const secretFetch = fetchWith(missing)
    const checked: typeof fetch = async (...call) => {
      const response = await secretFetch(...(call as [string]))
      if (isRefusal(response)) throw new Error('the use was refused')
      return response
    }
    expect(await save(checked)).toBe('unverified')
  })
})

describe('isRefusal', () => {
  it('is false for an API that sends the header, as it is removed', async () => {
    const headers = { 'x-cofferkit-error': 'RECONNECT_REQUIRED', 'x-should-retry': 'true' }
    for (const responses of ['masked', 'none'] as const) {
      const fetch = async () => new Response(null, { status: 409, headers })
      const response = await fetchWith(value, { fetch, responses })(origin, { headers: bearer })
      expect(response.status).toBe(409)
      expect(isRefusal(response)).toBe(false)
      expect([...response.headers.keys()]).toEqual(['x-should-retry'])
    }
  })

  it('is true for an error that has the headers of a refusal, or the response', async () => {
    const response = await fetchWith(new SecretUseError('not this one'))(origin)
    const plain = Object.fromEntries(response.headers)
    for (const error of [
      { headers: response.headers },
      { headers: plain },
      { responseHeaders: plain },
      { response },
      { response: { headers: plain } },
    ])
      expect(isRefusal(Object.assign(new Error('refused'), error))).toBe(true)
    for (const other of [
      undefined,
      'text',
      new Error('offline'),
      { headers: undefined, response: null },
      { headers: { 'x-should-retry': 'false' } },
      { headers: { has: 'x-cofferkit-error' } },
      new Response(),
    ])
      expect(isRefusal(other)).toBe(false)
  })
})
