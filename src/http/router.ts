/** Finds the route of a request by its raw target, which is neither decoded nor normalized. */

import { routeNotFoundError } from '../base/fixed-errors.js'
import { MethodNotAllowedError } from '../errors.js'
import { openApiRoute, type ProbeRoute, probes, type Route, routes } from './routes.js'

type RouteEntry = Route | ProbeRoute | typeof openApiRoute

/** A route that matches a request. */
export interface Match {
  readonly route: RouteEntry
  /** The path segments named by braces in the route. */
  readonly parameters: Readonly<Record<string, string>>
  /** The part after the question mark. Empty if there is none. */
  readonly query: string
  /**
   * Set if the path is a probe that does not support this method. Throw it only to callers who can
   * request the probe, because it reveals that the probe exists.
   */
  readonly methodError?: MethodNotAllowedError
}

/** Finds the routes of requests. */
export interface Router {
  /**
   * Returns the route for a method and a target. One extra slash at the start or end is ignored.
   * @throws RouteNotFoundError if there is no such path.
   * @throws MethodNotAllowedError with `Allow` if the path does not support the method, unless it
   * is a probe. The message says whether the method is an extension.
   */
  match(method: string, url: string): Match
}

interface Segment {
  readonly text: string
  /** The name of the parameter, if the segment is one. */
  readonly parameter: string | undefined
}

interface Path {
  /** The segments of the path. A parameter stands for any segment that is not empty. */
  readonly pattern: readonly Segment[]
  readonly methods: ReadonlyMap<string, RouteEntry>
}

/**
 * Creates a router for the routes under `basePath`. Extensions are included only if `extensions` is
 * true, and the route of the OpenAPI document only if `hasOpenApi` is.
 */
export function createRouter(basePath: string, extensions: boolean, hasOpenApi = false): Router {
  const visible = routes.filter(({ extension }) => extensions || extension !== true)
  const hidden = routes.filter(({ extension }) => !extensions && extension === true)
  const extensionPaths = pathsOf(hidden)
  const paths = pathsOf([...visible, ...probes, ...(hasOpenApi ? [openApiRoute] : [])])
  return {
    match(method, url) {
      const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
      const end = target.search(/[?#]/)
      const path = end < 0 ? target : target.slice(0, end)
      const query = end < 0 || target[end] === '#' ? '' : target.slice(end + 1)
      const segments = path.slice(basePath.length + 1).split('/')
      if (segments[0] === '' && segments.length > 1) segments.shift()
      if (segments.at(-1) === '') segments.pop()
      if (!path.startsWith(`${basePath}/`)) throw routeNotFoundError()
      const found = findPath(paths, segments)
      const key = method === 'HEAD' ? 'GET' : method
      const route = found?.path.methods.get(key)
      if (found !== undefined && route !== undefined)
        return { route, parameters: found.parameters, query }
      const isExtension = findPath(extensionPaths, segments)?.path.methods.has(key) === true
      const hint = isExtension ? ' without the option extensions' : ''
      if (found === undefined) throw routeNotFoundError(hint)
      const { methods } = found.path
      const message = `this resource does not allow the method${hint}`
      const methodError = new MethodNotAllowedError(message, {
        headers: { allow: allowed(methods) },
      })
      const probe = methods.get('GET')
      if (probe === undefined || !('probe' in probe)) throw methodError
      return { route: probe, parameters: found.parameters, query, methodError }
    },
  }
}

/** Returns the path that the segments match, and their parameters. */
function findPath(
  paths: readonly Path[],
  segments: readonly string[],
): { readonly path: Path; readonly parameters: Readonly<Record<string, string>> } | undefined {
  // No two patterns of the same length differ only in a parameter.
  nextPath: for (const path of paths) {
    const { pattern } = path
    if (pattern.length !== segments.length) continue
    const parameters: Record<string, string> = {}
    for (let index = 0; index < pattern.length; index++) {
      const { text, parameter } = pattern[index] as Segment
      const segment = segments[index] as string
      if (parameter === undefined ? segment !== text : segment === '') continue nextPath
      if (parameter !== undefined) parameters[parameter] = segment
    }
    return { path, parameters }
  }
  return undefined
}

function allowed(methods: ReadonlyMap<string, RouteEntry>): string {
  return [...methods.keys()]
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ')
}

function pathsOf(table: readonly RouteEntry[]): readonly Path[] {
  const found = new Map<string, Map<string, RouteEntry>>()
  for (const route of table)
    found.set(route.path, (found.get(route.path) ?? new Map()).set(route.method, route))
  return [...found].map(([path, methods]) => ({ pattern: patternOf(path), methods }))
}

function patternOf(path: string): Segment[] {
  const segments = path.slice(1).split('/')
  return segments.map((text) => ({ text, parameter: /^{(.*)}$/.exec(text)?.[1] }))
}
