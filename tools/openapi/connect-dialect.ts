/** Describes the connect dialect, as changes of the document of the contract dialect. */

import { type JsonObject, type OpenApiDocument, type OpenApiOperation, ref } from './document.js'

const versionHeader = '1Password-Connect-Version'
const version = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' }

/**
 * Returns the document for the connect dialect. Bodies are described as clients should send them: the
 * dialect also accepts names such as `login` in any case, and null for an absent attribute.
 */
export function inConnectDialect(document: OpenApiDocument): OpenApiDocument {
  const { components } = document
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const described = Object.entries(methods).map(([method, operation]) => [
      method,
      withAlias({ ...operation, responses: mapValues(operation.responses, withVersion) }),
    ])
    return [path, Object.fromEntries(described)]
  })
  return {
    ...document,
    paths: withHealthVersion(Object.fromEntries(paths)),
    components: {
      ...components,
      schemas: mapValues(components.schemas, (schema, name) => changes[name]?.(schema) ?? schema),
      headers: {
        ...components.headers,
        [versionHeader]: {
          required: true,
          description: 'The version of the published service.',
          schema: version,
        },
      },
      responses: mapValues(components.responses, withVersion),
    },
  }
}

/** The named schemas that differ. */
const changes: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  Field: (schema) =>
    withMembers(schema, {
      totp: {
        type: 'string',
        pattern: '^\\d{1,10}$',
        description: 'The current one-time code of a field whose value is an `otpauth:` URL.',
      },
      section: {
        type: 'object',
        properties: { id: { type: 'string' }, label: { type: 'string', minLength: 1 } },
      },
    }),
  ItemDraft: (schema) =>
    withMembers({ ...schema, required: ['category'] }, { urls: withAnyHref(schema) }),
  FieldDraft: ({ required: _, ...schema }) =>
    withMembers(schema, {
      type: {
        type: 'string',
        pattern: '^[A-Z][A-Z0-9_]{0,63}$',
        description: '`STRING` if absent, `CONCEALED` for a password. `OTP` is `TOTP`.',
      },
    }),
}

function withMembers(schema: JsonObject, members: JsonObject): JsonObject {
  return { ...schema, properties: { ...(schema['properties'] as JsonObject), ...members } }
}

/** The `href` of a URL can be any string. */
function withAnyHref(itemDraft: JsonObject): JsonObject {
  const { urls } = itemDraft['properties'] as Record<'urls', Record<'items', JsonObject>>
  return { ...urls, items: withMembers(urls.items, { href: { type: 'string' } }) }
}

/** The dialect reads `inline_content` as `inline_files`. */
function withAlias(operation: OpenApiOperation): OpenApiOperation {
  const { parameters = [] } = operation
  const inline = parameters.find(({ name }) => name === 'inline_files')
  return inline === undefined
    ? operation
    : { ...operation, parameters: [...parameters, { ...inline, name: 'inline_content' }] }
}

/** Adds the header to a response. A reference to a component stays. */
function withVersion(response: JsonObject): JsonObject {
  if ('$ref' in response) return response
  const headers = {
    ...(response['headers'] as JsonObject),
    [versionHeader]: ref('headers', versionHeader),
  }
  return { ...response, headers }
}

function withHealthVersion(paths: OpenApiDocument['paths']): OpenApiDocument['paths'] {
  const health = structuredClone(paths['/health'])
  for (const response of Object.values(health?.['get']?.responses ?? {})) {
    const { schema } = Object(response['content'])['application/json']
    schema.properties.version = { type: 'string' }
    schema.required = ['name', 'version', 'dependencies']
  }
  return { ...paths, ...(health && { '/health': health }) }
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
}
