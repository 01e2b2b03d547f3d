/** Responses that the published OpenAPI document leaves out, as additions to the document. */

import type { OpenApiDocument } from '../../../src/http.js'
import type { DescribedService } from './strict-client.js'

type Parts = Readonly<Record<string, unknown>>

/**
 * Returns the document for the connect dialect. It differs from the contract dialect only in this:
 * - every response has the header `1Password-Connect-Version`
 * - a field can have `totp`, the current one-time code
 *
 * `replaceItem` returns the version before the change, which the schema of the document allows.
 */
export function inConnectDialect(document: DescribedService): DescribedService {
  const version = { required: true, schema: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' } }
  const { components, paths } = document
  const { Field } = components.schemas
  const totp = { type: 'string', pattern: '^\\d{1,10}$' }
  return {
    paths,
    everywhere: { '1Password-Connect-Version': version },
    components: {
      ...components,
      schemas: {
        ...components.schemas,
        Field: { ...Field, properties: { ...(Field?.['properties'] as Parts), totp } },
      },
    },
  }
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
