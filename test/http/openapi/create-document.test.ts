import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorStatuses } from '../../../src/errors.js'
import { describedOperations as operations } from '../../../src/http/openapi/operations.js'
import { createOpenApiDocument, type OpenApiOptions, probes, routes } from '../../../src/http.js'
import { openApiText } from '../../../tools/scripts/openapi.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'

const info = { title: 'Vaults', version: '1.2.3' }
const { paths } = createOpenApiDocument(info, { extensions: true })

/** Returns the methods and paths of a document. */
function linesIn(options: OpenApiOptions): readonly string[] {
  const described = Object.entries(createOpenApiDocument(info, options).paths)
  return described.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

const lineOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

/** Returns the names of the parameters of an operation, without the shared ones. */
function parametersOf(method: string, path: string, options: OpenApiOptions = {}): unknown[] {
  const described = createOpenApiDocument(info, options).paths[path]?.[method]
  return (described?.parameters ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]))
}

describe('docs/openapi.json', () => {
  it('is the output of npm run generate', () => {
    const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
    expect(JSON.stringify(written)).toBe(JSON.stringify(JSON.parse(openApiText())))
  })
})

describe('createOpenApiDocument', () => {
  it('describes extension routes only when they are enabled', () => {
    const published = routes.filter(({ extension }) => !extension)
    expect(new Set(linesIn({}))).toEqual(new Set([...published, ...probes].map(lineOf)))
    expect(new Set(linesIn({ extensions: true }))).toEqual(
      new Set([...routes, ...probes].map(lineOf)),
    )
  })

  it('describes extension parameters only when they are enabled', () => {
    expect(parametersOf('get', '/v1/vaults')).toEqual(['filter'])
    expect(parametersOf('get', '/v1/vaults', { extensions: true })).toEqual([
      'filter',
      'limit',
      'after',
      'ignore_case',
      'sort_by',
      'sort_order',
    ])
  })

  it('describes links to the next page only when extensions are enabled', () => {
    expect(JSON.stringify(createOpenApiDocument(info))).not.toContain('/headers/Link')
    expect(JSON.stringify(createOpenApiDocument(info, { extensions: true }))).toContain(
      '/headers/Link',
    )
  })

  it('contains the base path and the info', () => {
    const document = createOpenApiDocument(info, { basePath: '/secrets' })
    expect([document.openapi, document.info, document.servers]).toEqual([
      '3.1.0',
      info,
      [{ url: '/secrets' }],
    ])
    expect(createOpenApiDocument(info).servers).toEqual([{ url: '/' }])
  })

  it.each(routes)('has a response for every error of $operation', ({ operation, method, path }) => {
    const statuses = Object.keys(paths[path]?.[method.toLowerCase()]?.responses ?? {})
    const expected = operations[operation].errors.map((code) => String(errorStatuses[code]))
    expect(statuses).toEqual(expect.arrayContaining([...expected, '401', '500', '503']))
  })

  it('requires a token for every operation except the probes', () => {
    const open = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) => security?.length === 0)
    expect(open.map(({ operationId }) => operationId)).toEqual(probes.map(({ probe }) => probe))
  })

  it('describes the content types of a patch, of bytes and of requests without a body', () => {
    const item = '/v1/vaults/{vaultId}/items/{itemId}'
    const types = (method: string, path: string): unknown =>
      Object.keys(Object(paths[path]?.[method]?.requestBody?.['content']))
    expect(types('patch', item)).toEqual(['application/json', 'application/json-patch+json'])
    expect(types('put', item)).toEqual(['application/json'])
    expect(types('post', `${item}/files`)).toEqual(['application/octet-stream'])
    expect(paths[item]?.['get']).not.toHaveProperty('requestBody')
  })

  it('requires a name for a new vault, and no member for a change', () => {
    const schemaOf = (method: string, path: string): unknown =>
      Object(paths[path]?.[method]?.requestBody?.['content'])['application/json'].schema
    expect(schemaOf('post', '/v1/vaults')).toMatchObject({ required: ['name'] })
    expect(schemaOf('patch', '/v1/vaults/{vaultId}')).not.toHaveProperty('required')
  })
})

describe('createOpenApiDocument getItems', () => {
  it('requires one or more unique ids', () => {
    const body = paths['/v1/vaults/{vaultId}/get-items']?.['post']?.requestBody
    const { itemIds } = Object(body?.['content'])['application/json'].schema.properties
    expect(itemIds).toMatchObject({ minItems: 1, maxItems: 100, uniqueItems: true })
  })
})

describe('createOpenApiDocument health', () => {
  it('has Retry-After with 503', () => {
    const responses = paths['/health']?.['get']?.responses
    expect(responses?.['503']?.['headers']).toHaveProperty('Retry-After')
  })
})

describe('createHttpHandler GET /v1/openapi.json', () => {
  const openApiDocument = createOpenApiDocument(info)

  async function get(url: string, options: Partial<Parameters<typeof createHttpHandler>[1]>) {
    const { service } = await createTestVault()
    const authenticate = (): never => {
      throw new Error('authenticate must not be called')
    }
    const handler = createHttpHandler(service, { authenticate, ...options })
    return handler({ method: 'GET', url, header: () => undefined, body: null })
  }

  it('returns the document of the options without a token', async () => {
    const { status, headers, body } = await get('/v1/openapi.json', { openApiDocument })
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(JSON.parse(String(body))).toEqual(openApiDocument)
  })

  it('is found only under the base path', async () => {
    const options = { openApiDocument, basePath: '/secrets' }
    expect((await get('/secrets/v1/openapi.json', options)).status).toBe(200)
    expect((await get('/v1/openapi.json', options)).status).toBe(404)
  })

  it('is not found without the option openApiDocument', async () => {
    expect((await get('/v1/openapi.json', {})).status).toBe(404)
  })
})
