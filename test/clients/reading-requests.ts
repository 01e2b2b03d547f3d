/** Requests of smaller clients, most of which only read. Each differs from the others in one way. */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'
import { goHeaders } from './go-requests.js'

/** The requests in which the clients differ from others. */
export function readingRequests({ vault, vaultId, items, item }: ReplayVault): ReplayedRequest[] {
  const { full } = vault.tokens
  return [
    ...puppetRequests(full, items, vaultId),
    {
      // partydrone/connect-sdk-ruby, lib/op_connect/server_health.rb
      client: 'op_connect (Ruby)',
      does: 'health, of which it reads name and version',
      method: 'GET',
      path: '/health',
      headers: { 'user-agent': '1Password Connect Ruby SDK 0.1.2', accept: '*/*' },
      expects: {
        status: 200,
        shape: 'health',
        body: { name: '1Password Connect API', version: expect.stringMatching(/^1\.\d+\.\d+$/) },
      },
    },
    {
      // helmfile/vals, pkg/providers/onepasswordconnect/onepasswordconnect.go
      client: 'vals',
      does: 'GetString builds keys from the label of a section and the label of a field',
      method: 'GET',
      path: item,
      headers: goHeaders,
      expects: {
        status: 200,
        shape: 'item',
        body: { fields: [{}, {}, { label: 'PIN', section: { id: 'more', label: 'More' } }, {}] },
      },
    },
    {
      // dskyberg/op_connect_rs, src/async_lib.rs
      client: 'op_connect_rs (Rust)',
      does: 'get_vault_by_name, with a parameter that the API does not have',
      method: 'GET',
      path: '/v1/vaults?name=%22Test%22',
      headers: { accept: 'application/json' },
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      // bsodmike/connect-1password, src/vaults.rs and src/client.rs
      client: 'connect-1password (Rust)',
      does: 'all, with an empty parameter and two empty separators',
      method: 'GET',
      path: '/v1/vaults?=&',
      headers: { accept: 'application/json' },
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
  ]
}

/** Bryxxit/bryxxit-onepassword_lookup, lib/puppet/functions/onepassword_lookup.rb */
function puppetRequests(token: string, items: string, vaultId: string): ReplayedRequest[] {
  const get = {
    client: 'onepassword_lookup (Puppet)',
    method: 'GET',
    headers: {
      authorization: `Authorization: Bearer ${token}`,
      'content-type': 'application/json',
      'cache-control': 'no-cache',
      'accept-encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
      accept: '*/*',
      'user-agent': 'Ruby',
    },
  }
  return [
    {
      ...get,
      does: 'get_vaults repeats the name of the header in its value',
      path: '/v1/vaults',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      ...get,
      does: 'get_vault_items finds an item by its title in the list',
      path: items,
      expects: { status: 200, shape: 'summaries' },
    },
  ]
}
