/** Describes the service in OpenAPI 3.1, read off the tables that the service itself runs on. */

import { type Route, routes } from '../routes.js'
import type { JsonObject, OpenApiDocument, OpenApiInfo, OpenApiOperation } from './document.js'
import { type ComponentKind, componentPath, ref } from './document.js'
import { type OperationJsonSchemas, toJsonSchemas } from './json-schema.js'
import { describedOperations } from './operations.js'
import { probeOperations } from './probes.js'
import { binaryBody, errorComponents, headerComponents, responsesOf } from './responses.js'

/** What of the service is described: the same as the handler's options of these names. */
export interface OpenApiOptions {
  /** What stands before `/v1` in every path; nothing if absent. */
  readonly basePath?: string
  /** Whether the routes and parameters beyond the published service are described. False if absent. */
  readonly extensions?: boolean
}

/**
 * The document of a service in the contract dialect. HEAD, which is answered as GET without the body, is not described,
 * nor are requests that no route answers.
 */
export function createOpenApiDocument(
  info: OpenApiInfo,
  options: OpenApiOptions = {},
): OpenApiDocument {
  const { basePath = '', extensions = false } = options
  const { schemas: shapes, operations: schemas } = toJsonSchemas((name) =>
    componentPath('schemas', name),
  )
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const route of routes) {
    if (route.extension && !extensions) continue
    const described = describe(offered(route, extensions), schemas[route.operation])
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described }
  }
  Object.assign(paths, probeOperations())
  const responses = pickReferenced('responses', errorComponents(), paths)
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ bearer: [] }],
    tags,
    paths,
    components: {
      schemas: pickReferenced('schemas', shapes, paths, responses, shapes),
      parameters,
      headers: pickReferenced('headers', headerComponents(), paths, responses),
      responses,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

/** Those components that some part refers to. */
function pickReferenced(
  kind: ComponentKind,
  components: Readonly<Record<string, JsonObject>>,
  ...parts: readonly unknown[]
): Readonly<Record<string, JsonObject>> {
  const text = JSON.stringify(parts)
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"${componentPath(kind, name)}"`)),
  )
}

const parameters = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'One entity tag, or `*`: nothing is changed unless this is what is stored.',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Answered as it is, if it is 1 to 128 letters, digits, `_`, `.` and `-`.',
    schema: { type: 'string' },
  },
}

/** The last of these that a path holds is its tag. */
const tags = [
  { name: 'vaults', description: 'Sets of items that a token is scoped to.' },
  { name: 'items', description: 'Records of fields, sections, tags and URLs.' },
  { name: 'files', description: 'Files of items.' },
  { name: 'versions', description: 'What items have been.' },
  { name: 'activity', description: 'Who did what.' },
  { name: 'service', description: 'What is asked of the service itself, without a token.' },
] as const

/** The route with those of its parameters that are offered. */
function offered(route: Route, extensions: boolean): Route {
  const parameters = Object.entries(route.query ?? {}).filter(
    ([, { extension }]) => extensions || !extension,
  )
  return { ...route, query: Object.fromEntries(parameters) }
}

function describe(route: Route, schemas: OperationJsonSchemas): OpenApiOperation {
  const { operation, path, body, query = {}, conditional } = route
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
    operationId: operation,
    summary,
    tags: [tagOf(path)],
    parameters: [
      ...inPath,
      ...inQuery,
      ...(conditional ? [ref('parameters', 'If-Match')] : []),
      ref('parameters', 'X-Request-Id'),
    ],
    ...(body !== undefined && { requestBody: bodyOf(body, schemas) }),
    responses: responsesOf(route, schemas, errors),
  }
}

function bodyOf(
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
