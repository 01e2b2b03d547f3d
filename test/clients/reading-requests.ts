/** Requests of smaller clients, most of which only read. Each differs from the others in one way. */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'
import { goHeaders } from './go-requests.js'

/** The requests in which the clients differ from others. */
export function readingRequests(known: ReplayVault): ReplayedRequest[] {
  const { vault, vaultId, items, item } = known
  const { full } = vault.tokens
  return [
    ...puppetRequests(full, items, vaultId),
    ...docoCdRequests(known),
    ...sekretoRequests(known),
    ...metadeskRequests(known),
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

/**
 * kimdre/doco-cd, internal/secretprovider/1password/client_connect.go: `op://` references, resolved
 * with the Go client, whose tracing it disables.
 */
function docoCdRequests({ vaultId, items, item, itemId, oddId }: ReplayVault): ReplayedRequest[] {
  const get = {
    client: 'doco-cd',
    method: 'GET',
    headers: {
      'user-agent': 'doco-cd/dev',
      'accept-encoding': 'gzip',
      'content-type': 'application/json',
    },
  }
  return [
    {
      ...get,
      does: 'finds the vault of op://Test/Example/More/PIN by its title',
      path: '/v1/vaults?filter=title+eq+%22Test%22',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'finds the item by its title',
      path: `${items}?filter=title+eq+%22Example%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId, vault: { id: vaultId } }] },
    },
    {
      ...get,
      does: 'finds the field by its label and the label of its section',
      path: item,
      expects: {
        status: 200,
        shape: 'item',
        body: { fields: [{}, {}, { label: 'PIN', section: { label: 'More' } }, {}] },
      },
    },
    {
      ...get,
      does: 'reads the one-time code for ?attribute=otp',
      path: `${items}/${oddId}`,
      expects: {
        status: 200,
        shape: 'item',
        body: { fields: [{ label: 'code', totp: expect.stringMatching(/^\d{8}$/) }, {}] },
      },
    },
  ]
}

/**
 * voxgig/sekreto, onepassword and httpjson in the plugins of its ports: the same three requests, with
 * the headers of each language's HTTP library. Those for C and for Rust write them to a socket.
 */
function sekretoRequests({ vaultId, items, item }: ReplayVault): ReplayedRequest[] {
  const get = { client: 'sekreto', method: 'GET' }
  return [
    {
      ...get,
      does: 'finds a vault by its id or its name in the list (Python)',
      path: '/v1/vaults',
      headers: {
        'accept-encoding': 'identity',
        'user-agent': 'Python-urllib/3.12',
        connection: 'close',
      },
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      ...get,
      does: 'takes an empty list for an absent secret (TypeScript)',
      path: `${items}?filter=title%20eq%20%22api.token%22`,
      headers: {
        connection: 'keep-alive',
        accept: '*/*',
        'accept-language': '*',
        'sec-fetch-mode': 'cors',
        'user-agent': 'node',
        'accept-encoding': 'gzip, deflate',
      },
      expects: { status: 200, shape: 'summaries', body: [] },
    },
    {
      ...get,
      does: 'reads the field whose purpose is PASSWORD (C, Rust)',
      path: item,
      headers: { accept: 'application/json', connection: 'close' },
      expects: {
        status: 200,
        shape: 'item',
        body: { fields: [{}, { purpose: 'PASSWORD', value: /./ }, {}, {}] },
      },
    },
  ]
}

/** chebizarro/metadesk, src/core/secrets.c, which cannot read chunked responses. */
function metadeskRequests({ items, itemId }: ReplayVault): ReplayedRequest[] {
  const get = {
    client: 'metadesk',
    method: 'GET',
    headers: { accept: 'application/json', connection: 'close' },
  }
  return [
    {
      ...get,
      does: 'finds an item by its title, between quotes that are not escaped',
      path: `${items}?filter=title%20eq%20"Example"`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'checks the connection with the activity',
      path: '/v1/activity',
      expects: { status: 200, shape: 'activity' },
    },
  ]
}
