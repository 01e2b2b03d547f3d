/**
 * Read requests of the Go client, on which the operator, the Terraform provider and the Vault
 * plugin are based.
 */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'

const client = 'connect-sdk-go'

/** Headers of every request, with a content type also when there is no body. */
export const goHeaders = {
  'user-agent': 'connect-sdk-go/1.5.3',
  'accept-encoding': 'gzip',
  'content-type': 'application/json',
  'uber-trace-id': '3ab1d0e7fa0a5d9c:3ab1d0e7fa0a5d9c:0:1',
} as const

/** Go always sends times: these are its zero values. */
export const zeroTimes = {
  createdAt: '0001-01-01T00:00:00Z',
  updatedAt: '0001-01-01T00:00:00Z',
} as const

const totpCode = expect.stringMatching(/^\d{8}$/)
const unknownId = 'o'.repeat(26)

/** The requests of its read methods in order. */
export function goRequests({
  vault,
  vaultId,
  items,
  item,
  itemId,
  oddId,
}: ReplayVault): ReplayedRequest[] {
  const { smallFile, largeFile, tokens } = vault
  const get = { client, method: 'GET', headers: goHeaders }
  return [
    {
      ...get,
      does: 'GetVaults',
      path: '/v1/vaults',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      ...get,
      does: 'GetVaults, with a base URL that ends in a slash',
      path: '//v1/vaults',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'GetVaultByUUID',
      path: `/v1/vaults/${vaultId}`,
      expects: { status: 200, shape: 'vault', body: { id: vaultId, attributeVersion: 1 } },
    },
    {
      ...get,
      does: 'GetVault of a title of 26 characters, which it treats as an id',
      path: `/v1/vaults/${unknownId}`,
      expects: { status: 404, shape: 'error', body: { message: `vault ${unknownId} not found` } },
    },
    {
      ...get,
      does: 'GetVaultsByTitle',
      path: '/v1/vaults?filter=title+eq+%22Test%22',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'GetVaultsByTitle of a title that no vault has',
      path: '/v1/vaults?filter=title+eq+%22test%22',
      expects: { status: 200, shape: 'vaults', body: [] },
    },
    {
      ...get,
      does: 'GetItems',
      path: items,
      expects: {
        status: 200,
        shape: 'summaries',
        body: [{ vault: { id: vaultId } }, { vault: { id: vaultId } }],
      },
    },
    {
      ...get,
      does: 'GetItemByUUID',
      path: item,
      expects: {
        status: 200,
        shape: 'item',
        body: { id: itemId, vault: { id: vaultId }, version: 3, title: 'Example' },
      },
    },
    {
      ...get,
      does: 'GetItem of a title of 26 characters, which it treats as an id',
      path: `${items}/${unknownId}`,
      expects: { status: 404, shape: 'error', body: { message: `item ${unknownId} not found` } },
    },
    {
      ...get,
      does: 'GetItemsByTitle, whose summaries must name their vault',
      path: `${items}?filter=title+eq+%22Example%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId, vault: { id: vaultId } }] },
    },
    {
      ...get,
      does: 'GetItemsByTitle of a title with quotes, which it does not escape in the filter',
      path: `${items}?filter=title+eq+%22Say+%22hi%22+%26+C%2B%2B+100%25%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: oddId }] },
    },
    {
      ...get,
      does: 'GetItemByUUID of an item with a one-time code',
      path: `${items}/${oddId}`,
      expects: {
        status: 200,
        shape: 'item',
        body: { fields: [{ type: 'OTP', totp: totpCode }, { id: 'notesPlain' }] },
      },
    },
    {
      ...get,
      does: 'GetFiles, which requires server version 1.3.0',
      path: `${item}/files`,
      expects: { status: 200, shape: 'files', body: [smallFile, largeFile] },
    },
    {
      ...get,
      does: 'GetFile',
      path: `${item}/files/${smallFile.id}`,
      expects: { status: 200, shape: 'file', body: { name: 'hello.txt', size: 5 } },
    },
    {
      ...get,
      does: 'GetFileContent, from the content path of the file',
      path: largeFile.content_path,
      expects: { status: 200, shape: 'bytes', body: { text: '\x07'.repeat(1025), length: 1025 } },
    },
    {
      ...get,
      does: 'GetItems with an unknown token',
      path: items,
      headers: { ...goHeaders, authorization: 'Bearer unknown' },
      expects: { status: 401, shape: 'error', body: { message: 'Invalid bearer token' } },
    },
    {
      ...get,
      does: 'GetItems of a vault outside the scope of the token',
      path: items,
      headers: { ...goHeaders, authorization: `Bearer ${tokens.otherVault}` },
      expects: {
        status: 403,
        shape: 'error',
        body: { message: `vault ${vaultId} is not in scope` },
      },
    },
  ]
}
