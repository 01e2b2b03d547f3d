import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import { type HttpResponse, probes, routes } from '../../../src/http.js'
import { type ClientResponse, request } from '../../../src/testing/http/client.js'
import { httpContract, type TestVault } from '../../../src/testing.js'
import { openApiText } from '../../../tools/openapi/documents.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { undescribedRequests, unsupportedByProxy } from '../../support/http/openapi-cases.js'
import { type RouteRequest, routeId, toRouteRequest } from '../../support/http/route-requests.js'
import { newVaultId } from '../../support/service/observed-calls.js'
import { exampleInput, toCallRef } from '../../support/service/operation-examples.js'
import { closeSchemas, type OpenApiProxy, withProxy } from '../support/http/openapi-proxy.js'

const document = JSON.parse(openApiText('openapi-extensions.json'))
const cases = httpContract.filter(({ name }) => !(name in unsupportedByProxy))

/** Starts a proxy for all tests of a block. */
function proxyForAll(errors: boolean): () => OpenApiProxy {
  let proxy: OpenApiProxy | undefined
  let end = (): void => {}
  let ended: Promise<void> | undefined
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      ended = withProxy(closeSchemas(document), { errors }, (started) => {
        proxy = started
        resolve()
        return new Promise((done) => {
          end = done
        })
      })
      ended.catch(reject)
    })
  }, 60_000)
  afterAll(async () => {
    end()
    await ended
  })
  return () => {
    if (proxy === undefined) throw new Error('the proxy does not run')
    return proxy
  }
}

describe('openapi-extensions.json with a validating proxy', () => {
  const proxy = proxyForAll(true)

  it('excludes only existing cases of httpContract', () => {
    const names = httpContract.map(({ name }) => name)
    expect(
      [...Object.keys(unsupportedByProxy), ...Object.keys(undescribedRequests)].filter(
        (name) => !names.includes(name),
      ),
    ).toEqual([])
  })

  it.each(cases.filter(({ name }) => !(name in undescribedRequests)))(
    'describes every request and response of the case: $name',
    async ({ run }) => expect(await violationsIn(run, proxy())).toEqual([]),
    20_000,
  )

  it('describes every operation of the routes', () => {
    const described = Object.values<Record<string, { operationId: string }>>(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId }) => operationId)
    const names = [...routes.map(routeId), ...probes.map(({ probe }) => probe)]
    expect(described.sort()).toEqual(names.sort())
  })

  it.each(probes)('describes the response of $probe', async ({ method, path }) => {
    expect(await violationsOf(() => ({ method, target: path, body: undefined }))).toEqual([])
  })

  it.each(routes.map((route) => ({ name: routeId(route), route })))(
    'describes the response of $name',
    async ({ route }) => {
      const found = await violationsOf((vault) =>
        toRouteRequest(route, {
          vaultId: newVaultId,
          ...exampleInput(route.operation, toCallRef(vault)),
        }),
      )
      expect(found).toEqual([])
    },
  )

  /** Returns the violations in a request to a new vault that succeeds, and in its response. */
  async function violationsOf(
    requestOf: (vault: TestVault) => RouteRequest,
  ): Promise<readonly unknown[]> {
    const vault = await createTestVault({ history: { maxVersions: 10 } }, { extensions: true })
    proxy().mount(createNodeListener(vault.handler))
    const { method, target, body } = requestOf(vault)
    const isBytes = body instanceof Uint8Array
    const response = await request({ origin: proxy().origin, vault }, method, target, {
      ...(body !== undefined && { body: isBytes ? new TextDecoder().decode(body) : body }),
      ...(isBytes && { headers: { 'content-type': 'application/octet-stream' } }),
    })
    expect(response.status, response.text).toBeLessThan(300)
    return violations(response)
  }

  it.each<[string, (response: HttpResponse) => HttpResponse]>([
    ['an attribute of another type', replacing(/"version":(\d+)/, '"version":"$1"')],
    ['a missing attribute', replacing('"favorite":false,', '')],
    ['an undescribed attribute', replacing('{', '{"extra":1,')],
    ['an undescribed status', (response) => ({ ...response, status: 418 })],
    ['another content type', withHeader('content-type', 'text/html')],
    ['no ETag', ({ headers: { etag: _, ...headers }, ...rest }) => ({ ...rest, headers })],
    ['an invalid ETag', withHeader('etag', 'one')],
  ])('rejects a response with %s (negative control)', async (_what, change) => {
    const vault = await createTestVault()
    const broken = createNodeListener(async (request) => change(await vault.handler(request)))
    const path = `/v1/vaults/${vault.vaultId}/items/${vault.item.id}`
    const send = (listener: ReturnType<typeof createNodeListener>): Promise<ClientResponse> => {
      proxy().mount(listener)
      return request({ origin: proxy().origin, vault }, 'GET', path)
    }
    expect(violations(await send(createNodeListener(vault.handler)))).toEqual([])
    expect(violations(await send(broken))).not.toEqual([])
  })
})

describe('openapi-extensions.json with a validating proxy and undescribed requests', () => {
  const proxy = proxyForAll(false)

  it.each(cases.filter(({ name }) => name in undescribedRequests))(
    'describes every response of the case: $name',
    async ({ run }) => expect(await violationsIn(run, proxy())).toEqual([]),
    20_000,
  )
})

/** Returns the violations that the proxy finds while a case runs. */
async function violationsIn(
  run: (typeof httpContract)[number]['run'],
  { origin, mount }: OpenApiProxy,
): Promise<readonly unknown[]> {
  const fetched = vi.spyOn(globalThis, 'fetch')
  const vault = await createTestVault()
  mount(createNodeListener(vault.handler))
  await run({ origin, vault })
  const responses = await Promise.all(
    fetched.mock.results.map(({ value }) => value as Promise<Response>),
  )
  fetched.mockRestore()
  if (responses.length === 0) throw new Error('no request was sent through the proxy')
  return responses.flatMap(violations)
}

/** Returns the violations in a response; also those in the request if the status is below 400. */
function violations({
  headers,
  status,
}: Pick<ClientResponse, 'headers' | 'status'>): readonly unknown[] {
  const all: readonly { readonly location: readonly string[] }[] = JSON.parse(
    headers.get('sl-violations') ?? '[]',
  )
  return all.filter(({ location }) => status < 400 || location[0] === 'response')
}

function replacing(what: string | RegExp, by: string): (response: HttpResponse) => HttpResponse {
  return (response) => ({ ...response, body: String(response.body).replace(what, by) })
}

function withHeader(name: string, value: string): (response: HttpResponse) => HttpResponse {
  return (response) => ({ ...response, headers: { ...response.headers, [name]: value } })
}
