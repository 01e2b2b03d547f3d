/** Responses that the published OpenAPI document leaves out, as additions to the document. */

import type { DescribedService } from './strict-client.js'

/** Adds the header of the connect dialect to the responses to requests without a route. */
export function withVersion(document: DescribedService): DescribedService {
  const name = '1Password-Connect-Version'
  return { ...document, everywhere: { [name]: { $ref: `#/components/headers/${name}` } } }
}

/** Adds `GET /v1/openapi.json`, which returns the document of the handler without a token. */
export function withDescriptionRoute(document: DescribedService, given: object): DescribedService {
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
