/** The example requests of the routes that the published service lacks. */

import type { MethodName } from '../../../src/http.js'
import {
  createdVaultPath,
  type Examples,
  filesPath,
  itemsPath,
  missingId,
  routerPath,
  vaultPath,
  vaults,
} from './example-context.js'

/** The id of a vault that a client has chosen. */
const chosenVaultId = 'cellar'.padEnd(26, 'x')

/** The examples by the names of their routes. */
export const extensionExamples = {
  createVault: () => [
    { path: vaults, body: { json: { name: 'Warehouse', description: 'Opens in May' } } },
    {
      title: 'An id in the body',
      path: vaults,
      body: { json: { id: chosenVaultId, name: 'Warehouse' } },
    },
  ],
  createVaultWithId: () => [
    { method: 'PUT', path: `${vaults}/${chosenVaultId}`, body: { json: { name: 'Cellar' } } },
    {
      title: 'An id that is taken',
      method: 'PUT',
      path: `${vaults}/${chosenVaultId}`,
      body: { json: { name: 'Cellar' } },
    },
  ],
  updateVault: (context) => [
    {
      method: 'PATCH',
      path: createdVaultPath(context),
      ifMatch: '"1"',
      body: { json: { name: 'Depot', description: null } },
    },
    {
      title: 'The same again, but the vault is at version 2 now',
      method: 'PATCH',
      path: createdVaultPath(context),
      ifMatch: '"1"',
      body: { json: { name: 'Depot' } },
    },
  ],
  deleteVault: (context) => [
    { method: 'DELETE', path: createdVaultPath(context) },
    {
      title: 'A token that can only read',
      method: 'DELETE',
      path: vaultPath(context),
      token: 'READER_TOKEN',
    },
  ],
  getItems: (context) => [
    {
      path: `${vaultPath(context)}/get-items`,
      body: { json: { itemIds: [context.ids.printer, missingId] } },
    },
    {
      title: 'An empty list',
      path: `${vaultPath(context)}/get-items`,
      body: { json: { itemIds: [] } },
    },
  ],
  attachFile: (context) => [
    { path: `${filesPath(context)}?name=ca.pem`, body: 'file' },
    { title: 'Without a name', path: filesPath(context), body: 'file' },
  ],
  removeFile: (context) => {
    const path = `${filesPath(context)}/${context.idFrom('attachFile')}`
    return [
      { method: 'DELETE', path },
      { title: 'The same again', method: 'DELETE', path },
    ]
  },
  setItemState: (context) => [
    {
      method: 'PUT',
      path: `${routerPath(context)}/state`,
      body: { json: { state: 'ARCHIVED' } },
    },
    {
      title: 'An unknown state',
      method: 'PUT',
      path: `${routerPath(context)}/state`,
      body: { json: { state: 'LOST' } },
    },
    {
      title: 'Back again',
      method: 'PUT',
      path: `${routerPath(context)}/state`,
      body: { json: { state: 'ACTIVE' } },
    },
  ],
  regenerateField: (context) => [
    {
      path: `${routerPath(context)}/fields/password/regenerate`,
      body: { json: { recipe: { length: 20, characterSets: ['LETTERS', 'DIGITS'] } } },
    },
    {
      title: 'A field that does not exist',
      path: `${routerPath(context)}/fields/pin/regenerate`,
      body: { json: {} },
    },
  ],
  describeItem: (context) => [
    { path: `${routerPath(context)}/description` },
    {
      title: 'An item that does not exist',
      path: `${itemsPath(context)}/${missingId}/description`,
    },
  ],
  listVersions: (context) => [
    { path: `${routerPath(context)}/versions` },
    { title: 'An item that does not exist', path: `${itemsPath(context)}/${missingId}/versions` },
  ],
  getVersion: (context) => [
    { path: `${routerPath(context)}/versions/3` },
    {
      title: 'A version that is no longer kept',
      path: `${routerPath(context)}/versions/1`,
    },
  ],
  restoreVersion: (context) => [
    { method: 'POST', path: `${routerPath(context)}/versions/3/restore` },
    {
      title: 'A version that does not exist yet',
      method: 'POST',
      path: `${routerPath(context)}/versions/99/restore`,
    },
  ],
} satisfies Partial<Record<MethodName | 'createVaultWithId', Examples>>
