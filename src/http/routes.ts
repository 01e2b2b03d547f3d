/** The table of routes: which operation answers which method and path. Pure data. */

import type { OperationName } from '../schema/operations.js'

/** Where an operation is offered over HTTP. */
export interface Route {
  readonly operation: OperationName
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names in braces are members of the operation's input. */
  readonly path: string
  /** The member of the operation's input that the body is; absent if no body is read. */
  readonly body?: 'item' | 'patch'
  /** Query parameter -> the member of the operation's input that it is, and how it is read. */
  readonly query?: Readonly<
    Record<string, { readonly member: string; readonly type: 'boolean' | 'string' }>
  >
  /** Whether `If-Match` is the input's `ifVersion`. */
  readonly conditional?: true
}

const items = '/v1/vaults/{vaultId}/items'
const item = `${items}/{itemId}`
const file = `${item}/files/{fileId}`

/** Every route. */
export const routes: readonly Route[] = [
  { operation: 'getVault', method: 'GET', path: '/v1/vaults/{vaultId}' },
  {
    operation: 'listItems',
    method: 'GET',
    path: items,
    query: { filter: { member: 'filter', type: 'string' } },
  },
  { operation: 'createItem', method: 'POST', path: items, body: 'item' },
  { operation: 'getItem', method: 'GET', path: item },
  { operation: 'replaceItem', method: 'PUT', path: item, body: 'item', conditional: true },
  { operation: 'patchItem', method: 'PATCH', path: item, body: 'patch', conditional: true },
  { operation: 'deleteItem', method: 'DELETE', path: item, conditional: true },
  {
    operation: 'getFileDetails',
    method: 'GET',
    path: file,
    query: { inline_files: { member: 'inlineFiles', type: 'boolean' } },
  },
  { operation: 'readFileContent', method: 'GET', path: `${file}/content` },
]
