import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { createCredentialHandler, createCredentials } from '../../src/credentials.js'
import {
  createHttpHandler,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
} from '../../src/http.js'
import {
  AuthenticationUnavailableError,
  type Caller,
  ForbiddenError,
  TooManyRequestsError,
} from '../../src/index.js'
import { createPage } from '../../src/page.js'
import { createSecretRelay } from '../../src/use.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { parseMetrics } from '../support/http/prometheus.js'
import { withListener } from '../support/http/serve.js'

/** The handlers of the library: each with a path, and a path that does not have a method. */
const handlers = [
  {
    ...{ name: 'createHttpHandler', path: '/v1/vaults', label: 'listVaults' },
    ...{ method: 'DELETE', allow: 'GET, HEAD', hasLogin: true },
  },
  {
    ...{ name: 'createCredentialHandler', path: '/credentials', label: 'listCredentials' },
    ...{ method: 'POST', allow: 'GET, HEAD', hasLogin: true },
  },
  {
    ...{ name: 'createSecretRelay', path: '/relay/https/api.example.com/a', label: 'relay' },
    ...{ method: 'TRACE', allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS', hasLogin: true },
  },
  {
    ...{ name: 'createPage', path: '/ui', label: 'page' },
    ...{ method: 'PUT', allow: 'GET, HEAD', hasLogin: false },
  },
] as const

type Login = () => Caller | undefined

/** Returns the handlers of one service by name, and a function that sends a request to each. */
async function setUp(login?: Login) {
  const { service, caller, vaultId } = await createTestVault()
  const onError = vi.fn<(error: unknown, request: HttpRequest, requestId: string) => void>()
  const options = { authenticate: login ?? (() => caller), onError }
  const api = createHttpHandler(service, options)
  const credentials = createCredentials(service, { stripe: { fields: { key: {} } } })
  const byName: Readonly<Record<string, HttpHandler>> = {
    createHttpHandler: api,
    createCredentialHandler: createCredentialHandler(credentials, {
      ...options,
      vaultOf: () => vaultId,
    }),
    createSecretRelay: createSecretRelay((_, fetch) => fetch, {
      ...options,
      service,
      fetch: async () => new Response('{}', { headers: { 'content-type': 'application/json' } }),
    }),
    createPage: createPage(api),
  }
  const send = async (
    name: string,
    method: string,
    url: string,
    given: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> => {
    const handler = byName[name] ?? expect.fail('there is no such handler')
    const headers = () => Object.entries(given)
    const request: HttpRequest = {
      ...{ method, url, headers, body: null },
      header: (wanted) => given[wanted.toLowerCase()],
    }
    return handler(request)
  }
  /** Returns how often each label and status was counted, and how many requests are open. */
  const readCounts = async () => {
    const { body } = await send('createHttpHandler', 'GET', '/metrics')
    const families = parseMetrics(String(body))
    const samples = families['cofferkit_requests_total']?.samples ?? []
    const inFlight = families['cofferkit_requests_in_flight']?.samples[0]?.value
    const counts = samples.map(({ labels, value }) => [Object.values(labels).join(' '), value])
    return { counts: Object.fromEntries(counts), inFlight }
  }
  return { byName, send, readCounts, onError }
}

const message = (response: HttpResponse): unknown => JSON.parse(String(response.body)).message

describe.each(handlers)(
  'serveRoutes as $name',
  ({ name, path, label, method, allow, hasLogin }) => {
    it('finds a path with a slash too much at its start or its end', async () => {
      const { send } = await setUp()
      expect((await send(name, 'GET', path)).status).toBe(200)
      expect((await send(name, 'GET', `${path}/`)).status).toBe(200)
      const doubled = name === 'createSecretRelay' ? path.replace('/https', '//https') : `/${path}`
      expect((await send(name, 'GET', doubled)).status).toBe(200)
      expect((await send(name, 'GET', `https://app.example.com${path}#a`)).status).toBe(
        name === 'createSecretRelay' ? 400 : 200,
      )
    })

    it('responds with 404 to a path that it does not have', async () => {
      const { send, readCounts } = await setUp()
      for (const url of ['', '/', '/none', `${path.slice(1)}`, '*']) {
        const response = await send(name, 'GET', url)
        expect([response.status, message(response)]).toEqual([404, 'no such resource'])
      }
      const { counts } = await readCounts()
      expect(counts).toMatchObject({ 'none 404': 5 })
    })

    it('responds with 405 and Allow to a method that the path does not have', async () => {
      const { send, readCounts } = await setUp()
      const response = await send(name, method, path)
      expect([response.status, response.headers['allow']]).toEqual([405, allow])
      expect(String(message(response))).toMatch(/method$/)
      const label405 = name === 'createSecretRelay' ? 'relay 405' : 'none 405'
      expect((await readCounts()).counts).toMatchObject({ [label405]: 1 })
    })

    it('responds to HEAD like to GET, without the body', async () => {
      const { send } = await setUp()
      const id = { 'x-request-id': 'r-1' }
      const { body, ...get } = await send(name, 'GET', path, id)
      const head = await send(name, 'HEAD', path, id)
      expect(head.body).toBeNull()
      const { 'content-length': length, ...headers } = head.headers
      expect({ ...head, headers, body }).toEqual({ ...get, body })
      if (typeof body === 'string') expect(length).toBe(String(Buffer.byteLength(body)))
    })

    it('returns the request id of the client, or makes one', async () => {
      const { send } = await setUp()
      const idOf = async (url: string, id?: string) =>
        (await send(name, 'GET', url, id === undefined ? {} : { 'x-request-id': id })).headers[
          'x-request-id'
        ]
      for (const url of [path, '/none']) {
        expect(await idOf(url, 'a.b-1')).toBe('a.b-1')
        expect(await idOf(url)).toMatch(/^[\da-f-]{36}$/)
        expect(await idOf(url, 'a b')).toMatch(/^[\da-f-]{36}$/)
      }
    })

    it('counts a request by its route and status, and nothing else', async () => {
      const { send, readCounts } = await setUp()
      await send(name, 'GET', path)
      await send(name, 'HEAD', path)
      expect(await readCounts()).toEqual({ counts: { [`${label} 200`]: 2 }, inFlight: 1 })
    })

    it.each(
      hasLogin
        ? ([
            ['no caller', undefined, 401, undefined],
            ['a refusal', new ForbiddenError('not you'), 403, undefined],
            ['a limit', new TooManyRequestsError('too often'), 429, '1'],
            ['a login that fails', new AuthenticationUnavailableError('down'), 503, '1'],
          ] as const)
        : [],
    )(
      'responds to %s with its status, and reports it from 500 up',
      async (_, error, status, retry) => {
        const { send, readCounts, onError } = await setUp(() => {
          if (error !== undefined) throw error
          return undefined
        })
        const response = await send(name, 'GET', path, { 'x-request-id': 'r-1' })
        expect([response.status, response.headers['retry-after']]).toEqual([status, retry])
        expect(response.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
        expect(JSON.parse(String(response.body))).toMatchObject({ status })
        const reports = onError.mock.calls.map(([reported, { url }, id]) => [reported, url, id])
        expect(reports).toEqual(status < 500 ? [] : [[error, path, 'r-1']])
        expect((await readCounts()).counts).toEqual({ [`${label} ${status}`]: 1 })
      },
    )

    describe('without its mount', () => {
      const mountless = 'the handler was called without a mount: pass it to'
      const servers: readonly [string, string, (handler: HttpHandler) => never][] = [
        ['createServer', 'createNodeListener of cofferkit/node', (handler) => handler as never],
        [
          'Express',
          'createExpressHandler of cofferkit/express',
          (handler) => express().use(handler as never) as never,
        ],
      ]

      it.each(servers)(
        'responds with 500 and names the mount on %s',
        async (_, mount, toListener) => {
          const { byName, onError } = await setUp()
          const print = vi.spyOn(console, 'error').mockImplementation(() => {})
          const listener = toListener(byName[name] ?? expect.fail('there is no such handler'))
          await withListener(listener, async (origin) => {
            for (const method of ['GET', 'POST']) {
              const headers = { 'x-request-id': 'r-1' }
              const response = await fetch(`${origin}${path}`, { method, headers })
              expect([response.status, response.headers.get('x-request-id')]).toEqual([500, 'r-1'])
              expect(await response.json()).toMatchObject({ message: 'Internal server error' })
            }
          })
          const reports = hasLogin
            ? onError.mock.calls.map(
                ([error, request]) => `${error} ${request.method} ${request.url}`,
              )
            : print.mock.calls.map(([text]) =>
                String(text).replace(/^.*RULE_FAILED: /, 'RuleError: '),
              )
          expect(reports).toHaveLength(2)
          for (const report of reports) expect(report).toContain(`${mountless} ${mount}`)
          print.mockRestore()
        },
      )

      it('rejects with an error that names a mount when anything else calls it', async () => {
        const { byName } = await setUp()
        const handler = byName[name] ?? expect.fail('there is no such handler')
        const request = new Request(`https://app.example.com${path}`)
        const context = { header: () => undefined, req: { raw: request } }
        for (const given of [request, context])
          await expect(handler(given as never)).rejects.toThrow(
            `${mountless} createFetchHandler of cofferkit/fetch, or to the mount of your framework`,
          )
      })
    })
  },
)
