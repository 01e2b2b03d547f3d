import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import {
  ConflictError,
  createCaller,
  StorageUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  type VaultError,
} from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { createSecretFetch, createSecretRelay, vaultSecrets } from 'cofferkit/use'
import { describe, expect, it, vi } from 'vitest'
import { notFoundError, reconnectRequiredError } from '../../src/base/fixed-errors.js'
import { token } from './support/echo-server.js'
import { api, relayToken, startRelay, useToken } from './support/relay.js'

const never = (): Promise<never> => new Promise(() => {})
const codeOf = (response: Response): string | null => response.headers.get('x-cofferkit-error')

/** Returns the status, the code of the error and the body of a response, without `error`. */
async function readError(response: Response) {
  const { error, ...body } = await response.json()
  expect(error).toEqual({ code: codeOf(response), message: body.message })
  return [response.status, codeOf(response), body] as const
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

describe('createSecretRelay', () => {
  it('fills in a value, sends the target as it came, and masks the response', async () => {
    const seen: unknown[] = []
    const { request } = await startRelay(async (given, response) => {
      const { method, url, headers } = given
      seen.push(method, url, headers.authorization, headers['x-a'], await readBody(given))
      response.writeHead(201, { 'x-echo': String(headers.authorization), location: '/v1/a' })
      response.end(`{"key":"${headers.authorization}"}`)
    })
    const path = '/v1//a%20b;c/%zz?q=%2F..&r=a+b&r='
    const response = await request(path, {
      method: 'PATCH',
      headers: { 'x-a': '1', 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    expect(seen).toEqual(['PATCH', path, `Bearer ${token}`, '1', '{"a":1}'])
    expect(response.status).toBe(201)
    expect(response.headers.get('x-echo')).toBe('Bearer [secret]')
    expect(response.headers.get('location')).toBe('/v1/a')
    expect(await response.text()).toBe('{"key":"Bearer [secret]"}')
  })

  it.each(['/relay/https/', '/relay/https:/', '/relay/https://', 'http://relay/relay/https/'])(
    'reads the target %s',
    async (prefix) => {
      const { raw } = await startRelay((request, response) => response.end(request.url))
      const response = await raw(`${prefix}api.example.com/a?b=1`)
      expect([response.status, response.text.includes('\r\n/a?b=1\r\n')]).toEqual([200, true])
    },
  )

  it.each([
    [400, '/relay/https/api.example.com/a/../b'],
    [400, '/relay/https/api.example.com/%2e%2E/b'],
    [400, '/relay/https/api.example.com/a%2fb'],
    [400, '/relay/https/api.example.com/a\\b'],
    [400, '/relay/https/api.example.com/a#b'],
    [400, '/relay/https/wendy@api.example.com/'],
    [404, '/relay/../relay/https/api.example.com/'],
    [404, '/relay/https'],
    [404, '/'],
    [403, '/relay/http/api.example.com/'],
    [403, '/relay/https/localhost/'],
    [403, '/relay/https/127.0.0.1:8080/'],
    [403, '/relay/https/2130706433/'],
    [403, '/relay/https/[::ffff:169.254.169.254]/latest/meta-data'],
    [403, '/relay/https/metadata.google.internal/'],
  ])('responds with %i to the target %s, and sends nothing', async (status, target) => {
    const { raw } = await startRelay(() => expect.fail('the request was sent'), {
      origins: ['https://localhost', 'https://127.0.0.1:8080', 'https://[::ffff:a9fe:a9fe]'],
    })
    expect((await raw(target)).status).toBe(status)
  })

  it('sends to a host that is not public only if allowHosts names it', async () => {
    const origins = ['https://billing.internal', 'https://127.0.0.1']
    const { raw } = await startRelay((_, response) => response.end('ok'), {
      allowHosts: ['Billing.Internal', '127.0.0.1'],
      origins,
    })
    expect((await raw('/relay/https/billing.internal/')).status).toBe(200)
    expect((await raw('/relay/https/127.1/')).status).toBe(200)
    expect((await raw('/relay/https/127.0.0.2/')).status).toBe(403)
  })

  it('keeps its own token, cookies and what proxies have added from the API', async () => {
    let names: readonly string[] = []
    const { raw } = await startRelay(({ rawHeaders }, response) => {
      names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
      expect(JSON.stringify(rawHeaders)).not.toContain(relayToken)
      response.end()
    })
    const { status } = await raw('/relay/https/api.example.com/', [
      ...['cookie: session=1', 'forwarded: for=10.0.0.1', 'x-forwarded-for: 10.0.0.1'],
      ...['x_forwarded_host: a', 'connection: x-hop', 'x-hop: 1', 'te: trailers', 'x-kept: 1'],
      ...['keep-alive: 5', 'proxy-authorization: Basic a', 'via: 1.1 a', 'x-real-ip: 10.0.0.1'],
    ])
    expect(status).toBe(200)
    const own = ['authorization', 'x-kept']
    const ofPlatform = /^(?:host|connection|accept|accept-language|accept-encoding|user-agent)$/
    const kept = names.filter((name) => !ofPlatform.test(name) && !name.startsWith('sec-fetch-'))
    expect(kept.toSorted()).toEqual(own)
  })

  it('passes back no cookies and nothing of CORS, and lets no cache keep the response', async () => {
    const { request } = await startRelay((_, response) => {
      response.writeHead(200, {
        'set-cookie': ['a=1', 'b=2'],
        'access-control-allow-origin': '*',
        'access-control-allow-credentials': 'true',
        'strict-transport-security': 'max-age=1',
        'cache-control': 'public, max-age=60',
        'x-request-id': 'of-the-api',
        etag: '"1"',
      })
      response.end()
    })
    const { headers } = await request('/', { headers: { origin: 'https://app.example.com' } })
    const { date: _, connection: __, 'keep-alive': ___, ...all } = Object.fromEntries(headers)
    expect(all).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      etag: '"1"',
      'referrer-policy': 'no-referrer',
      'transfer-encoding': 'chunked',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'of-the-api',
    })
  })

  it('does not answer a preflight, and refuses the page of another site', async () => {
    const { origin, request } = await startRelay(() => expect.fail('the request was sent'))
    const preflight = await fetch(`${origin}/relay/https/api.example.com/`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-cofferkit-authorization',
      },
    })
    expect(preflight.status).toBe(401)
    expect([...preflight.headers.keys()].join()).not.toContain('access-control')
    for (const site of ['cross-site', 'same-site']) {
      const refused = await request('/', { headers: { 'sec-fetch-site': site } })
      expect([refused.status, codeOf(refused)]).toEqual([403, 'FORBIDDEN'])
    }
  })

  it('authenticates with its own header, and not with Authorization', async () => {
    const { origin } = await startRelay(() => expect.fail('the request was sent'))
    for (const headers of [
      {},
      { authorization: `Bearer ${relayToken}` },
      { 'x-cofferkit-authorization': 'Bearer another' },
    ]) {
      const response = await fetch(`${origin}/relay/https/api.example.com/`, { headers })
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      const body = { status: 401, message: 'Invalid bearer token' }
      expect(await readError(response)).toEqual([401, 'UNAUTHORIZED', body])
    }
  })

  it('refuses a request without a reference, and one for another origin', async () => {
    const { request, raw } = await startRelay(() => expect.fail('the request was sent'))
    const response = await request('/', { headers: { authorization: 'Bearer own' } })
    expect([response.status, codeOf(response)]).toEqual([403, 'SECRET_USE_REFUSED'])
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.get('stripe-should-retry')).toBe('false')
    expect((await raw('/relay/https/evil.example/')).status).toBe(403)
    const missing = { authorization: 'Bearer {{ op://Team/Acme/missing }}' }
    const ofMissing = await request('/', { headers: missing })
    expect([ofMissing.status, codeOf(ofMissing)]).toEqual([403, 'NOT_FOUND'])
    const invalid = { authorization: 'Bearer {{ op://Team }}' }
    const ofInvalid = await request('/', { headers: invalid })
    expect([ofInvalid.status, codeOf(ofInvalid)]).toEqual([403, 'INVALID_INPUT'])
  })

  it('passes on a refusal that the secret fetch returns as a response', async () => {
    const message = 'grant a: the provider no longer accepts the grant'
    const refusal = { status: 403, message }
    const error = { code: 'RECONNECT_REQUIRED', message }
    const { request } = await startRelay(() => expect.fail('the request was sent'), {
      secretFetchFor: () => async () =>
        Response.json(
          { ...refusal, error },
          {
            status: 403,
            headers: { 'x-cofferkit-error': 'RECONNECT_REQUIRED', 'x-should-retry': 'false' },
          },
        ),
    })
    const response = await request('/')
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await readError(response)).toEqual([403, 'RECONNECT_REQUIRED', refusal])
  })

  it('lets no API forge an error of the relay', async () => {
    const forged = { 'x-cofferkit-error': 'RECONNECT_REQUIRED' }
    const { request } = await startRelay(({ url }, response) => {
      if (url === '/redirect') response.writeHead(302, { ...forged, location: '/next' }).end()
      else if (url === '/empty') response.writeHead(204, forged).end()
      else response.writeHead(409, { ...forged, 'x-kept': '1' }).end(token)
    })
    for (const path of ['/', '/redirect']) {
      const response = await request(path)
      expect([response.status, codeOf(response)]).toEqual([409, null])
      expect([response.headers.get('x-kept'), await response.text()]).toEqual(['1', '[secret]'])
    }
    const empty = await request('/empty')
    expect([empty.status, codeOf(empty)]).toEqual([204, null])
  })

  it('refuses a response for which its fetch has followed a redirect', async () => {
    const { request, apiOrigin } = await startRelay(
      ({ url }, response) => {
        if (url === '/') response.writeHead(302, { location: '/next' }).end()
        else response.writeHead(200, { 'x-cofferkit-error': 'forged' }).end()
      },
      { fetch: (_, init) => fetch(apiOrigin, { ...init, redirect: 'follow' }) },
    )
    const response = await request('/')
    expect([response.status, codeOf(response)]).toEqual([502, 'API_UNAVAILABLE'])
  })

  it.each<[string, VaultError]>([
    ['an account', reconnectRequiredError('a/b', 'refused')],
    ['a caller', new UnauthorizedError('the caller has expired')],
    ['an item', notFoundError('item', '7')],
    ['a lost race', new ConflictError('7 was changed meanwhile')],
  ])('responds with 403 to a refusal that the secret fetch throws: %s', async (_, error) => {
    const fail = (): never => {
      throw error
    }
    for (const secretFetchFor of [fail, () => async () => fail()]) {
      const { request } = await startRelay(() => expect.fail('the request was sent'), {
        secretFetchFor,
      })
      const response = await request('/')
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(response.headers.has('retry-after')).toBe(false)
      expect(response.headers.has('www-authenticate')).toBe(false)
      const { message } = error.toJSON()
      expect(await readError(response)).toEqual([403, error.code, { status: 403, message }])
    }
  })

  it.each<[number, VaultError]>([
    [429, new TooManyRequestsError('slower, please')],
    [503, new StorageUnavailableError('the store is closed')],
  ])('keeps %i, with Retry-After, for an error that a retry may mend', async (status, error) => {
    const { request } = await startRelay(() => expect.fail('the request was sent'), {
      secretFetchFor: () => async () => Promise.reject(error),
    })
    const response = await request('/')
    expect([response.status, codeOf(response)]).toEqual([status, error.code])
    expect(response.headers.get('retry-after')).toBe('1')
    expect(response.headers.has('x-should-retry')).toBe(false)
  })

  it('masks a stream of events, and passes each on before the next is sent', async () => {
    let sendSecond = (): void => {}
    const { request } = await startRelay((_, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.write('data: 1\n\n')
      sendSecond = () => response.end(`data: ${token}\n\n`)
    })
    const reader = (await request('/')).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    sendSecond()
    let rest = ''
    for (let next = await reader?.read(); next?.value; next = await reader?.read())
      rest += Buffer.from(next.value).toString()
    expect(rest).toBe('data: [secret]\n\n')
  })

  it('follows a redirect within the API, and none to a host that is not public', async () => {
    const sent: unknown[] = []
    let location = '/next'
    const { request } = await startRelay(
      ({ url }, response) => {
        sent.push(url)
        if (url === '/') response.writeHead(302, { location }).end()
        else response.end('followed')
      },
      { origins: [api, 'https://10.0.0.1', 'https://localhost', 'http://api.example.com'] },
    )
    expect(await (await request('/')).text()).toBe('followed')
    for (location of ['https://10.0.0.1/', 'https://localhost/', 'http://api.example.com/a']) {
      const response = await request('/')
      expect([response.status, codeOf(response)]).toEqual([403, 'SECRET_USE_REFUSED'])
      expect(response.headers.has('location')).toBe(false)
    }
    expect(sent).toEqual(['/', '/next', '/', '/', '/'])
  })

  it('limits the calls of a caller, and no others', async () => {
    const open: (() => void)[] = []
    const { service, request, caller } = await startRelay(
      (_, response) => {
        response.write('begun\n')
        open.push(() => response.end())
      },
      {
        maxCalls: 2,
        authenticate: (given) =>
          createCaller({
            id: String(given.header('authorization')).slice('Bearer '.length),
            vaults: '*',
          }),
      },
    )
    expect(service).toBeDefined()
    expect(caller.id).toBe('agent')
    const [first, second] = [await request('/'), await request('/')]
    const refused = await request('/')
    expect([refused.status, codeOf(refused)]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.has('x-should-retry')).toBe(false)
    const other = { 'x-cofferkit-authorization': 'Bearer other' }
    expect((await request('/', { headers: other })).status).toBe(200)
    for (const end of open.splice(0)) end()
    expect([await first.text(), await second.text()]).toEqual(['begun\n', 'begun\n'])
    // The call ends when its last byte was sent, which the client can notice earlier.
    await vi.waitFor(async () => expect((await request('/')).status).toBe(200))
  })

  it('does not count a call whose client has disconnected, and aborts it', async () => {
    const closed: Promise<unknown>[] = []
    const { request } = await startRelay(
      (given, response) => {
        closed.push(once(response, 'close'))
        if (given.url === '/stream') response.write('begun\n')
        if (given.url === '/last') response.end('ok')
      },
      { maxCalls: 1 },
    )
    const silent = new AbortController()
    const pending = request('/silent', { signal: silent.signal })
    await vi.waitFor(() => expect(closed.length).toBe(1))
    silent.abort()
    await expect(pending).rejects.toThrow()
    await closed[0]
    let response: Response | undefined
    await vi.waitFor(async () => {
      response = await request('/stream')
      expect(response.status).toBe(200)
    })
    await response?.body?.cancel()
    await closed[1]
    await vi.waitFor(async () => expect(await (await request('/last')).text()).toBe('ok'))
  })

  it('does not report a call whose client has disconnected', async () => {
    const onError = vi.fn()
    const { handler } = await startRelay(() => {}, { onError })
    const client = new AbortController()
    const headers = new Headers(useToken)
    client.abort()
    const response = await handler({
      method: 'GET',
      url: '/relay/https/api.example.com/',
      header: (name) => headers.get(name) ?? undefined,
      headers: () => headers,
      signal: () => client.signal,
      body: null,
    })
    expect(response.status).toBe(502)
    expect(onError).not.toHaveBeenCalled()
  })

  it('responds with 504 to a call that takes too long', async () => {
    const onError = vi.fn()
    for (const secretFetchFor of [undefined, () => never, never]) {
      const { request } = await startRelay(() => {}, {
        timeoutMs: 50,
        onError,
        ...(secretFetchFor && { secretFetchFor }),
      })
      const body = { status: 504, message: 'the API did not respond in time' }
      expect(await readError(await request('/'))).toEqual([504, 'API_TIMEOUT', body])
    }
    expect(onError).toHaveBeenCalledTimes(3)
  })

  it('releases a response that comes too late', async () => {
    const cancelled = Promise.withResolvers<void>()
    const cancel = (): never => {
      cancelled.resolve()
      throw new Error(token)
    }
    for (const late of [new Response(null), new Response(new ReadableStream({ cancel }))]) {
      const pending = Promise.withResolvers<Response>()
      const { request } = await startRelay(() => {}, {
        timeoutMs: 50,
        secretFetchFor: () => () => pending.promise,
      })
      expect((await request('/')).status).toBe(504)
      pending.resolve(late)
    }
    await cancelled.promise
  })

  it('breaks a response off that takes too long, whether or not its source reacts', async () => {
    const endless = (): Response => new Response(new ReadableStream({ pull: never }))
    for (const secretFetchFor of [undefined, (_: unknown, send: typeof fetch) => send]) {
      const { request } = await startRelay((_, response) => void response.write('begun\n'), {
        timeoutMs: 500,
        ...(secretFetchFor && { secretFetchFor, fetch: async () => endless() }),
      })
      await expect(request('/').then((response) => response.text())).rejects.toThrow()
    }
  })

  it('ends a call whose client does not read, when its time is over', async () => {
    const { origin, request } = await startRelay(
      ({ url }, response) => {
        if (url === '/large') response.write(Buffer.alloc(64 * 1_048_576))
        else response.end('ok')
      },
      { timeoutMs: 2_000, maxCalls: 1 },
    )
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const head = Object.entries(useToken).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `GET /relay/https/api.example.com/large HTTP/1.1\r\nhost: a\r\n${head.join('')}\r\n`,
    )
    await once(socket, 'readable')
    expect((await request('/')).status).toBe(429)
    await vi.waitFor(async () => expect((await request('/')).status).toBe(200), 15_000)
    socket.destroy()
  })

  it('has no limit of time with Infinity', async () => {
    const { request } = await startRelay((_, response) => response.end('ok'), {
      timeoutMs: Number.POSITIVE_INFINITY,
    })
    expect(await (await request('/')).text()).toBe('ok')
  })

  it('limits the body, by its declared length and as it arrives', async () => {
    const { origin, request } = await startRelay(() => expect.fail('the request was sent'), {
      maxBodyBytes: 10,
    })
    const declared = await request('/', { method: 'POST', body: '12345678901' })
    expect([declared.status, codeOf(declared)]).toEqual([413, 'CONTENT_TOO_LARGE'])
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const head = Object.entries(useToken).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST /relay/https/api.example.com/ HTTP/1.1\r\nhost: a\r\n${head.join('')}`)
    socket.write('transfer-encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n')
    const [chunk] = await once(socket, 'data')
    expect(String(chunk)).toContain('HTTP/1.1 413')
    socket.destroy()
  })

  it('responds with 408 to a body that does not arrive', async () => {
    const { origin } = await startRelay(() => expect.fail('the request was sent'), {
      timeoutMs: 50,
    })
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const head = Object.entries(useToken).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST /relay/https/api.example.com/ HTTP/1.1\r\nhost: a\r\n${head.join('')}`)
    socket.write('content-length: 5\r\n\r\n12')
    const [chunk] = await once(socket, 'data')
    expect(String(chunk)).toContain('HTTP/1.1 408')
    socket.destroy()
  })

  it('sends bodies of every kind of mount, and none that a parser has converted', async () => {
    const { handler } = await startRelay(async (request, response) =>
      response.end(`${await readBody(request)} ${request.headers['content-length']}`),
    )
    const headers = new Headers({ ...useToken, 'content-type': 'text/plain' })
    const send = (body: Parameters<typeof handler>[0]['body'], method = 'POST') =>
      handler({
        method,
        url: '/relay/https/api.example.com/',
        header: (name) => headers.get(name) ?? undefined,
        headers: () => headers,
        body,
      })
    const textOf = async ({ body }: Awaited<ReturnType<typeof send>>): Promise<string> => {
      const chunks: Uint8Array[] = []
      for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    }
    const bytes = Buffer.from('abc')
    expect(await textOf(await send(bytes))).toBe('abc 3')
    expect(await textOf(await send({ parsed: { a: 1 }, bytes }))).toBe('abc 3')
    expect(await textOf(await send({ parsed: bytes }))).toBe('abc 3')
    expect(await textOf(await send(null))).toBe(' 0')
    expect((await send({ parsed: { a: 1 } })).status).toBe(415)
    expect((await send({ parsed: new Uint8Array(1_048_577) })).status).toBe(413)
    for (const method of ['GET', 'HEAD']) expect((await send(bytes, method)).status).toBe(400)
  })

  it('sends HEAD, and no method that fetch does not send', async () => {
    const { request, origin } = await startRelay(({ method }, response) => {
      response.writeHead(200, { 'x-method': String(method), 'content-length': 5 }).end()
    })
    const response = await request('/', { method: 'HEAD' })
    expect([response.headers.get('x-method'), await response.text()]).toEqual(['HEAD', ''])
    const failed = await request('/%2f', { method: 'HEAD' })
    expect([failed.status, await failed.text()]).toEqual([400, ''])
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write('TRACE /relay/https/api.example.com/ HTTP/1.1\r\nhost: a\r\n\r\n')
    const [chunk] = await once(socket, 'data')
    expect(String(chunk)).toMatch(/^HTTP\/1.1 405 .*allow: GET, HEAD, POST/s)
    socket.destroy()
  })

  it('names the code of a request that fails, and no value', async () => {
    const errors: unknown[] = []
    for (const [cause, reason] of [
      [{ code: 'ECONNREFUSED' }, ': ECONNREFUSED'],
      [{ code: 'not a code' }, ': UNKNOWN'],
    ] as const) {
      const { request } = await startRelay(() => {}, {
        onError: (error) => errors.push(error),
        fetch: async () => {
          throw new TypeError(token, { cause })
        },
      })
      const body = { status: 502, message: `the request to the API failed${reason}` }
      expect(await readError(await request('/'))).toEqual([502, 'API_UNAVAILABLE', body])
    }
    expect(String(errors)).not.toContain(token)
    const { request } = await startRelay(() => {}, {
      secretFetchFor: () => async () => {
        throw new Error(token)
      },
    })
    const body = { status: 502, message: 'the request to the API failed' }
    expect(await readError(await request('/'))).toEqual([502, 'API_UNAVAILABLE', body])
  })

  it('reports a secretFetchFor that fails, or does not pass its fetch on', async () => {
    const errors: unknown[] = []
    const cancel = vi.fn()
    const stream = (): ReadableStream => new ReadableStream({ cancel })
    for (const secretFetchFor of [
      () => {
        throw new Error(token)
      },
      () => undefined as never,
      () => async () => new Response(stream()),
      () => async () => new Response(null),
    ]) {
      const { request } = await startRelay(() => expect.fail('the request was sent'), {
        secretFetchFor,
        onError: (error) => errors.push(error),
      })
      const response = await request('/')
      expect([response.status, codeOf(response)]).toEqual([500, 'RULE_FAILED'])
    }
    const passOn = 'secretFetchFor must pass its fetch on: createSecretFetch(…, { fetch })'
    expect(errors.map((error) => Object(error).message)).toEqual([
      'secretFetchFor failed',
      'secretFetchFor must return a function',
      passOn,
      passOn,
    ])
    expect(cancel).toHaveBeenCalledTimes(1)
    const { request } = await startRelay(() => {}, {
      secretFetchFor: () => {
        throw new TooManyRequestsError('the caller has used up the day')
      },
    })
    expect((await request('/')).status).toBe(429)
  })

  it('passes the caller and the request to secretFetchFor', async () => {
    const seen: unknown[] = []
    const { request, service } = await startRelay((_, response) => response.end('ok'), {
      secretFetchFor: async (caller, send, given) => {
        seen.push(caller.id, given.url, given.header('x-team'))
        return createSecretFetch(vaultSecrets(service, caller), { fetch: send })
      },
    })
    expect(await (await request('/a', { headers: { 'x-team': 'b' } })).text()).toBe('ok')
    expect(seen).toEqual(['agent', '/relay/https/api.example.com/a', 'b'])
  })

  it.each<[string, (send: typeof fetch) => typeof fetch]>([
    ['a URL', (send) => (input, init) => send(new URL(String(input)), init)],
    ['a text', (send) => (input) => send(String(input))],
    ['a request', (send) => (input, init) => send(new Request(input, init))],
  ])('sends %s', async (_, wrap) => {
    const { request } = await startRelay(
      async (given, response) => response.end(`${given.method} ${await readBody(given)}`),
      { secretFetchFor: (__, send) => wrap(send) },
    )
    const isText = _ === 'a text'
    const text = await (await request('/', { method: 'POST', body: 'abc' })).text()
    expect(text).toBe(isText ? 'GET ' : 'POST abc')
    expect(await (await request('/')).text()).toBe('GET ')
  })

  it('works on a fetch mount, with another base path', async () => {
    const { apiOrigin, service, caller } = await startRelay((_, response) => response.end('ok'))
    const handle = createFetchHandler(
      createSecretRelay(
        (own, send) => createSecretFetch(vaultSecrets(service, own), { fetch: send }),
        {
          basePath: '',
          authenticate: () => caller,
          fetch: (url, init) => fetch(url.replace(api, apiOrigin), init),
        },
      ),
    )
    const request = new Request('https://relay.example/https/api.example.com/', {
      headers: useToken,
    })
    expect(await (await handle(request)).text()).toBe('ok')
  })

  it('throws a TypeError that names createPublicFetch when it is given no fetch', () => {
    const options = { authenticate: (): undefined => undefined }
    const message = 'options.fetch must be a function, such as the result of createPublicFetch'
    // @ts-expect-error The fetch of Node would reach private addresses, so there is no default.
    expect(() => createSecretRelay(() => fetch, options)).toThrow(new TypeError(message))
  })

  it('throws a RangeError for a limit that is out of range', () => {
    const authenticate = (): undefined => undefined
    for (const options of [{ maxCalls: 0 }, { maxBodyBytes: -1 }, { timeoutMs: 0 }])
      expect(() => createSecretRelay(() => fetch, { authenticate, fetch, ...options })).toThrow(
        RangeError,
      )
  })

  it('reports a mount that does not list the headers, and one that fails', async () => {
    const { handler } = await startRelay(() => expect.fail('the request was sent'))
    const headers = new Headers(useToken)
    const request = {
      method: 'GET',
      url: '/relay/https/api.example.com/',
      header: (name: string) => headers.get(name) ?? undefined,
      body: null,
    }
    const unlisted = await handler(request)
    expect([unlisted.status, unlisted.headers['x-cofferkit-error']]).toEqual([500, 'RULE_FAILED'])
    const failed = await handler({
      ...request,
      headers() {
        throw new Error(token)
      },
    })
    expect(failed.status).toBe(500)
    expect(JSON.stringify(failed)).not.toContain(token)
  })
})
