/** Requests written by hand with curl, in scripts and in health checks. */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'

const client = 'curl'
const headers = { 'user-agent': 'curl/8.5.0', accept: '*/*' } as const
const json = { ...headers, 'content-type': 'application/json' } as const

/** Requests that people write and no client library sends. */
export function handWrittenRequests({
  vault,
  vaultId,
  items,
  item,
  itemId,
}: ReplayVault): ReplayedRequest[] {
  const { smallFile, largeFile } = vault
  const get = { client, method: 'GET', headers }
  const patch = { client, method: 'PATCH', path: item, headers: json }
  return [
    {
      ...get,
      does: 'lists vaults with a trailing slash',
      path: '/v1/vaults/',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'lists items with a trailing slash before a filter',
      path: `${items}/?filter=title%20eq%20%22Example%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'lists files with a trailing slash',
      path: `${item}/files/`,
      expects: { status: 200, shape: 'files', body: [smallFile, largeFile] },
    },
    {
      ...get,
      does: 'filters with unescaped quotes',
      path: `${items}?filter=title+eq+"Example"+or+tag+eq+"none"`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'filters with upper-case keywords and parentheses',
      path: `${items}?filter=(TITLE%20EQ%20%22Example%22)%20AND%20(Tag%20Eq%20%22work%22)`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'requests the content of a file with inline_content',
      path: `${item}/files/${smallFile.id}?inline_content=true`,
      expects: { status: 200, shape: 'file', body: { content: 'aGVsbG8=' } },
    },
    {
      ...get,
      does: 'requests the contents of all files, one of which is too large',
      path: `${item}/files?inline_files=true`,
      expects: { status: 200, shape: 'files', body: [{ content: 'aGVsbG8=' }, largeFile] },
    },
    {
      ...get,
      does: 'requests the content of a file that is too large',
      path: `${item}/files/${largeFile.id}?inline_files=true`,
      expects: {
        status: 413,
        shape: 'error',
        body: { message: expect.stringContaining(largeFile.content_path) },
      },
    },
    ...([{}, '', undefined] as const).map((named): ReplayedRequest => {
      return {
        client,
        does: `creates an item with ${JSON.stringify(named)} for its vault`,
        method: 'POST',
        path: `${items}/`,
        headers: json,
        body: { vault: named, category: 'login', title: 'Mail' },
        expects: { status: 200, shape: 'item', body: { vault: { id: vaultId } } },
      }
    }),
    {
      ...patch,
      does: 'patches with operations and types in any case',
      body: [
        { op: 'Replace', path: '/fields/pin/label', value: 'Pin' },
        { op: 'ADD', path: '/fields', value: { label: 'phone', type: 'phone', value: '555' } },
        { op: 'remove', path: '/tags/0' },
      ],
      expects: {
        status: 200,
        shape: 'item',
        body: {
          version: 4,
          tags: ['mail'],
          fields: [{}, {}, { label: 'Pin' }, {}, { label: 'phone', type: 'PHONE' }],
        },
      },
    },
    {
      ...patch,
      does: 'sends an empty patch, which returns the item unchanged',
      body: '[]',
      expects: { status: 200, shape: 'item', body: vault.item },
    },
    {
      ...patch,
      does: 'sends invalid JSON',
      body: '{"title": ',
      expects: { status: 400, shape: 'error' },
    },
    {
      client: 'a health check',
      does: 'requests the heartbeat',
      method: 'GET',
      path: '/heartbeat',
      headers,
      expects: { status: 200, shape: 'bytes', body: { text: '.' } },
    },
    {
      client: 'a health check',
      does: 'requests the health of the store',
      method: 'GET',
      path: '/health',
      headers,
      expects: { status: 200, shape: 'health', body: { dependencies: [{ status: 'ACTIVE' }] } },
    },
  ]
}
