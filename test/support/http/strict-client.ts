/** A client that takes no answer but the one that the OpenAPI document of the service describes. */

import type { ZodType } from 'zod'
import type { HttpRequest, HttpResponse } from '../../../src/http.js'
import { type NamedSchemas, zodFromSchemas } from './zod-from-schema.js'

/** The parts of an OpenAPI document from which the client is generated. */
export interface DescribedService {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  /** Headers of every answer, besides those that the document gives each. */
  readonly everywhere?: Readonly<Record<string, DescribedHeader>>
  readonly components: {
    readonly schemas: NamedSchemas
    readonly headers: Readonly<Record<string, DescribedHeader>>
    readonly responses: Readonly<Record<string, DescribedResponse>>
  }
}

interface DescribedOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, DescribedResponse | Reference>>
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, DescribedHeader | Reference>>
  readonly content?: Readonly<Record<string, { readonly schema: Record<string, unknown> }>>
}

interface DescribedHeader {
  readonly required?: boolean
  readonly schema: Record<string, unknown>
}

interface Reference {
  readonly $ref: string
}

/** What the client finds in one answer. */
interface Finding {
  /** The operation and the status, such as `getItem 200`; `none 404` where the document describes no operation. */
  readonly answer: string
  /** Every difference from the document, without a value of the answer; empty if there is none. */
  readonly faults: readonly string[]
}

/** A client for a service that is mounted under a path. */
export interface StrictClient {
  /** Every answer that the document describes, such as `getItem 200`. */
  readonly described: readonly string[]
  /** Compares an answer with the document. Never throws. */
  read(request: Pick<HttpRequest, 'method' | 'url'>, response: HttpResponse): Finding
}

/** What every request is answered with that no operation is described for: a path, or a method, that does not exist. */
const errorForm: DescribedResponse = {
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
}
const allowHeaders = {
  ...errorForm.headers,
  Allow: { required: true, schema: { type: 'string', minLength: 1 } },
}

/** Headers that need no description: they tell intermediaries and browsers what to do, not the client. */
const undescribed: ReadonlySet<string> = new Set([
  'content-type',
  'cache-control',
  'connection',
  'content-security-policy',
  'referrer-policy',
  'x-content-type-options',
])

/** Compares a response; returns the faults. */
type Reader = (response: HttpResponse, isHead: boolean) => readonly string[]

interface Operation {
  readonly name: string
  readonly readers: ReadonlyMap<number, Reader>
}

interface Path {
  readonly segments: readonly string[]
  /** By the method in upper case. */
  readonly operations: ReadonlyMap<string, Operation>
}

/**
 * Generates the client of a service that is mounted under `basePath`.
 * @throws Error if the document has a part that would stay unchecked, or refers to one that does not exist.
 */
export function createStrictClient(document: DescribedService, basePath = ''): StrictClient {
  const { components } = document
  const readerOf = readersFor(document)
  const noPath = new Map([[404, readerOf(errorForm)]])
  const noMethod = new Map([[405, readerOf({ ...errorForm, headers: allowHeaders })]])
  const paths: Path[] = Object.entries(document.paths).map(([template, methods]) => ({
    segments: template.slice(1).split('/'),
    operations: new Map(
      Object.entries(methods).map(([method, { operationId, responses }]) => [
        method.toUpperCase(),
        {
          name: operationId,
          readers: new Map(
            Object.entries(responses).map(([status, response]) => [
              Number(status),
              readerOf(dereferenced(components.responses, response)),
            ]),
          ),
        },
      ]),
    ),
  }))

  function read(
    { method, url }: Pick<HttpRequest, 'method' | 'url'>,
    response: HttpResponse,
  ): Finding {
    const isHead = method === 'HEAD'
    const path = pathOf(paths, url, basePath)
    const operation = path?.operations.get(isHead ? 'GET' : method)
    const { name, readers } = operation ?? {
      name: 'none',
      readers: path === undefined ? noPath : noMethod,
    }
    const answer = `${name} ${response.status}`
    const reader = readers.get(response.status)
    if (reader === undefined) return { answer, faults: ['the status is not described'] }
    return { answer, faults: reader(response, isHead) }
  }

  return {
    described: paths.flatMap(({ operations }) =>
      [...operations.values()].flatMap(({ name, readers }) =>
        [...readers.keys()].map((status) => `${name} ${status}`),
      ),
    ),
    read,
  }
}

/** The path that a target names: a trailing slash and a doubled leading one are left out, and nothing is decoded. */
function pathOf(paths: readonly Path[], url: string, basePath: string): Path | undefined {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)
  if (!path.startsWith(`${basePath}/`)) return undefined
  const segments = path
    .slice(basePath.length)
    .replace(/^\/\/?/, '')
    .replace(/\/$/, '')
    .split('/')
  return paths.find(
    (candidate) =>
      candidate.segments.length === segments.length &&
      candidate.segments.every((name, index) =>
        name.startsWith('{') ? segments[index] !== '' : name === segments[index],
      ),
  )
}

/** Returns a function that makes the reader of a response; the body of an error repeats the status. */
function readersFor({ components, everywhere }: DescribedService) {
  const zodOf = zodFromSchemas(components.schemas)
  return ({ headers: own, content }: DescribedResponse): Reader => {
    const headers = { ...everywhere, ...own }
    const expected = Object.entries(headers).map(([name, header]) => {
      const { required = false, schema } = dereferenced(components.headers, header)
      return { name, required, isInteger: schema['type'] === 'integer', schema: zodOf(schema) }
    })
    const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
    const isError = JSON.stringify(content) === JSON.stringify(errorForm.content)
    const readBody = content === undefined ? readNothing : bodyReader(content, zodOf)

    return (response, isHead) => {
      const given = new Map(Object.entries(response.headers))
      const faults = expected.flatMap(({ name, required, isInteger, schema }) => {
        const value = given.get(name.toLowerCase())
        if (value === undefined) return required ? [`the header ${name} is missing`] : []
        const isRight = schema.safeParse(isInteger ? integerIn(value) : value).success
        return isRight ? [] : [`the header ${name} is not as described`]
      })
      const unknown = [...given.keys()].filter(
        (name) =>
          !names.has(name) && !undescribed.has(name) && !(isHead && name === 'content-length'),
      )
      return [
        ...faults,
        ...unknown.map((name) => `the header ${name} is not described here`),
        ...readBody(response, isHead),
        ...(isError && !isHead ? statusFaults(response) : []),
      ]
    }
  }
}

function readNothing({ headers, body }: HttpResponse): readonly string[] {
  return [
    ...('content-type' in headers ? ['there is a type of content where none is described'] : []),
    ...(body === null ? [] : ['there is a body where none is described']),
  ]
}

function bodyReader(
  content: NonNullable<DescribedResponse['content']>,
  zodOf: (schema: Record<string, unknown>) => ZodType,
): Reader {
  const types = new Map(
    Object.entries(content).map(([type, { schema }]) => [
      type,
      schema['format'] === 'binary' ? undefined : zodOf(schema),
    ]),
  )
  return ({ headers, body }, isHead) => {
    const [type = ''] = (headers['content-type'] ?? '').split(';')
    if (!types.has(type)) return ['the type of content is not described']
    if (isHead) return body === null ? [] : ['there is a body in the answer to HEAD']
    const schema = types.get(type)
    if (schema === undefined)
      return body === null || typeof body === 'string' ? ['the body is no bytes'] : []
    if (typeof body !== 'string') return ['the body is no text']
    const value = type === 'application/json' ? jsonIn(body) : { json: body }
    if (value === undefined) return ['the body is no JSON']
    const { error } = schema.safeParse(value.json)
    return (error?.issues ?? []).map(
      ({ path, message }) => `the body at /${path.join('/')}: ${message}`,
    )
  }
}

/** JSON in objects without a prototype, whatever a test has written onto that of all others. */
function jsonIn(text: string): { readonly json: unknown } | undefined {
  try {
    return {
      json: JSON.parse(text, (_key, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.assign(Object.create(null), value)
          : value,
      ),
    }
  } catch {
    return undefined
  }
}

function statusFaults({ status, body }: HttpResponse): readonly string[] {
  const value = typeof body === 'string' ? jsonIn(body)?.json : undefined
  return Reflect.get(Object(value), 'status') === status
    ? []
    : ['the status in the body is not that of the answer']
}

function integerIn(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN
}

/** The component that a reference names, or the part itself. */
function dereferenced<Part extends object>(
  components: Readonly<Record<string, Part>>,
  part: Part | Reference,
): Part {
  if (!('$ref' in part)) return part
  const name = part.$ref.replace(/^.*\//, '')
  const found = components[name]
  if (found === undefined) throw new Error(`${part.$ref} does not exist`)
  return found
}
