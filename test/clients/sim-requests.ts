/**
 * Requests of Sim, whose blocks send the input of their user unchanged
 * (simstudioai/sim, apps/sim/app/api/tools/onepassword/, and secureFetchWithPinnedIP in
 * apps/sim/lib/core/security/input-validation.server.ts). It sends bodies in chunks, and few headers.
 */

import { expect } from 'vitest'
import { otpauth, type ReplayedRequest, type ReplayVault } from '../support/http/replay.js'

const client = 'Sim'
const headers = { connection: 'close' } as const
const chunkedJson = {
  ...headers,
  'content-type': 'application/json',
  'transfer-encoding': 'chunked',
} as const

/** The requests of its blocks that no other client sends, with the inputs that they suggest. */
export function simRequests({ vaultId, items, item }: ReplayVault): ReplayedRequest[] {
  const created = { vault: { id: vaultId }, category: 'LOGIN', title: 'My Login' }
  const username = { label: 'username', value: 'admin', type: 'STRING', purpose: 'USERNAME' }
  return [
    {
      client,
      does: 'list_vaults with a filter by name',
      method: 'GET',
      path: '/v1/vaults?filter=name%20eq%20%22Test%22',
      headers,
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      client,
      does: 'create_item with an empty purpose and the type TOTP',
      method: 'POST',
      path: items,
      headers: chunkedJson,
      body: {
        ...created,
        tags: ['production', 'api'],
        fields: [username, { label: 'code', value: otpauth, type: 'TOTP', purpose: '' }],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          tags: ['production', 'api'],
          fields: [
            { id: 'username', value: 'admin' },
            { type: 'OTP', purpose: '', totp: expect.stringMatching(/^\d{8}$/) },
            { id: 'notesPlain' },
          ],
        },
      },
    },
    {
      client,
      does: 'replace_item without ids of fields',
      method: 'PUT',
      path: item,
      headers: chunkedJson,
      body: { ...created, fields: [username] },
      expects: {
        status: 200,
        shape: 'item',
        body: { title: 'My Login', fields: [{ id: 'username', value: 'admin' }, {}] },
      },
    },
    {
      client,
      does: 'update_item with a path to the end of the tags',
      method: 'PATCH',
      path: item,
      headers: chunkedJson,
      body: [
        { op: 'replace', path: '/title', value: 'New Title' },
        { op: 'replace', path: '/fields/username/value', value: 'newuser' },
        { op: 'add', path: '/tags/-', value: 'production' },
      ],
      expects: {
        status: 200,
        shape: 'item',
        body: {
          title: 'New Title',
          tags: ['work', 'mail', 'production'],
          fields: [{ id: 'username', value: 'newuser' }, {}, {}, {}],
        },
      },
    },
    {
      client,
      does: 'delete_item',
      method: 'DELETE',
      path: item,
      headers,
      expects: { status: 204, shape: 'nothing', body: { text: '' } },
    },
  ]
}
