/** A request for each route, made from an input of its operation. */

import type { MethodName } from '../../../src/core/vault-service.js'
import { type Route, routes } from '../../../src/http/routes.js'

/** The parts of a request. */
export interface RouteRequest {
  readonly method: string
  /** The path and the query. */
  readonly target: string
  /** The value of a JSON body, or bytes; undefined for no body. */
  readonly body: unknown
}

/** The name of a route in the OpenAPI documents. */
export function routeId({ id, operation }: Route): string {
  return id ?? operation
}

/** Returns the route with this name in the OpenAPI documents; undefined for a probe. */
export function findRoute(name: string): Route | undefined {
  return routes.find((route) => routeId(route) === name)
}

/** Returns the request that has this input. Members that the route cannot carry are left out. */
export function toRouteRequest(
  { operation, method, path, query = {}, body }: Route,
  input: object,
): RouteRequest {
  const members: Readonly<Record<string, unknown>> = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (members[name] === undefined) throw new Error(missingMember(operation, name))
    return encodeURIComponent(String(members[name]))
  })
  const parameters = Object.entries(query).flatMap(([name, { member }]) =>
    members[member] === undefined ? [] : [[name, String(members[member])]],
  )
  const search = new URLSearchParams(parameters).toString()
  return { method, target: search ? `${filled}?${search}` : filled, body: toBody(body, members) }
}

function missingMember(operation: MethodName, name: string): string {
  return `the input of ${operation} in operation-examples.ts must have ${name}, which is in its path`
}

function toBody(body: Route['body'], members: Readonly<Record<string, unknown>>): unknown {
  if (body === undefined) return undefined
  if (typeof body === 'string') return members[body]
  return Object.fromEntries(body.map((name) => [name, members[name]]))
}
