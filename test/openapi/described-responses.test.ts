import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createMemoryActivityLog } from '../../src/activity.js'
import type { HttpHandlerOptions, HttpRequest } from '../../src/http.js'
import { TooManyRequestsError } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore, type Fault, type TestVault } from '../../src/testing.js'
import { openApiText } from '../../tools/openapi/documents.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { createRequest } from '../support/http/requests.js'
import { findRoute, toRouteRequest } from '../support/http/route-requests.js'
import { createStrictClient, type DescribedService } from '../support/http/strict-client.js'
import { exampleInput, toCallRef } from '../support/service/operation-examples.js'

const document: DescribedService = JSON.parse(openApiText('openapi-extensions.json'))
const client = createStrictClient(document)

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, responses }]) =>
    Object.keys(responses).map((status) => ({ path, method, operationId, status })),
  ),
)

/** The differences from a request that succeeds, and from the service that it is sent to. */
interface Circumstances {
  readonly http?: Partial<HttpHandlerOptions>
  /** The failure of calls of the store and of the activity log. */
  readonly fault?: Fault
  readonly headers?: Readonly<Record<string, string>>
  /** The id of the vault in the path. */
  readonly vaultId?: string
  /** The file in the path. */
  readonly file?: 'smallFile' | 'largeFile'
  readonly query?: string
  /** The body of operations that read one. */
  readonly body?: () => HttpRequest['body']
}

/** The circumstances for each status. */
const circumstances: Readonly<Record<string, Circumstances>> = {
  200: {},
  204: {},
  400: { vaultId: 'x', query: '?limit=x', body: () => ({ parsed: 5 }) },
  401: { headers: { authorization: '' } },
  403: { headers: { authorization: 'Bearer other-vault-token' } },
  404: { vaultId: '0'.repeat(26) },
  405: { http: { extensions: false } },
  408: { http: { bodyTimeoutMs: 5 }, body: () => new ReadableStream() },
  409: { fault: 'conflict' },
  412: { headers: { 'if-match': '"99"' } },
  413: { headers: { 'content-length': '999999999' } },
  415: { headers: { 'content-type': 'text/html' } },
  429: { http: { authenticate: slowDown } },
  500: { fault: 'fail-before' },
  503: { http: { authenticate: fail } },
}

/** The circumstances of one operation. */
const ownCircumstances: Readonly<Record<string, Circumstances>> = {
  'attachFile 400': { query: '?name=' },
  'attachFile 415': { headers: { 'content-encoding': 'gzip' } },
  'getFileDetails 400': { query: '?inline_files=maybe' },
  'getFileDetails 413': { file: 'largeFile', query: '?inline_files=true' },
  'health 503': { fault: 'fail-before' },
  'listActivity 403': {
    headers: { authorization: 'Bearer other-vault-token' },
    query: `?vault_id=${'x'.repeat(26)}`,
  },
}

describe('openapi-extensions.json responses', () => {
  // Without delays between retries.
  beforeAll(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterAll(() => void vi.restoreAllMocks())

  it.concurrent.each(described)(
    'describes the response $status of $operationId',
    async ({ path, method, operationId, status }) => {
      const key = `${operationId} ${status}`
      const difference = ownCircumstances[key] ?? circumstances[status] ?? {}
      const vault = await vaultWith(difference)
      const request = requestFor(vault, { path, method, operationId }, difference)
      const response = await vault.handler(request)
      expect(client.read(request, response)).toEqual({ responseName: key, differences: [] })
    },
  )
})

/** Creates a vault whose store and activity log fail after that. */
async function vaultWith({ http, fault }: Circumstances): Promise<TestVault> {
  let isCreated = false
  const faultOf = (): Fault => (isCreated ? fault : undefined)
  const store = createFaultyStore(createMemoryStore(), faultOf)
  const log = createMemoryActivityLog()
  const entries = () => (faultOf() === undefined ? log.entries() : fail())
  const vault = await createTestVault(
    { store, activity: { ...log, entries }, history: { maxVersions: 5 } },
    { extensions: true, ...http },
  )
  isCreated = true
  return vault
}

function requestFor(
  vault: TestVault,
  {
    path,
    method,
    operationId,
  }: Pick<(typeof described)[number], 'path' | 'method' | 'operationId'>,
  {
    headers = {},
    vaultId = operationId === 'createVaultWithId' ? 'n'.repeat(26) : vault.vaultId,
    file = 'smallFile' as const,
    query,
    body,
  }: Circumstances,
): HttpRequest {
  const route = findRoute(operationId)
  const ref = { ...toCallRef(vault), vaultId, fileId: vault[file].id }
  const sent = route && toRouteRequest(route, { vaultId, ...exampleInput(route.operation, ref) })
  const [target = path, search] = sent?.target.split('?') ?? []
  const usualQuery = search === undefined ? '' : `?${search}`
  return createRequest(vault, method.toUpperCase(), target + (query ?? usualQuery), {
    headers,
    body: sent?.body === undefined ? null : (body?.() ?? bodyOf(sent.body)),
  })
}

function bodyOf(sent: unknown): AsyncIterable<Uint8Array> {
  return streamOf([sent instanceof Uint8Array ? sent : utf8(JSON.stringify(sent))])
}

function slowDown(): never {
  throw new TooManyRequestsError('slower')
}

function fail(): never {
  throw new Error('out of order')
}
