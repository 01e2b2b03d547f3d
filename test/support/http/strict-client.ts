/** A client that accepts only responses that the OpenAPI document of the service describes. */

import type { ZodType } from 'zod'
import type { HttpRequest, HttpResponse } from '../../../src/http.js'
import { type NamedSchemas, zodFromSchemas } from './zod-from-schema.js'

/** The parts of an OpenAPI document from which the client is generated. */
export interface DescribedService {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  /** Headers of every response, besides those in the document. */
  readonly everywhere?: Readonly<Record<string, DescribedHeader | Reference>>
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

/** The result of one check. */
interface Finding {
  /**
   * Operation and status, such as `getItem 200`; `none 404` if the document describes no operation.
   */
  readonly responseName: string
  /**
   * The differences from the document, without values of the response; empty for a valid response.
   */
  readonly differences: readonly string[]
}

/** A client of a service that is mounted under a path. */
export interface StrictClient {
  /** Every described response, such as `getItem 200`. */
  readonly described: readonly string[]
  /** Compares a response with the document. Never throws. */
  read(request: Pick<HttpRequest, 'method' | 'url'>, response: HttpResponse): Finding
}

/** The response for a path or a method that does not exist. */
const errorForm: DescribedResponse = {
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
}
const allowHeaders = {
  ...errorForm.headers,
  Allow: { required: true, schema: { type: 'string', minLength: 1 } },
}

/** Headers without a description: they are for intermediaries and browsers, not for the client. */
const undescribed: ReadonlySet<string> = new Set([
  'content-type',
  'cache-control',
  'connection',
  'content-security-policy',
  'referrer-policy',
  'x-content-type-options',
])

/** Compares a response; returns the differences. */
type Reader = (response: HttpResponse, isHead: boolean) => readonly string[]

interface Operation {
  readonly name: string
  readonly readers: ReadonlyMap<number, Reader>
}

interface Path {
  readonly segments: readonly string[]
  /** Operations by method in upper case. */
  readonly operations: ReadonlyMap<string, Operation>
}

/**
 * Generates the client of a service that is mounted under `basePath`.
 * @throws Error if a part of the document cannot be checked, or a reference does not exist.
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
    const responseName = `${name} ${response.status}`
    const reader = readers.get(response.status)
    if (reader === undefined) return { responseName, differences: ['the status is not described'] }
    return { responseName, differences: reader(response, isHead) }
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

/**
 * Returns the path of a target. A trailing slash and a doubled leading slash are ignored; nothing
 * is decoded.
 */
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

/**
 * Returns a function that creates the reader of a response. The body of an error repeats the
 * status.
 */
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
      const differences = expected.flatMap(({ name, required, isInteger, schema }) => {
        const value = given.get(name.toLowerCase())
        if (value === undefined) return required ? [`the header ${name} is missing`] : []
        const isValid = schema.safeParse(isInteger ? integerIn(value) : value).success
        return isValid ? [] : [`the header ${name} is not as described`]
      })
      const unknown = [...given.keys()].filter(
        (name) =>
          !names.has(name) && !undescribed.has(name) && !(isHead && name === 'content-length'),
      )
      return [
        ...differences,
        ...unknown.map((name) => `the header ${name} is not described here`),
        ...readBody(response, isHead),
        ...(isError && !isHead ? statusFaults(response) : []),
      ]
    }
  }
}

function readNothing({ headers, body }: HttpResponse): readonly string[] {
  return [
    ...('content-type' in headers ? ['a content type is present and not described'] : []),
    ...(body === null ? [] : ['a body is present and not described']),
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
    if (!types.has(type)) return ['the content type is not described']
    if (isHead) return body === null ? [] : ['a response to HEAD has a body']
    const schema = types.get(type)
    if (schema === undefined)
      return body === null || typeof body === 'string' ? ['the body is not bytes'] : []
    if (typeof body !== 'string') return ['the body is not text']
    const value = type === 'application/json' ? jsonIn(body) : { json: body }
    if (value === undefined) return ['the body is not JSON']
    const { error } = schema.safeParse(value.json)
    return (error?.issues ?? []).map(
      ({ path, message }) => `the body at /${path.join('/')}: ${message}`,
    )
  }
}

/** Parses JSON into objects without a prototype, so that a polluted prototype has no effect. */
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
    : ['the status in the body is not that of the response']
}

function integerIn(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN
}

/** Returns the component of a reference, or the part itself. */
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
