import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpResponse } from '../../../src/http.js'
import {
  type ClientResponse,
  type RequestOptions,
  request,
} from '../../../src/testing/http/client.js'
import { httpContract, loginDraft } from '../../../src/testing.js'
import { openApiText } from '../../../tools/openapi/documents.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { undescribedRequests, unsupportedByProxy } from '../../support/http/openapi-cases.js'
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

  it('describes the response of every operation', async () => {
    const vault = await createTestVault({ history: { maxVersions: 10 } }, { extensions: true })
    proxy().mount(createNodeListener(vault.handler))
    const mount = { origin: proxy().origin, vault }
    const at = `/v1/vaults/${vault.vaultId}`
    const item = `${at}/items/${vault.item.id}`
    const content = { headers: { 'content-type': 'application/octet-stream' }, body: 'bytes' }
    const patch = [{ op: 'replace', path: '/title', value: 'Patched' }]
    const other = { id: 'z'.repeat(26), body: loginDraft(vault.vaultId, { title: 'Other' }) }
    const calls: readonly [name: string, method: string, path: string, options?: RequestOptions][] =
      [
        ['heartbeat', 'GET', '/heartbeat'],
        ['health', 'GET', '/health'],
        ['metrics', 'GET', '/metrics'],
        ['createVault', 'POST', '/v1/vaults', { body: { name: 'New' } }],
        ['createVaultWithId', 'PUT', `/v1/vaults/${other.id}`, { body: { name: 'New' } }],
        ['listVaults', 'GET', '/v1/vaults?limit=1'],
        ['getVault', 'GET', at],
        ['updateVault', 'PATCH', at, { body: { description: null } }],
        ['createItem', 'POST', `${at}/items`, { body: other.body }],
        ['listItems', 'GET', `${at}/items?limit=1`],
        ['getItems', 'POST', `${at}/get-items`, { body: { itemIds: [vault.item.id] } }],
        ['getItem', 'GET', item],
        ['patchItem', 'PATCH', item, { body: patch, headers: { 'if-match': '*' } }],
        ['replaceItem', 'PUT', item, { body: loginDraft(vault.vaultId) }],
        [
          'regenerateField',
          'POST',
          `${item}/fields/password/regenerate`,
          { body: { recipe: { length: 20 } } },
        ],
        ['setItemState', 'PUT', `${item}/state`, { body: { state: 'ARCHIVED' } }],
        ['setItemState', 'PUT', `${item}/state`, { body: { state: null } }],
        ['attachFile', 'POST', `${item}/files?name=new.txt`, content],
        ['listFiles', 'GET', `${item}/files?inline_files=true`],
        ['getFileDetails', 'GET', `${item}/files/${vault.smallFile.id}?inline_files=true`],
        ['readFileContent', 'GET', vault.smallFile.content_path],
        ['describeItem', 'GET', `${item}/description`],
        ['listVersions', 'GET', `${item}/versions`],
        ['getVersion', 'GET', `${item}/versions/1`],
        ['restoreVersion', 'POST', `${item}/versions/1/restore`],
        ['removeFile', 'DELETE', `${item}/files/${vault.smallFile.id}`],
        ['deleteItem', 'DELETE', item],
        ['deleteVault', 'DELETE', `/v1/vaults/${other.id}`],
        ['listActivity', 'GET', '/v1/activity?limit=2&offset=1'],
      ]
    const seen = new Set<string>()
    for (const [name, method, path, options] of calls) {
      const response = await request(mount, method, path, options)
      expect(violations(response), name).toEqual([])
      expect(response.status, `${name}: ${response.text}`).toBeLessThan(300)
      seen.add(name)
    }
    const names = Object.values<Record<string, { operationId: string }>>(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId }) => operationId)
    expect([...seen].sort()).toEqual(names.sort())
  })

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
