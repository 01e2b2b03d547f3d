/** Which errors a route may answer with, besides those that its operation foresees. */

import type { ErrorCode } from '../error-statuses.js'
import { type Route, routes } from './routes.js'

/** What every route may answer with. */
export const errorsOfEveryRoute: readonly ErrorCode[] = [
  'TOO_MANY_REQUESTS',
  'STORAGE_FAILED',
  'DECRYPTION_FAILED',
  'STORAGE_UNAVAILABLE',
  'ACTIVITY_UNAVAILABLE',
  'AUTHENTICATION_UNAVAILABLE',
]

/** What a route that reads a body may answer with. */
export const errorsOfBodies: readonly ErrorCode[] = [
  'CONTENT_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
]

/** The errors of a request without a route. */
export const errorsWithoutRoute: readonly ErrorCode[] = ['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED']

/** The codes of all errors of a route whose operation foresees `foreseen`; none twice. */
export function errorsOf(
  { path, body, extension }: Route,
  foreseen: readonly ErrorCode[],
): readonly ErrorCode[] {
  return [
    ...new Set([
      ...foreseen,
      ...errorsOfEveryRoute,
      ...(body === undefined ? [] : errorsOfBodies),
      ...(extension ? [errorWithoutExtensions(path)] : []),
    ]),
  ]
}

/** The error of an extension's route where extensions are not offered: 405 if its path has published methods. */
function errorWithoutExtensions(path: string): ErrorCode {
  const isPublished = routes.some((route) => route.path === path && !route.extension)
  return isPublished ? 'METHOD_NOT_ALLOWED' : 'ROUTE_NOT_FOUND'
}
