import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openApiText } from '../../../scripts/openapi.js'
import { errorStatuses } from '../../../src/error-codes.js'
import { describedOperations as operations } from '../../../src/http/openapi/operations.js'
import { createOpenApiDocument, type OpenApiOptions, probes, routes } from '../../../src/http.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'

const info = { title: 'Vaults', version: '1.2.3' }
const { paths } = createOpenApiDocument(info, { extensions: true })

/** Method and path of everything that is described. */
function placesIn(options: OpenApiOptions): readonly string[] {
  const described = Object.entries(createOpenApiDocument(info, options).paths)
  return described.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

const placeOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

/** The names of a described operation's own parameters. */
function parametersOf(method: string, path: string, options: OpenApiOptions = {}): unknown[] {
  const described = createOpenApiDocument(info, options).paths[path]?.[method]
  return (described?.parameters ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]))
}

describe('docs/openapi.json', () => {
  it('is what npm run docs:openapi writes', () => {
    const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
    expect(JSON.stringify(written)).toBe(JSON.stringify(JSON.parse(openApiText())))
  })
})

describe('createOpenApiDocument', () => {
  it('describes the routes of the published service, and those beyond it if they are offered', () => {
    const published = routes.filter(({ extension }) => !extension)
    expect(new Set(placesIn({}))).toEqual(new Set([...published, ...probes].map(placeOf)))
    expect(new Set(placesIn({ extensions: true }))).toEqual(
      new Set([...routes, ...probes].map(placeOf)),
    )
  })

  it('describes parameters beyond the published service only if they are offered', () => {
    expect(parametersOf('get', '/v1/vaults')).toEqual(['filter'])
    expect(parametersOf('get', '/v1/vaults', { extensions: true })).toEqual([
      'filter',
      'limit',
      'after',
    ])
  })

  it('describes links to the next page only if pages are offered', () => {
    expect(JSON.stringify(createOpenApiDocument(info))).not.toContain('/headers/Link')
    expect(JSON.stringify(createOpenApiDocument(info, { extensions: true }))).toContain(
      '/headers/Link',
    )
  })

  it('says where the service is, and repeats what is said of it', () => {
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
    const foreseen = operations[operation].errors.map((code) => String(errorStatuses[code]))
    expect(statuses).toEqual(expect.arrayContaining([...foreseen, '401', '500', '503']))
  })

  it('asks for a token everywhere but where none is needed', () => {
    const open = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) => security?.length === 0)
    expect(open.map(({ operationId }) => operationId)).toEqual(probes.map(({ probe }) => probe))
  })

  it('reads a patch as either of its types, bytes as bytes, and nothing where no body is read', () => {
    const item = '/v1/vaults/{vaultId}/items/{itemId}'
    const types = (method: string, path: string): unknown =>
      Object.keys(Object(paths[path]?.[method]?.requestBody?.['content']))
    expect(types('patch', item)).toEqual(['application/json', 'application/json-patch+json'])
    expect(types('put', item)).toEqual(['application/json'])
    expect(types('post', `${item}/files`)).toEqual(['application/octet-stream'])
    expect(paths[item]?.['get']).not.toHaveProperty('requestBody')
  })

  it('requires a name of a new vault, and nothing of a change of one', () => {
    const schemaOf = (method: string, path: string): unknown =>
      Object(paths[path]?.[method]?.requestBody?.['content'])['application/json'].schema
    expect(schemaOf('post', '/v1/vaults')).toMatchObject({ required: ['name'] })
    expect(schemaOf('patch', '/v1/vaults/{vaultId}')).not.toHaveProperty('required')
  })
})

describe('the description of getItems', () => {
  it('wants an id at least, and none twice', () => {
    const body = paths['/v1/vaults/{vaultId}/get-items']?.['post']?.requestBody
    const { itemIds } = Object(body?.['content'])['application/json'].schema.properties
    expect(itemIds).toMatchObject({ minItems: 1, maxItems: 100, uniqueItems: true })
  })
})

describe('the description of a health that is not well', () => {
  it('has Retry-After, as every 503 has', () => {
    const responses = paths['/health']?.['get']?.responses
    expect(responses?.['503']?.['headers']).toHaveProperty('Retry-After')
  })
})

describe('GET /v1/openapi.json', () => {
  const openApiDocument = createOpenApiDocument(info)

  async function answerTo(url: string, options: Partial<Parameters<typeof createHttpHandler>[1]>) {
    const { service } = await createTestVault()
    const authenticate = (): never => {
      throw new Error('nobody should be asked for')
    }
    const handler = createHttpHandler(service, { authenticate, ...options })
    return handler({ method: 'GET', url, header: () => undefined, body: null })
  }

  it('answers the document that the handler was given, without a token', async () => {
    const { status, headers, body } = await answerTo('/v1/openapi.json', { openApiDocument })
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(JSON.parse(String(body))).toEqual(openApiDocument)
  })

  it('stands behind the base path, as everything does', async () => {
    const options = { openApiDocument, basePath: '/secrets' }
    expect((await answerTo('/secrets/v1/openapi.json', options)).status).toBe(200)
    expect((await answerTo('/v1/openapi.json', options)).status).toBe(404)
  })

  it('is not there if the handler was given none', async () => {
    expect((await answerTo('/v1/openapi.json', {})).status).toBe(404)
  })
})
