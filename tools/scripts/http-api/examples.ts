/** The example requests of the HTTP API reference. */

import type { ProbeRoute } from '../../../src/http/routes.js'
import {
  type Examples,
  filesPath,
  itemsPath,
  missingId,
  routerPath,
  vaultPath,
  vaults,
} from './example-context.js'
import type { ExampleRequest } from './example-request.js'
import { extensionExamples } from './extension-examples.js'

/** The examples of each route, by its name. They are sent in the order of the page. */
export const operationExamples: Readonly<Record<string, Examples | undefined>> = {
  listVaults: () => [
    { path: vaults, query: { filter: 'name eq "Office"' } },
    { title: 'A filter that is not complete', path: vaults, query: { filter: 'name eq' } },
  ],
  getVault: (context) => [
    { path: vaultPath(context) },
    { title: 'A vault that does not exist', path: `${vaults}/${missingId}` },
  ],
  listItems: (context) => [
    { path: itemsPath(context), query: { limit: '1' } },
    {
      title: 'A filter by an attribute that lists do not have',
      path: itemsPath(context),
      query: { filter: 'password eq "s3cret"' },
    },
  ],
  createItem: (context) => [
    {
      path: itemsPath(context),
      body: {
        json: {
          vault: { id: context.ids.vault },
          category: 'LOGIN',
          title: 'Wi-Fi',
          fields: [
            { id: 'username', purpose: 'USERNAME', value: 'office' },
            { id: 'password', purpose: 'PASSWORD', generate: true, recipe: { length: 24 } },
          ],
        },
      },
    },
    {
      title: 'A date that does not exist, and a field without an id',
      path: itemsPath(context),
      body: {
        json: {
          vault: { id: context.ids.vault },
          category: 'LOGIN',
          fields: [{ id: 'from', type: 'DATE', value: '2026-02-30' }, { type: 'NUMBER' }],
        },
      },
    },
    {
      title: 'A token that can only read',
      path: itemsPath(context),
      token: 'READER_TOKEN',
      body: { json: { vault: { id: context.ids.vault }, category: 'LOGIN' } },
    },
  ],
  getItem: (context) => [
    { path: routerPath(context) },
    { title: 'An item that does not exist', path: `${itemsPath(context)}/${missingId}` },
  ],
  replaceItem: (context) => {
    const request = {
      method: 'PUT',
      path: routerPath(context),
      ifMatch: '"1"',
      body: {
        json: {
          vault: { id: context.ids.vault },
          category: 'LOGIN',
          title: 'Router',
          fields: [
            { id: 'username', purpose: 'USERNAME', value: 'root' },
            { id: 'password', purpose: 'PASSWORD', value: 'correct horse battery staple' },
          ],
        },
      },
    } as const
    return [request, { title: 'The same again. The item is at version 2 now', ...request }]
  },
  patchItem: (context) => [
    {
      method: 'PATCH',
      path: routerPath(context),
      body: {
        json: [
          { op: 'replace', path: '/title', value: 'Router, first floor' },
          { op: 'replace', path: '/fields/username/value', value: 'admin' },
        ],
      },
    },
    {
      title: 'A field that does not exist. Nothing is changed',
      method: 'PATCH',
      path: routerPath(context),
      body: {
        json: [
          { op: 'replace', path: '/title', value: 'Router' },
          { op: 'replace', path: '/fields/pin/value', value: '2580' },
        ],
      },
    },
  ],
  deleteItem: (context) => {
    const path = `${itemsPath(context)}/${context.idFrom('createItem')}`
    return [
      { method: 'DELETE', path },
      { title: 'The same again', method: 'DELETE', path },
    ]
  },
  listFiles: (context) => [
    { path: filesPath(context) },
    { title: 'An item that does not exist', path: `${itemsPath(context)}/${missingId}/files` },
  ],
  getFileDetails: (context) => [
    {
      path: `${filesPath(context)}/${context.ids.manual}`,
      query: { inline_files: 'true' },
    },
    {
      title: 'A file that is larger than `maxInlineFileSizeKb`, here 1',
      path: `${filesPath(context)}/${context.ids.scan}`,
      query: { inline_files: 'true' },
    },
  ],
  readFileContent: (context) => [
    { path: `${filesPath(context)}/${context.ids.manual}/content` },
    { title: 'A file that does not exist', path: `${filesPath(context)}/${missingId}/content` },
  ],
  listActivity: () => [
    { path: '/v1/activity', query: { limit: '2' } },
    { title: 'A limit out of range', path: '/v1/activity', query: { limit: '0' } },
  ],
  ...extensionExamples,
}

/** The examples of the probes. */
export const probeExamples: Readonly<Record<ProbeRoute['probe'], ExampleRequest>> = {
  heartbeat: { path: '/heartbeat', token: null },
  health: { path: '/health', token: null },
  metrics: { path: '/metrics', token: null, grep: 'requests_total{operation="getItem"' },
}

/** The examples of requests that have no route, or no valid token. */
export const otherExamples: readonly ExampleRequest[] = [
  { title: 'Without a token', path: vaults, token: null },
  { title: 'A path that does not exist', path: '/v1/items' },
  { title: 'A method that the path does not have', method: 'DELETE', path: vaults },
]
