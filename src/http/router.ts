/** Finds the route of a request by its raw target, which is neither decoded nor normalized. */

import { routeNotFoundError } from '../base/fixed-errors.js'

/** The method and the path of a route. */
export interface RoutePattern {
  /** A method in upper case, or `*` for every method. GET stands for HEAD as well. */
  readonly method: string
  /**
   * A path pattern, such as `/v1/vaults/{vaultId}`. A name in braces stands for a segment that is
   * not empty. `/{name*}` stands for the whole target below the base path, including its query.
   */
  readonly path: string
}

/** A path that matches a request. */
export interface Match<Route> {
  /** Undefined if the path does not have the method. */
  readonly route: Route | undefined
  /** The routes of the path: one for each of its methods. */
  readonly routes: readonly Route[]
  /** The parts of the target that the path names in braces, as the client sent them. */
  readonly parameters: Readonly<Record<string, string>>
  /** The part after the question mark. Empty if there is none. */
  readonly query: string
}

/** Finds the routes of requests. */
export interface Router<Route> {
  /**
   * Returns the path for a target, and its route for a method, or undefined if there is no such
   * path. One extra slash at the start or end is ignored.
   */
  match(method: string, url: string): Match<Route> | undefined
}

interface Segment {
  readonly text: string
  /** The name of the parameter, if the segment is one. */
  readonly parameter: string | undefined
  /** True if the parameter is the rest of the target. */
  readonly isRest: boolean
}

interface Path<Route> {
  readonly pattern: readonly Segment[]
  readonly routes: readonly Route[]
}

/** A target, divided. */
interface Target {
  readonly segments: readonly string[]
  /** The target without the base path and the slash after it. */
  readonly rest: string
}

/** Creates a router for the routes under `basePath`. */
export function createRouter<Route extends RoutePattern>(
  basePath: string,
  routes: readonly Route[],
): Router<Route> {
  const paths = pathsOf(routes)
  return {
    match(method, url) {
      const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
      const end = target.search(/[?#]/)
      const path = end < 0 ? target : target.slice(0, end)
      if (!path.startsWith(`${basePath}/`)) return undefined
      const query = end < 0 || target[end] === '#' ? '' : target.slice(end + 1)
      let start = basePath.length + 1
      if (path[start] === '/') start++
      const segments = path.slice(start).split('/')
      if (segments.at(-1) === '') segments.pop()
      const found = findPath(paths, { segments, rest: target.slice(start) })
      if (found === undefined) return undefined
      const key = method === 'HEAD' ? 'GET' : method
      const { routes } = found.path
      const route = routes.find((one) => one.method === key || one.method === '*')
      return { route, routes, parameters: found.parameters, query }
    },
  }
}

/** Returns the path that the segments match, and their parameters. */
function findPath<Route>(
  paths: readonly Path<Route>[],
  { segments, rest }: Target,
):
  | { readonly path: Path<Route>; readonly parameters: Readonly<Record<string, string>> }
  | undefined {
  // No two patterns of the same length differ only in a parameter.
  nextPath: for (const path of paths) {
    const { pattern } = path
    const isOpen = pattern.at(-1)?.isRest === true
    if (isOpen ? pattern.length > segments.length : pattern.length !== segments.length) continue
    const parameters: Record<string, string> = {}
    for (let index = 0; index < pattern.length; index++) {
      const { text, parameter, isRest } = pattern[index] as Segment
      const segment = segments[index] as string
      if (parameter === undefined ? segment !== text : segment === '') continue nextPath
      if (parameter !== undefined) parameters[parameter] = isRest ? rest : segment
    }
    return { path, parameters }
  }
  return undefined
}

/** Returns the value of the header `Allow` for the routes of a path. */
export function formatAllow(routes: readonly RoutePattern[]): string {
  return routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

/** Decodes a segment of a path. @throws RouteNotFoundError if it is not UTF-8. */
export function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw routeNotFoundError()
  }
}

function pathsOf<Route extends RoutePattern>(table: readonly Route[]): readonly Path<Route>[] {
  const found = new Map<string, Route[]>()
  for (const route of table) found.set(route.path, [...(found.get(route.path) ?? []), route])
  return [...found].map(([path, routes]) => ({ pattern: patternOf(path), routes }))
}

function patternOf(path: string): Segment[] {
  const segments = path.slice(1).split('/')
  return segments.map((text) => {
    const [, parameter, star] = /^{(\w+)(\*?)}$/.exec(text) ?? []
    return { text, parameter, isRest: star === '*' }
  })
}
