/**
 * Requests of External Secrets, which copies items into Kubernetes and pushes secrets into items
 * (external-secrets/external-secrets, providers/v1/onepassword/onepassword.go). It uses the Go
 * client, and puts the vault of its configuration, which is a name, in the place of the vault's id.
 */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'
import { goHeaders, zeroTimes } from './go-requests.js'

const client = 'external-secrets'
const headers = { ...goHeaders, 'user-agent': 'external-secrets' } as const
const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)

/** The requests of an ExternalSecret and of a PushSecret, in order. */
export function externalSecretsRequests({
  vault,
  vaultId,
  items,
  item,
  itemId,
}: ReplayVault): ReplayedRequest[] {
  return [
    {
      client,
      does: 'Validate finds the vault of a store by its name',
      method: 'GET',
      path: '/v1/vaults?filter=title+eq+%22Test%22',
      headers,
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      client,
      does: 'PushSecret creates an item with the name of the vault as its id',
      method: 'POST',
      path: items,
      headers,
      body: {
        id: '',
        title: 'pushed',
        vault: { id: 'Test' },
        category: 'SERVER',
        tags: ['kubernetes'],
        fields: [{ id: '', type: 'CONCEALED', label: 'password', value: 'correct horse' }],
        ...zeroTimes,
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          vault: { id: vaultId },
          fields: [{ id: newId, type: 'CONCEALED', label: 'password', value: 'correct horse' }],
        },
      },
    },
    {
      client,
      does: 'PushSecret adds a field to an item that it has read',
      method: 'PUT',
      path: item,
      headers,
      body: {
        ...vault.item,
        fields: [
          ...vault.item.fields,
          { id: '', type: 'CONCEALED', label: 'token', value: 'correct horse' },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: { id: itemId, fields: [{}, {}, {}, {}, { id: newId, label: 'token' }] },
      },
    },
  ]
}
