/** The table of routes: the method and the path of each operation over HTTP. Pure data. */

import type { MethodName } from '../core/vault-service.js'

/** The method and the path of an operation, and how its input is read from a request. */
export interface Route {
  readonly operation: MethodName
  /** The name of the route in the OpenAPI document. Default: the name of the operation. */
  readonly id?: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A path pattern. Names in braces are members of the operation's input. */
  readonly path: string
  /**
   * The member of the operation's input that is the JSON body, or a list of the input's members
   * that are members of the JSON body. `content` is the bytes of the body. Not set if the operation
   * has no body.
   */
  readonly body?: 'item' | 'patch' | 'content' | readonly string[]
  /** Members of the body that may only repeat the id of the vault in the path. */
  readonly pathOnly?: readonly string[]
  /** The query parameters by name. */
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** Set if `If-Match` is read as the input's `ifVersion`. */
  readonly conditional?: true
  /**
   * Set if the published service does not have the route. It then needs the option `extensions`.
   */
  readonly extension?: true
}

/** A query parameter. */
export interface QueryParameter {
  /** The member of the operation's input. */
  readonly member: string
  readonly type: 'boolean' | 'string' | 'integer'
  /** Set if the parameter is read only with the option `extensions`. */
  readonly extension?: true
}

/** A route that the handler serves without an operation and without a token. */
export interface ProbeRoute {
  readonly probe: 'heartbeat' | 'health' | 'metrics'
  readonly method: 'GET'
  readonly path: string
}

/** The route of the OpenAPI document, served with the option `openApiDocument`. */
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
  ignore_case: { member: 'ignoreCase', type: 'boolean', extension: true },
  sort_by: { member: 'sortBy', type: 'string', extension: true },
  sort_order: { member: 'sortOrder', type: 'string', extension: true },
} as const
const newFile = {
  name: { member: 'name', type: 'string' },
  section_id: { member: 'sectionId', type: 'string' },
  file_id: { member: 'fileId', type: 'string' },
} as const
const activityPage = {
  limit: { member: 'limit', type: 'integer' },
  offset: { member: 'offset', type: 'integer' },
  after: { member: 'after', type: 'string', extension: true },
  vault_id: { member: 'vaultId', type: 'string', extension: true },
  item_id: { member: 'itemId', type: 'string', extension: true },
  caller_id: { member: 'callerId', type: 'string', extension: true },
  operation: { member: 'operation', type: 'string', extension: true },
  result: { member: 'result', type: 'string', extension: true },
  since: { member: 'since', type: 'string', extension: true },
  until: { member: 'until', type: 'string', extension: true },
} as const

/** Names of the id of a new vault. */
const vaultIds = ['id', 'vaultId']

const conditional = true
const extension = true

/** The routes of all operations. */
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
    body: ['name', 'description'],
    pathOnly: vaultIds,
    extension,
  },
  {
    operation: 'createVault',
    id: 'createVaultWithId',
    method: 'PUT',
    path: vault,
    body: ['name', 'description'],
    pathOnly: vaultIds,
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
  {
    operation: 'regenerateField',
    method: 'POST',
    path: `${item}/fields/{fieldId}/regenerate`,
    body: ['recipe'],
    conditional,
    extension,
  },
  { operation: 'describeItem', method: 'GET', path: `${item}/description`, extension },
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

/** The routes that need no operation and no token. */
export const probes: readonly ProbeRoute[] = [
  { probe: 'heartbeat', method: 'GET', path: '/heartbeat' },
  { probe: 'health', method: 'GET', path: '/health' },
  { probe: 'metrics', method: 'GET', path: '/metrics' },
]
