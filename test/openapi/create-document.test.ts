import { describe, expect, it } from 'vitest'
import { errorStatuses } from '../../src/errors.js'
import { probes, routes } from '../../src/http.js'
import { createOpenApiDocument, type OpenApiOptions } from '../../tools/openapi/create-document.js'
import { describedOperations as operations } from '../../tools/openapi/operations.js'

const create = (options: Partial<OpenApiOptions> = {}) =>
  createOpenApiDocument('1.2.3', { dialect: 'contract', extensions: false, ...options })
const { paths } = create({ extensions: true })

/** Returns the methods and paths of a document. */
function linesIn(options: Partial<OpenApiOptions>): readonly string[] {
  const described = Object.entries(create(options).paths)
  return described.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

const lineOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

/** Returns the names of the parameters of an operation, without the shared ones. */
function parametersOf(
  method: string,
  path: string,
  options: Partial<OpenApiOptions> = {},
): unknown[] {
  const described = create(options).paths[path]?.[method]
  return (described?.parameters ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]))
}

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
    expect(JSON.stringify(create())).not.toContain('/headers/Link')
    expect(JSON.stringify(create({ extensions: true }))).toContain('/headers/Link')
  })

  it('contains the version of the package', () => {
    const { openapi, info, servers } = create()
    expect([openapi, info.version, servers]).toEqual(['3.1.0', '1.2.3', [{ url: '/' }]])
  })

  it('contains the default limits', () => {
    const { ItemDraft } = create().components.schemas
    expect(ItemDraft?.['properties']).toMatchObject({
      fields: { maxItems: 1000 },
      sections: { maxItems: 100 },
      tags: { maxItems: 100 },
      urls: { maxItems: 100 },
    })
    const patch = paths['/v1/vaults/{vaultId}/items/{itemId}']?.['patch']?.requestBody
    expect(Object(patch?.['content'])['application/json'].schema).toMatchObject({ maxItems: 256 })
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
