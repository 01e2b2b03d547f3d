/** Every answer that the OpenAPI document leaves out, in the words of the document. */

import type { OpenApiDocument } from '../../../src/http.js'
import type { DescribedService } from './strict-client.js'

type Parts = Readonly<Record<string, unknown>>

/**
 * The document speaks of the contract dialect. The answers of the connect dialect differ in this and in nothing else:
 * - every answer has the header `1Password-Connect-Version`
 * - a field may have `totp`, the one-time code of the moment
 *
 * The version that `replaceItem` answers is the one before the change, which the document's schema allows.
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

/** `GET /v1/openapi.json` answers the document that the handler was given, without a token. */
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
