/** The table of routes: which operation answers which method and path. Pure data. */

import type { OperationName } from '../core/vault-service.js'
import type { ErrorCode } from '../error-codes.js'

/** Where an operation is offered over HTTP. */
export interface Route {
  readonly operation: OperationName
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names in braces are members of the operation's input. */
  readonly path: string
  /**
   * The member of the operation's input that the JSON body is, or the members of the input that are members of the JSON
   * body; `content` is the body's bytes. Absent if no body is read.
   */
  readonly body?: 'item' | 'patch' | 'content' | readonly string[]
  /** Query parameter -> the member of the operation's input that it is, and how it is read. */
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** Whether `If-Match` is the input's `ifVersion`. */
  readonly conditional?: true
  /** Whether it goes beyond the published service, and is offered only with the option `extensions`. */
  readonly extension?: true
}

/** A parameter of a query. */
export interface QueryParameter {
  readonly member: string
  readonly type: 'boolean' | 'string' | 'integer'
  /** Whether it is read only with the option `extensions`. */
  readonly extension?: true
}

/** What a mount answers by itself, to whoever asks. */
export interface ProbeRoute {
  readonly probe: 'heartbeat' | 'health' | 'metrics'
  readonly method: 'GET'
  readonly path: string
}

/** Where the service's description is found, if the option `openApiDocument` gives one. */
export const openApiRoute = {
  probe: 'openapi',
  method: 'GET',
  path: '/v1/openapi.json',
} as const

const vaults = '/v1/vaults'
const vault = `${vaults}/{vaultId}`
const items = `${vault}/items`
const item = `${items}/{itemId}`
const files = `${item}/files`
const file = `${files}/{fileId}`
const versions = `${item}/versions`
const inlineFiles = { inline_files: { member: 'inlineFiles', type: 'boolean' } } as const
const filter = { filter: { member: 'filter', type: 'string' } } as const
const page = {
  limit: { member: 'limit', type: 'integer', extension: true },
  after: { member: 'after', type: 'string', extension: true },
} as const
const newFile = {
  name: { member: 'name', type: 'string' },
  section_id: { member: 'sectionId', type: 'string' },
  file_id: { member: 'fileId', type: 'string' },
} as const
const activityPage = {
  limit: { member: 'limit', type: 'integer' },
  offset: { member: 'offset', type: 'integer' },
} as const

const conditional = true
const extension = true

/** Every route to an operation. */
export const routes: readonly Route[] = [
  { operation: 'listVaults', method: 'GET', path: vaults, query: { ...filter, ...page } },
  { operation: 'getVault', method: 'GET', path: vault },
  { operation: 'listItems', method: 'GET', path: items, query: { ...filter, ...page } },
  { operation: 'createItem', method: 'POST', path: items, body: 'item' },
  { operation: 'getItem', method: 'GET', path: item },
  { operation: 'replaceItem', method: 'PUT', path: item, body: 'item', conditional },
  { operation: 'patchItem', method: 'PATCH', path: item, body: 'patch', conditional },
  { operation: 'deleteItem', method: 'DELETE', path: item, conditional },
  { operation: 'listFiles', method: 'GET', path: files, query: inlineFiles },
  { operation: 'getFileDetails', method: 'GET', path: file, query: inlineFiles },
  { operation: 'readFileContent', method: 'GET', path: `${file}/content` },
  { operation: 'listActivity', method: 'GET', path: '/v1/activity', query: activityPage },
  {
    operation: 'createVault',
    method: 'POST',
    path: vaults,
    body: ['name', 'description', 'vaultId'],
    extension,
  },
  {
    operation: 'updateVault',
    method: 'PATCH',
    path: vault,
    body: ['name', 'description'],
    conditional,
    extension,
  },
  { operation: 'deleteVault', method: 'DELETE', path: vault, conditional, extension },
  {
    operation: 'getItems',
    method: 'POST',
    path: `${vault}/get-items`,
    body: ['itemIds'],
    extension,
  },
  {
    operation: 'attachFile',
    method: 'POST',
    path: files,
    body: 'content',
    query: newFile,
    conditional,
    extension,
  },
  { operation: 'removeFile', method: 'DELETE', path: file, conditional, extension },
  {
    operation: 'setItemState',
    method: 'PUT',
    path: `${item}/state`,
    body: ['state'],
    conditional,
    extension,
  },
  { operation: 'listVersions', method: 'GET', path: versions, extension },
  { operation: 'getVersion', method: 'GET', path: `${versions}/{version}`, extension },
  {
    operation: 'restoreVersion',
    method: 'POST',
    path: `${versions}/{version}/restore`,
    conditional,
    extension,
  },
]

/** What is asked of the mount itself. */
export const probes: readonly ProbeRoute[] = [
  { probe: 'heartbeat', method: 'GET', path: '/heartbeat' },
  { probe: 'health', method: 'GET', path: '/health' },
  { probe: 'metrics', method: 'GET', path: '/metrics' },
]

/** What every route may answer with. */
export const commonErrors: readonly ErrorCode[] = [
  'TOO_MANY_REQUESTS',
  'STORAGE_FAILED',
  'DECRYPTION_FAILED',
  'STORAGE_UNAVAILABLE',
  'ACTIVITY_UNAVAILABLE',
  'AUTHENTICATION_UNAVAILABLE',
]

/** What a route that reads a body may answer with. */
export const bodyErrors: readonly ErrorCode[] = [
  'CONTENT_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
]

/** The errors of a request without a route. */
export const routingErrors: readonly ErrorCode[] = ['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED']

/** The codes of all errors of a route whose operation foresees `foreseen`; none twice. */
export function routeErrors(
  { path, body, extension }: Route,
  operationErrors: readonly ErrorCode[],
): readonly ErrorCode[] {
  return [
    ...new Set([
      ...operationErrors,
      ...commonErrors,
      ...(body === undefined ? [] : bodyErrors),
      ...(extension ? [errorWithoutExtensions(path)] : []),
    ]),
  ]
}

/** The error of an extension's route where extensions are not offered: 405 if its path has published methods. */
function errorWithoutExtensions(path: string): ErrorCode {
  const isPublished = routes.some((route) => route.path === path && !route.extension)
  return isPublished ? 'METHOD_NOT_ALLOWED' : 'ROUTE_NOT_FOUND'
}
