import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpResponse } from '../../../src/http.js'
import {
  type ClientResponse,
  type RequestOptions,
  request,
} from '../../../src/testing/http/client.js'
import { httpContract, loginDraft } from '../../../src/testing.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { notDescribed, notPassedOn } from '../../support/http/openapi-cases.js'
import { closed, type OpenApiProxy, proxying } from '../../support/http/openapi-proxy.js'

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
const known = httpContract.filter(({ name }) => !(name in notPassedOn))

/** A proxy for all tests of a block. */
function proxyForAll(errors: boolean): () => OpenApiProxy {
  let proxy: OpenApiProxy | undefined
  let end = (): void => {}
  let ended: Promise<void> | undefined
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      ended = proxying(closed(document), { errors }, (started) => {
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

describe('docs/openapi.json, between a client and the service', () => {
  const proxy = proxyForAll(true)

  it('leaves out no case but those of the contract', () => {
    const names = httpContract.map(({ name }) => name)
    expect(
      [...Object.keys(notPassedOn), ...Object.keys(notDescribed)].filter(
        (name) => !names.includes(name),
      ),
    ).toEqual([])
  })

  it.each(known.filter(({ name }) => !(name in notDescribed)))(
    'says of every request and answer what it is: $name',
    async ({ run }) => expect(await violationsIn(run, proxy())).toEqual([]),
    20_000,
  )

  it('says of the answer of every operation what it is', async () => {
    const vault = await createTestVault({ history: { maxVersions: 10 } }, { extensions: true })
    proxy().mount(createNodeListener(vault.handler))
    const mount = { origin: proxy().origin, vault }
    const at = `/v1/vaults/${vault.vaultId}`
    const item = `${at}/items/${vault.item.id}`
    const content = { headers: { 'content-type': 'application/octet-stream' }, body: 'bytes' }
    const patch = [{ op: 'replace', path: '/title', value: 'Patched' }]
    const other = { id: '0'.repeat(26), body: loginDraft(vault.vaultId, { title: 'Other' }) }
    const calls: readonly [name: string, method: string, path: string, asking?: RequestOptions][] =
      [
        ['heartbeat', 'GET', '/heartbeat'],
        ['health', 'GET', '/health'],
        ['metrics', 'GET', '/metrics'],
        ['createVault', 'POST', '/v1/vaults', { body: { name: 'New', vaultId: other.id } }],
        ['listVaults', 'GET', '/v1/vaults?limit=1'],
        ['getVault', 'GET', at],
        ['updateVault', 'PATCH', at, { body: { description: null } }],
        ['createItem', 'POST', `${at}/items`, { body: other.body }],
        ['listItems', 'GET', `${at}/items?limit=1`],
        ['getItems', 'POST', `${at}/get-items`, { body: { itemIds: [vault.item.id] } }],
        ['getItem', 'GET', item],
        ['patchItem', 'PATCH', item, { body: patch, headers: { 'if-match': '*' } }],
        ['replaceItem', 'PUT', item, { body: loginDraft(vault.vaultId) }],
        ['setItemState', 'PUT', `${item}/state`, { body: { state: 'ARCHIVED' } }],
        ['setItemState', 'PUT', `${item}/state`, { body: { state: null } }],
        ['attachFile', 'POST', `${item}/files?name=new.txt`, content],
        ['listFiles', 'GET', `${item}/files?inline_files=true`],
        ['getFileDetails', 'GET', `${item}/files/${vault.smallFile.id}?inline_files=true`],
        ['readFileContent', 'GET', vault.smallFile.content_path],
        ['listVersions', 'GET', `${item}/versions`],
        ['getVersion', 'GET', `${item}/versions/1`],
        ['restoreVersion', 'POST', `${item}/versions/1/restore`],
        ['removeFile', 'DELETE', `${item}/files/${vault.smallFile.id}`],
        ['deleteItem', 'DELETE', item],
        ['deleteVault', 'DELETE', `/v1/vaults/${other.id}`],
        ['listActivity', 'GET', '/v1/activity?limit=2&offset=1'],
      ]
    const seen = new Set<string>()
    for (const [name, method, path, asking] of calls) {
      const answer = await request(mount, method, path, asking)
      expect(violations(answer), name).toEqual([])
      expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(300)
      seen.add(name)
    }
    const names = Object.values<Record<string, { operationId: string }>>(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId }) => operationId)
    expect([...seen].sort()).toEqual(names.sort())
  })

  it.each<[string, (response: HttpResponse) => HttpResponse]>([
    ['an attribute of another type', replacing(/"version":(\d+)/, '"version":"$1"')],
    ['an attribute that is missing', replacing('"favorite":false,', '')],
    ['an attribute that is not described', replacing('{', '{"extra":1,')],
    ['a status that is not described', (response) => ({ ...response, status: 418 })],
    ['another type of content', withHeader('content-type', 'text/html')],
    ['no ETag', ({ headers: { etag: _, ...headers }, ...rest }) => ({ ...rest, headers })],
    ['an ETag that is none', withHeader('etag', 'one')],
  ])('sees a service that answers with %s', async (_what, change) => {
    const vault = await createTestVault()
    const broken = createNodeListener(async (request) => change(await vault.handler(request)))
    const path = `/v1/vaults/${vault.vaultId}/items/${vault.item.id}`
    const answerOf = (listener: ReturnType<typeof createNodeListener>): Promise<ClientResponse> => {
      proxy().mount(listener)
      return request({ origin: proxy().origin, vault }, 'GET', path)
    }
    expect(violations(await answerOf(createNodeListener(vault.handler)))).toEqual([])
    expect(violations(await answerOf(broken))).not.toEqual([])
  })
})

describe('docs/openapi.json, between a service and a client that asks what is not described', () => {
  const proxy = proxyForAll(false)

  it.each(known.filter(({ name }) => name in notDescribed))(
    'says of every answer what it is: $name',
    async ({ run }) => expect(await violationsIn(run, proxy())).toEqual([]),
    20_000,
  )
})

/** What the proxy found wrong while a case ran. */
async function violationsIn(
  run: (typeof httpContract)[number]['run'],
  { origin, mount }: OpenApiProxy,
): Promise<readonly unknown[]> {
  const asked = vi.spyOn(globalThis, 'fetch')
  const vault = await createTestVault()
  mount(createNodeListener(vault.handler))
  await run({ origin, vault })
  const answers = await Promise.all(
    asked.mock.results.map(({ value }) => value as Promise<Response>),
  )
  asked.mockRestore()
  if (answers.length === 0) throw new Error('nothing was asked through the proxy')
  return answers.flatMap(violations)
}

/** What the proxy found wrong with an answer; with the request too where it was answered with success. */
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
