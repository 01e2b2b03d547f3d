import type { FilledInit, SecretFetchOptions } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { createUse, startServer, token } from './support/echo-server.js'

const origin = 'https://api.test'
const bearer = { authorization: 'Bearer {{ op://Team/Acme/token }}' }
const reference = '{{ op://Team/Acme/token }}'

/** Sends a request whose response is this one. */
async function receive(response: Response, options: SecretFetchOptions = {}): Promise<Response> {
  const { secretFetch } = await createUse([origin], { fetch: async () => response, ...options })
  return secretFetch(origin, { headers: bearer })
}

describe('the response of createSecretFetch', () => {
  it('has the URL with references instead of values, and says that it was redirected', async () => {
    const server = await startServer((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: 'b?c=1#d' })
      response.end(request.url)
    })
    const { secretFetch } = await createUse([server], { placesOf: () => ['query:key', 'path'] })
    const plain = await secretFetch(`${server}/?a=1#b`, { headers: bearer })
    expect([plain.url, plain.redirected]).toEqual([`${server}/?a=1`, false])
    const redirected = await secretFetch(`${server}/a`, { headers: bearer })
    expect([redirected.url, redirected.redirected]).toEqual([`${server}/b?c=1`, true])
    const url = `${server}/?key=${encodeURIComponent(reference)}`
    const filled = await secretFetch(url)
    expect(filled.url).toBe(url)
    expect(await filled.text()).toBe('/?key=[secret]')
  })

  it('has them in its clones', async () => {
    const response = await receive(new Response(token))
    const clone = response.clone().clone()
    expect([clone.url, clone.redirected]).toEqual([`${origin}/`, false])
    expect([await clone.text(), await response.text()]).toEqual(['[secret]', '[secret]'])
  })
})

describe('createSecretFetch with responses none', () => {
  it('returns the status and the names of headers only, and reads no body', async () => {
    let isCancelled = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from(token)),
      cancel() {
        isCancelled = true
      },
    })
    const headers = { 'x-key': token, [`x-${Buffer.from(token).toString('hex')}`]: 'a', etag: '1' }
    const init = { status: 201, statusText: 'sk', headers: { ...headers, 'content-encoding': 'x' } }
    const response = await receive(new Response(body, init), { responses: 'none' })
    expect([response.status, response.statusText, response.body]).toEqual([201, '', null])
    expect([...response.headers]).toEqual([
      ['etag', ''],
      ['x-key', ''],
    ])
    expect(response.url).toBe(`${origin}/`)
    await expect.poll(() => isCancelled).toBe(true)
  })
})

describe('createSecretFetch with a signal of another library', () => {
  it('follows it', async () => {
    const reason = new Error('stopped')
    let abort = (): void => {}
    const signal = {
      aborted: false,
      reason,
      addEventListener: (_: string, listener: () => void) => {
        abort = listener
      },
    }
    const fetch = async (_url: string, filled: FilledInit): Promise<Response> => {
      abort()
      filled.signal.throwIfAborted()
      return expect.unreachable('it was not aborted')
    }
    const { secretFetch } = await createUse([origin], { fetch })
    const call = secretFetch(origin, { headers: bearer, signal: signal as never })
    await expect(call).rejects.toBe(reason)
    const own = await createUse([origin], { fetch: async () => new Response('ok') })
    const response = await own.secretFetch(origin, { headers: bearer, signal: null })
    expect(await response.text()).toBe('ok')
  })
})

describe('createSecretFetch with a Request of another realm', () => {
  /** Has the members of a `Request` of another library. */
  function foreignRequest(init: RequestInit & { signal?: AbortSignal }, changes = {}): Request {
    const request = new Request(`${origin}/a`, { ...init })
    return {
      ...{ url: request.url, method: request.method, headers: request.headers, body: request.body },
      ...{ redirect: request.redirect, signal: request.signal },
      ...{ arrayBuffer: () => request.arrayBuffer(), ...changes },
    } as Request
  }

  const send = async (request: Request, init?: RequestInit) => {
    let sent: [string, FilledInit, string] | undefined
    const fetch = async (url: string, filled: FilledInit) => {
      filled.signal.throwIfAborted()
      sent = [url, filled, await new Response(filled.body ?? null).text()]
      return new Response()
    }
    const { secretFetch } = await createUse([origin], { fetch })
    await secretFetch(request, init)
    return sent
  }

  it.each<[string, object]>([
    ['a stream', {}],
    ['a stream of another kind', { body: {} }],
  ])('reads its members, with a body that is %s', async (_, changes) => {
    const request = foreignRequest({ method: 'PUT', headers: bearer, body: 'text' }, changes)
    const [url, sent, body] = (await send(request)) ?? []
    expect([url, sent?.method, body]).toEqual([`${origin}/a`, 'PUT', 'text'])
    expect(sent?.headers).toMatchObject({ authorization: `Bearer ${token}` })
  })

  it('prefers the second argument, and needs only three members', async () => {
    const { url, method } = foreignRequest({})
    const request = { url, method, headers: new Map([['authorization', 'none']]) }
    const sent = await send(request as never, { method: 'PATCH', headers: bearer })
    expect(sent?.[1]).toMatchObject({
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}` },
    })
  })

  it('follows its signal', async () => {
    const reason = new Error('stopped')
    const signals: [signal: object, abort: () => void][] = [
      [AbortSignal.abort(reason), () => {}],
      [{ aborted: true, reason, addEventListener: () => {} }, () => {}],
    ]
    const listeners: (() => void)[] = []
    const later = {
      aborted: false,
      reason,
      addEventListener: (_: string, listener: () => void) => void listeners.push(listener),
    }
    const abortLater = (): void => {
      for (const listener of listeners) listener()
    }
    signals.push([later, abortLater])
    for (const [signal, abort] of signals) {
      const fetch = async (_url: string, filled: FilledInit): Promise<Response> => {
        abort()
        filled.signal.throwIfAborted()
        return expect.unreachable('it was not aborted')
      }
      const { secretFetch } = await createUse([origin], { fetch })
      const call = secretFetch(foreignRequest({ headers: bearer }, { signal }))
      await expect(call).rejects.toBe(reason)
    }
  })

  it('refuses a user name in its URL, and rejects with TypeError for an invalid one', async () => {
    const named = foreignRequest({ headers: bearer }, { url: 'https://a:b@api.test' })
    await expect(send(named)).rejects.toMatchObject({ reason: 'USER_INFO' })
    const invalid = foreignRequest({ headers: bearer }, { url: 'http://[' })
    await expect(send(invalid)).rejects.toEqual(new TypeError('the URL of the request is invalid'))
  })

  it('is called with a URL and an object that every fetch takes', async () => {
    const server = await startServer((request, response) => {
      response.end(`${request.method} ${request.headers.authorization}`)
    })
    const { secretFetch } = await createUse([server], { fetch: globalThis.fetch })
    const response = await secretFetch(server, { method: 'POST', headers: bearer, body: 'a' })
    expect(await response.text()).toBe('POST Bearer [secret]')
    const [url, init] = (await send(foreignRequest({ headers: bearer }))) ?? []
    expect([url, Object.getPrototypeOf(init?.headers)]).toEqual([`${origin}/a`, Object.prototype])
    expect(Object.keys(init ?? {}).sort()).toEqual(['headers', 'method', 'redirect', 'signal'])
  })
})
