/** Requests of the HashiCorp Vault plugin, which sends the input of its user unchanged. */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'
import { goHeaders, zeroTimes } from './go-requests.js'

const client = 'vault-plugin-secrets-onepassword'
const headers = { ...goHeaders, 'user-agent': 'connect-sdk-go/1.1.0' } as const

/** The requests of `vault read`, `write`, `list` and `delete`. */
export function vaultPluginRequests({
  vaultId,
  items,
  item,
  itemId,
  oddId,
}: ReplayVault): ReplayedRequest[] {
  const body = {
    id: '',
    title: 'Test Item',
    urls: [{ primary: true, href: '' }],
    vault: { id: vaultId },
    category: 'DATABASE',
    sections: [{ id: 'new_section', label: 'New Section' }],
    fields: [
      { id: 'some_id', type: 'string', label: 'some title', value: 'some value' },
      { id: 'username', type: 'STRING', purpose: 'username', label: 'username', value: 'new_user' },
      {
        ...{ id: '', type: '', purpose: 'password', section: { id: 'new_section' } },
        ...{ generate: true, recipe: { length: 0, characterSets: ['letters', 'digits'] } },
      },
    ],
    ...zeroTimes,
  }
  const returned = {
    title: 'Test Item',
    category: 'DATABASE',
    createdAt: '2026-01-01T00:00:00.000Z',
    urls: [{ primary: true, href: '' }],
    fields: [
      { id: 'some_id', type: 'STRING', label: 'some title', value: 'some value' },
      { id: 'username', purpose: 'USERNAME', value: 'new_user' },
      { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: generatedValue },
    ],
  }
  return [
    {
      client,
      does: 'vault list op/vaults',
      method: 'GET',
      path: '/v1/vaults',
      headers,
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      client,
      does: 'vault list op/vaults/.../items',
      method: 'GET',
      path: items,
      headers,
      expects: {
        status: 200,
        shape: 'summaries',
        body: expect.arrayContaining([
          expect.objectContaining({ id: itemId, title: 'Example' }),
          expect.objectContaining({ id: oddId }),
        ]),
      },
    },
    {
      client,
      does: 'vault write op/vaults/.../items',
      method: 'POST',
      path: items,
      headers,
      body,
      expects: { status: 200, shape: 'item', body: returned },
    },
    {
      client,
      does: 'vault write op/vaults/.../items, without a category',
      method: 'POST',
      path: items,
      headers,
      body: { ...body, category: undefined },
      expects: { status: 400, shape: 'error', body: { message: messageContaining('category') } },
    },
    {
      client,
      does: 'vault write op/vaults/.../items/...',
      method: 'PUT',
      path: item,
      headers,
      body: { ...body, id: itemId },
      expects: { status: 200, shape: 'item', body: { ...returned, id: itemId, version: 3 } },
    },
    {
      client,
      does: 'vault read op/vaults/.../items/...',
      method: 'GET',
      path: item,
      headers,
      expects: {
        status: 200,
        shape: 'item',
        body: { fields: [{ label: 'username' }, {}, {}, {}] },
      },
    },
    {
      client,
      does: 'vault read op/vaults/.../items/..., by a title',
      method: 'GET',
      path: `${items}?filter=title+eq+%22Example%22`,
      headers,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      client,
      does: 'vault delete op/vaults/.../items/...',
      method: 'DELETE',
      path: item,
      headers,
      expects: { status: 204, shape: 'nothing', body: { text: '' } },
    },
  ]
}

const generatedValue = expect.stringMatching(/^[\dA-Za-z]{32}$/)

function messageContaining(attribute: string): unknown {
  return expect.stringContaining(attribute)
}
