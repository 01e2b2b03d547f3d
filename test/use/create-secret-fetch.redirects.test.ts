import {
  createSecretFetch,
  type SecretFetchOptions,
  type SecretSource,
  vaultSecrets,
} from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { createUse, startServer, token } from './support/echo-server.js'

const headers = { authorization: 'Bearer {{ op://Team/Acme/token }}' }
const options = { allowLoopbackHttp: true, refusal: 'throw' } as const
const refusedWith = (problem: string) =>
  expect.objectContaining({
    code: 'SECRET_USE_REFUSED',
    message: expect.stringContaining(problem),
  })

/** Starts an API whose path `/to?URL` is a redirect with the status in `x-status`. */
async function startApi(): Promise<{ origin: string; received: string[] }> {
  const received: string[] = []
  const origin = await startServer((request, response) => {
    const { method, url = '', headers: sent } = request
    received.push(`${method} ${url.split('?')[0]} ${sent.authorization}`)
    if (!url.startsWith('/to?')) return void response.end(`at ${url} ${token}`)
    const location = decodeURIComponent(url.slice('/to?'.length))
    response.writeHead(Number(sent['x-status'] ?? 302), { location }).end()
  })
  return { origin, received }
}

const to = (origin: string, url: string): string => `${origin}/to?${encodeURIComponent(url)}`

/** Follows a redirect to an origin that is not the item's, and returns what it has received. */
async function redirectToStranger(
  change: (secrets: SecretSource) => SecretSource,
  more: SecretFetchOptions = {},
): Promise<readonly string[]> {
  const [api, stranger] = [await startApi(), await startApi()]
  const { service, caller } = await createUse([api.origin])
  const secrets = change(vaultSecrets(service, caller))
  const secretFetch = createSecretFetch(secrets, { ...options, ...more })
  const call = secretFetch(to(api.origin, stranger.origin), { headers })
  await call.catch((error: unknown) => expect(String(error)).not.toContain('sk_live'))
  return stranger.received
}

describe('createSecretFetch after a redirect', () => {
  it('follows it to an origin of the item', async () => {
    const [api, other] = [await startApi(), await startApi()]
    const { secretFetch } = await createUse([api.origin, other.origin])
    const response = await secretFetch(to(api.origin, `${other.origin}/a`), { headers })
    expect(await response.text()).toBe('at /a [secret]')
    expect(other.received).toEqual([`GET /a Bearer ${token}`])
  })

  it('sends nothing to another origin', async () => {
    expect(await redirectToStranger((secrets) => secrets)).toEqual([])
    const [api, stranger] = [await startApi(), await startApi()]
    const { secretFetch } = await createUse([api.origin])
    await expect(secretFetch(to(api.origin, stranger.origin), { headers })).rejects.toEqual(
      refusedWith('the item has no URL of this origin'),
    )
  })

  it.each<[string, (secrets: SecretSource) => SecretSource, SecretFetchOptions]>([
    [
      'does not check the origin again',
      (secrets) => (reference, target, next) =>
        secrets(reference, target, (read) =>
          next(async () => ({ ...(await read()), origins: [target.origin] })),
        ),
      {},
    ],
    [
      'lets the platform follow it',
      (secrets) => secrets,
      { fetch: (url, init) => fetch(url, { ...init, redirect: 'follow' }) },
    ],
  ])('is caught when a broken variant %s', async (_, change, more) => {
    expect(await redirectToStranger(change, more)).not.toEqual([])
  })

  it('is not returned when the inner fetch has followed it', async () => {
    const cancel = () => Promise.reject(new Error(token))
    const response = new Response(new ReadableStream({ cancel }))
    Object.defineProperty(response, 'redirected', { value: true })
    const fetch = async () => response
    const { secretFetch } = await createUse(['https://api.test'], { fetch })
    await expect(secretFetch('https://api.test', { headers })).rejects.toEqual(
      new TypeError('the request failed'),
    )
  })

  it('asks allow again, with the URL and the method of the redirect', async () => {
    const { origin } = await startApi()
    const uses: string[] = []
    const { secretFetch } = await createUse([origin], {
      allow: ({ method, url }) => uses.push(`${method} ${url.pathname}`) < 2,
    })
    const init = { method: 'POST', headers: { ...headers, 'x-status': '303' } }
    await expect(secretFetch(to(origin, '/b'), init)).rejects.toEqual(
      refusedWith('the use of the secret is not allowed'),
    )
    expect(uses).toEqual(['POST /to', 'GET /b'])
  })

  it.each([
    ['301', 'POST', 'GET'],
    ['302', 'POST', 'GET'],
    ['303', 'DELETE', 'GET'],
    ['303', 'HEAD', 'HEAD'],
    ['307', 'POST', 'POST'],
    ['308', 'DELETE', 'DELETE'],
  ])('of status %s makes %s %s', async (status, method, next) => {
    const { origin, received } = await startApi()
    const { secretFetch } = await createUse([origin])
    await secretFetch(to(origin, '/b'), { method, headers: { ...headers, 'x-status': status } })
    expect(received[1]).toBe(`${next} /b Bearer ${token}`)
  })

  it('returns it for manual, masked, and rejects for error', async () => {
    const { origin, received } = await startApi()
    const { secretFetch } = await createUse([origin])
    const manual = await secretFetch(to(origin, `/?${token}`), { headers, redirect: 'manual' })
    expect(manual.status).toBe(302)
    expect(manual.headers.get('location')).toBe('/?[secret]')
    const error = secretFetch(to(origin, '/'), { headers, redirect: 'error' })
    await expect(error).rejects.toEqual(new TypeError('the response is a redirect'))
    expect(received).toHaveLength(2)
  })

  it('follows five at most', async () => {
    const { origin, received } = await startApi()
    const { secretFetch } = await createUse([origin])
    const chain = (hops: number): string =>
      hops === 0 ? '/end' : `/to?${encodeURIComponent(chain(hops - 1))}`
    expect((await secretFetch(origin + chain(5), { headers })).status).toBe(200)
    received.length = 0
    await expect(secretFetch(origin + chain(6), { headers })).rejects.toEqual(
      refusedWith('there are too many redirects'),
    )
    expect(received).toHaveLength(6)
  })

  it.each([
    ['http://user:password@127.0.0.1', 'the URL must not contain a user name or a password'],
    ['http://example.com', 'a secret is only sent by https'],
    ['javascript:alert(1)', 'a secret is only sent by https'],
    ['http://[', 'the redirect has an invalid URL'],
    [`/?${token}`, 'the redirect contains a value'],
    [`/?${encodeURIComponent(token)}`, 'the redirect contains a value'],
  ])('is refused to %s', async (location, message) => {
    const { origin, received } = await startApi()
    const { secretFetch } = await createUse([origin])
    const call = secretFetch(to(origin, location), { headers })
    await expect(call).rejects.toEqual(refusedWith(message))
    expect(received).toHaveLength(1)
  })

  it('does not repeat a body or a filled URL', async () => {
    const { origin, received } = await startApi()
    const { secretFetch } = await createUse([origin], { placesOf: () => ['query:key'] })
    const refused = refusedWith(
      'a redirect of a request with a body or a filled URL is not followed',
    )
    const withBody = { method: 'POST', body: 'a', headers: { ...headers, 'x-status': '307' } }
    await expect(secretFetch(to(origin, '/b'), withBody)).rejects.toEqual(refused)
    const filled = await startServer((_, response) => {
      response.writeHead(302, { location: '/b' }).end()
    })
    const { secretFetch: other } = await createUse([filled], { placesOf: () => ['query:key'] })
    await expect(other(`${filled}/?key={{op://Team/Acme/token}}`)).rejects.toEqual(refused)
    expect(received).toHaveLength(1)
  })
})
