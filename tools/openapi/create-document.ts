/** Describes the service in OpenAPI 3.1, derived from the tables that the service runs on. */

import { type Route, routes } from '../../src/http/routes.js'
import { inConnectDialect } from './connect-dialect.js'
import type { JsonObject, OpenApiDocument, OpenApiOperation } from './document.js'
import { type ComponentKind, componentPath, ref } from './document.js'
import { type OperationJsonSchemas, toJsonSchemas } from './json-schema.js'
import { describedOperations } from './operations.js'
import { probeOperations } from './probes.js'
import { binaryBody, errorComponents, headerComponents, responsesOf } from './responses.js'

/** The dialect and the routes that a document describes. */
export interface OpenApiOptions {
  readonly dialect: 'contract' | 'connect'
  /** True if it includes the routes and parameters that the published service does not have. */
  readonly extensions: boolean
}

/**
 * Creates the document of a service with the default limits. It does not describe HEAD, which
 * returns the response to GET without its body, nor the responses to requests without a route and
 * to those that `probes` of the handler restricts.
 * @param version - The version of the package.
 */
export function createOpenApiDocument(
  version: string,
  { dialect, extensions }: OpenApiOptions,
): OpenApiDocument {
  const { schemas: namedSchemas, operations } = toJsonSchemas((name) =>
    componentPath('schemas', name),
  )
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const route of routes) {
    if (route.extension && !extensions) continue
    const described = describe(visibleRoute(route, extensions), operations[route.operation])
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described }
  }
  Object.assign(paths, probeOperations())
  const responses = pickReferenced('responses', errorComponents(), paths)
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { ...info, version },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags,
    paths,
    components: {
      schemas: pickReferenced('schemas', namedSchemas, paths, responses),
      parameters,
      headers: pickReferenced('headers', headerComponents(), paths, responses),
      responses,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
  return dialect === 'connect' ? inConnectDialect(document) : document
}

const info = {
  title: 'cofferkit',
  description:
    'Items, files and vaults over HTTP. [The contract page](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md) contains the rules that a schema cannot express.',
  license: { name: 'MIT', identifier: 'MIT' },
}

/** Returns the components that the parts refer to, also by way of other components. */
function pickReferenced(
  kind: ComponentKind,
  components: Readonly<Record<string, JsonObject>>,
  ...parts: readonly unknown[]
): Readonly<Record<string, JsonObject>> {
  let picked: Readonly<Record<string, JsonObject>> = {}
  for (;;) {
    const text = JSON.stringify([parts, picked])
    const found = Object.entries(components).filter(([name]) =>
      text.includes(`"${componentPath(kind, name)}"`),
    )
    if (found.length === Object.keys(picked).length) return picked
    picked = Object.fromEntries(found)
  }
}

const parameters = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'An entity tag, or `*`. The change is made only if the stored version matches the tag.',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Returned unchanged if it is 1 to 128 letters, digits, `_`, `.` and `-`.',
    schema: { type: 'string' },
  },
}

/** The tag of a path is the last of these that occurs in it. */
const tags = [
  { name: 'vaults', description: 'Groups of items. The scope of a token is a set of vaults.' },
  { name: 'items', description: 'Records with fields, sections, tags and URLs.' },
  { name: 'files', description: 'Files that are attached to items.' },
  { name: 'versions', description: 'Earlier versions of items.' },
  { name: 'activity', description: 'The log of calls: caller, action, resource and result.' },
  { name: 'service', description: 'Health and metrics of the service. No token is needed.' },
] as const

/** Returns the route without the query parameters that need `extensions`, if those are off. */
function visibleRoute(route: Route, extensions: boolean): Route {
  const parameters = Object.entries(route.query ?? {}).filter(
    ([, { extension }]) => extensions || !extension,
  )
  return { ...route, query: Object.fromEntries(parameters) }
}

function describe(route: Route, schemas: OperationJsonSchemas): OpenApiOperation {
  const { operation, id = operation, path, body, query = {}, conditional } = route
  const { summary, errors } = describedOperations[operation]
  const { members, required } = schemas
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: members[name],
  }))
  const inQuery = Object.entries(query).map(([name, { member }]) => ({
    name,
    in: 'query',
    required: required.includes(member),
    schema: members[member],
  }))
  return {
    operationId: id,
    summary,
    tags: [tagOf(path)],
    parameters: [
      ...inPath,
      ...inQuery,
      ...(conditional ? [ref('parameters', 'If-Match')] : []),
      ref('parameters', 'X-Request-Id'),
    ],
    ...(body !== undefined && { requestBody: requestBody(body, schemas) }),
    responses: responsesOf(route, schemas, errors),
  }
}

function requestBody(
  body: NonNullable<Route['body']>,
  { members, required }: OperationJsonSchemas,
): JsonObject {
  if (body === 'content') return binaryBody
  const media = { schema: typeof body === 'string' ? members[body] : objectOf(body) }
  const content = {
    'application/json': media,
    ...(body === 'patch' && { 'application/json-patch+json': media }),
  }
  return { required: true, content }

  function objectOf(names: readonly string[]): JsonObject {
    const needed = names.filter((name) => required.includes(name))
    return {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, members[name]])),
      ...(needed.length > 0 && { required: needed }),
    }
  }
}

function tagOf(path: string): string {
  const words = path.split(/[^a-z]+/)
  return tags.findLast(({ name }) => words.includes(name))?.name ?? 'service'
}
