/** Responses that the published OpenAPI document leaves out, as additions to the document. */

import type { OpenApiDocument } from '../../../src/http.js'
import type { DescribedService } from './strict-client.js'

type Parts = Readonly<Record<string, unknown>>

/**
 * Returns the document for the connect dialect. It differs from the contract dialect only in this:
 * - every response has the header `1Password-Connect-Version`
 * - a field can have `totp`, the current one-time code, and its section has a label
 * - the health has a version
 *
 * `replaceItem` returns the version before the change, which the schema of the document allows.
 */
export function inConnectDialect(document: DescribedService): DescribedService {
  const version = { required: true, schema: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' } }
  const { components, paths } = document
  const { Field } = components.schemas
  const totp = { type: 'string', pattern: '^\\d{1,10}$' }
  const section = {
    type: 'object',
    properties: { id: { type: 'string' }, label: { type: 'string', minLength: 1 } },
  }
  return {
    paths: withHealthVersion(paths),
    everywhere: { '1Password-Connect-Version': version },
    components: {
      ...components,
      schemas: {
        ...components.schemas,
        Field: { ...Field, properties: { ...(Field?.['properties'] as Parts), totp, section } },
      },
    },
  }
}

function withHealthVersion(paths: DescribedService['paths']): DescribedService['paths'] {
  const health = structuredClone(paths['/health'])
  for (const response of Object.values(health?.['get']?.responses ?? {})) {
    const schema = 'content' in response && response.content?.['application/json']?.schema
    if (!schema) continue
    schema['properties'] = { ...(schema['properties'] as Parts), version: { type: 'string' } }
    schema['required'] = ['name', 'version', 'dependencies']
  }
  return { ...paths, ...(health && { '/health': health }) }
}

/** Adds `GET /v1/openapi.json`, which returns the document of the handler without a token. */
export function withDescriptionRoute(
  document: DescribedService,
  given: OpenApiDocument,
): DescribedService {
  return {
    ...document,
    paths: {
      ...document.paths,
      '/v1/openapi.json': {
        get: {
          operationId: 'openapi',
          responses: {
            200: {
              headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
              content: { 'application/json': { schema: { const: given } } },
            },
          },
        },
      },
    },
  }
}

const probePaths = ['/heartbeat', '/health', '/metrics', '/v1/openapi.json']

/**
 * Adds the responses of the probes that the option `probes` of the handler restricts. The 503 of a
 * check replaces that of the health.
 */
export function withRestrictedProbes(document: DescribedService): DescribedService {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const { get } = methods
    if (get === undefined || !probePaths.includes(path)) return [path, methods] as const
    const names = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 429: 'TooManyRequests' }
    const errors = Object.entries({ ...names, 503: 'ServiceUnavailable' }).map(([status, name]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ])
    const responses = { ...get.responses, ...Object.fromEntries(errors) }
    return [path, { ...methods, get: { ...get, responses } }] as const
  })
  return { ...document, paths: Object.fromEntries(paths) }
}
