/** Finds the route of a request by its raw target: nothing is decoded, nothing is normalised. */

import { MethodNotAllowedError, RouteNotFoundError } from '../errors.js'
import { openApiRoute, type ProbeRoute, probes, type Route, routes } from './routes.js'

type RouteEntry = Route | ProbeRoute | typeof openApiRoute

/** What was found. */
export interface Match {
  readonly route: RouteEntry
  /** The path's own parts, by the names in the route's braces. */
  readonly parameters: Readonly<Record<string, string>>
  /** What stands behind the question mark; empty if nothing does. */
  readonly query: string
}

/** Finds routes. */
export interface RouteTable {
  /**
   * The route for a method and a target. A trailing slash and a doubled leading one are the same place.
   * @throws RouteNotFoundError if there is no such path, MethodNotAllowedError with `Allow` if it has no such method.
   */
  match(method: string, url: string): Match
}

interface Path {
  readonly segments: readonly string[]
  readonly methods: ReadonlyMap<string, RouteEntry>
}

/**
 * The routes behind `basePath`; those beyond the published service only with `extensions`, and the one to the service's
 * description only if it is `described`.
 */
export function createRouter(basePath: string, extensions: boolean, described = false): RouteTable {
  const offered = routes.filter(({ extension }) => extensions || extension !== true)
  const paths = pathsOf([...offered, ...probes, ...(described ? [openApiRoute] : [])])
  return {
    match(method, url) {
      const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
      const pending = target.search(/[?#]/)
      const path = pending < 0 ? target : target.slice(0, pending)
      const query = pending < 0 || target[pending] === '#' ? '' : target.slice(pending + 1)
      const segments = segmentsOf(path, basePath)
      const found =
        segments && paths.find((candidate) => matchesPattern(candidate.segments, segments))
      if (segments === undefined || found === undefined) throw new RouteNotFoundError()
      const route = found.methods.get(method === 'HEAD' ? 'GET' : method)
      if (route === undefined) {
        throw new MethodNotAllowedError('this resource does not allow the method', {
          headers: { allow: allowed(found.methods) },
        })
      }
      return { route, parameters: parametersOf(found.segments, segments), query }
    },
  }
}

function segmentsOf(path: string, basePath: string): string[] | undefined {
  if (!path.startsWith(`${basePath}/`)) return undefined
  const segments = path.slice(basePath.length + 1).split('/')
  if (segments[0] === '' && segments.length > 1) segments.shift()
  if (segments.at(-1) === '') segments.pop()
  return segments
}

/** No two paths of one length differ by a parameter alone. */
function matchesPattern(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((name, index) =>
      name.startsWith('{') ? segments[index] !== '' : name === segments[index],
    )
  )
}

function parametersOf(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> {
  const parameters: Record<string, string> = {}
  for (const [index, name] of pattern.entries()) {
    if (name.startsWith('{')) parameters[name.slice(1, -1)] = segments[index] as string
  }
  return parameters
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
  return [...found].map(([path, methods]) => ({ segments: path.slice(1).split('/'), methods }))
}
