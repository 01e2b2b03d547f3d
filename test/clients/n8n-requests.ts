/**
 * Requests of n8n: of the community node, which builds them from what its user enters
 * (n8layer/n8n-nodes-1password, nodes/1password/descriptions/), and of its external secrets
 * (n8n-io/n8n, packages/cli/src/modules/external-secrets.ee/providers/one-password/), which use the
 * JavaScript client.
 */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'

/** n8n sends the content type of a node without a body, too. */
const nodeHeaders = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'n8n',
  'accept-encoding': 'gzip, compress, deflate, br',
} as const

const secretsHeaders = {
  accept: 'application/json, text/plain, */*',
  'content-type': 'application/json',
  'user-agent': 'connect-sdk-js/1.4.2',
  'accept-encoding': 'gzip, compress, deflate, br',
  connection: 'keep-alive',
} as const

const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)

/** The requests of the node's operations, then those of an update of the external secrets. */
export function n8nRequests(known: ReplayVault): ReplayedRequest[] {
  return [...nodeRequests(known), ...fileRequests(known), ...secretsRequests(known)]
}

function nodeRequests({ vaultId, items, item, itemId }: ReplayVault): ReplayedRequest[] {
  const client = 'n8n-nodes-1password'
  const get = { client, method: 'GET', headers: nodeHeaders }
  return [
    {
      ...get,
      does: 'Get Vaults',
      path: '/v1/vaults',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'List Items without a filter, which it sends empty',
      path: `${items}?filter=`,
      expects: { status: 200, shape: 'summaries', body: [{}, {}] },
    },
    {
      ...get,
      does: 'List Items with a filter',
      path: `${items}?filter=title%20eq%20%22Example%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'Add an Item, with the settings of the generator beside the field',
      method: 'POST',
      path: items,
      body: {
        vault: { id: vaultId },
        title: 'From a workflow',
        category: 'LOGIN',
        tags: ['a', 'b'],
        urls: [{ href: '', primary: false }],
        favorite: false,
        sections: [{ id: '', label: '' }],
        fields: [
          {
            ...{ id: '', label: '', purpose: 'USERNAME', sectionId: 'main', type: 'STRING' },
            ...{ value: 'wendy', section: { id: 'main' } },
          },
          {
            ...{ characterSets: ['LETTERS', 'DIGITS'], excludeCharacters: '', generate: true },
            ...{ id: '', label: '', passwordLength: 32, purpose: 'PASSWORD', sectionId: '' },
            ...{ type: 'STRING', value: '' },
          },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          tags: ['a', 'b'],
          sections: [{ id: newId, label: '' }, { id: 'main' }],
          fields: [
            { id: 'username', value: 'wendy', section: { id: 'main' } },
            { id: 'password', value: expect.stringMatching(/^.{32}$/) },
            { id: 'notesPlain' },
          ],
        },
      },
    },
    {
      ...get,
      does: 'Delete an Item',
      method: 'DELETE',
      path: item,
      expects: { status: 204, shape: 'nothing', body: { text: '' } },
    },
  ]
}

/**
 * The node sends the text of its expression in place of its value, so that `inline_content` is
 * neither true nor false.
 */
function fileRequests({ vault, item }: ReplayVault): ReplayedRequest[] {
  const { smallFile, largeFile } = vault
  const query = 'inline_content=%7B%7B%20%24parameter.inlineContent%20%7D%7D'
  const get = { client: 'n8n-nodes-1password', method: 'GET', headers: nodeHeaders }
  return [
    {
      ...get,
      does: 'List Files',
      path: `${item}/files?${query}`,
      expects: { status: 200, shape: 'files', body: [smallFile, largeFile] },
    },
    {
      ...get,
      does: 'Get File Details',
      path: `${item}/files/${largeFile.id}?${query}`,
      expects: { status: 200, shape: 'file', body: largeFile },
    },
    {
      ...get,
      does: 'Get File Content',
      path: `${item}/files/${smallFile.id}/content?${query}`,
      expects: { status: 200, shape: 'bytes', body: { text: 'hello', length: 5 } },
    },
  ]
}

function secretsRequests({ vaultId, items, item }: ReplayVault): ReplayedRequest[] {
  const get = { client: 'n8n external secrets', method: 'GET', headers: secretsHeaders }
  return [
    {
      ...get,
      does: 'test, which lists the vaults, and then update',
      path: '/v1/vaults/',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'update skips items without an id or a title',
      path: items,
      expects: {
        status: 200,
        shape: 'summaries',
        body: [
          { id: /./, title: /./ },
          { id: /./, title: /./ },
        ],
      },
    },
    {
      ...get,
      does: 'update reads labels and values of fields',
      path: item,
      expects: {
        status: 200,
        shape: 'item',
        body: { title: 'Example', fields: [{}, {}, { label: 'PIN', value: '1234' }, {}] },
      },
    },
  ]
}
