/** Requests as they are written by hand with curl, in scripts and in health checks. */

import { expect } from 'vitest'
import type { Known, Replayed } from '../support/http/replay.js'

const client = 'curl'
const headers = { 'user-agent': 'curl/8.5.0', accept: '*/*' } as const
const json = { ...headers, 'content-type': 'application/json' } as const

/** What no client library sends, and people do. */
export function handWrittenRequests({ vault, vaultId, items, item, itemId }: Known): Replayed[] {
  const { smallFile, largeFile } = vault
  const get = { client, method: 'GET', headers }
  const patch = { client, method: 'PATCH', path: item, headers: json }
  return [
    {
      ...get,
      does: 'lists vaults with a slash at the end',
      path: '/v1/vaults/',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'lists items with a slash at the end and a filter behind it',
      path: `${items}/?filter=title%20eq%20%22Example%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'lists files with a slash at the end',
      path: `${item}/files/`,
      expects: { status: 200, shape: 'files', body: [smallFile, largeFile] },
    },
    {
      ...get,
      does: 'filters with quotes that are not escaped at all',
      path: `${items}?filter=title+eq+"Example"+or+tag+eq+"none"`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'filters with keywords in capitals and in parentheses',
      path: `${items}?filter=(TITLE%20EQ%20%22Example%22)%20AND%20(Tag%20Eq%20%22work%22)`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'asks for the content of a file by its older name',
      path: `${item}/files/${smallFile.id}?inline_content=true`,
      expects: { status: 200, shape: 'file', body: { content: 'aGVsbG8=' } },
    },
    {
      ...get,
      does: 'asks for the contents of all files, of which one is too large',
      path: `${item}/files?inline_files=true`,
      expects: { status: 200, shape: 'files', body: [{ content: 'aGVsbG8=' }, largeFile] },
    },
    {
      ...get,
      does: 'asks for the content of a file that is too large',
      path: `${item}/files/${largeFile.id}?inline_files=true`,
      expects: {
        status: 413,
        shape: 'error',
        body: { message: expect.stringContaining(largeFile.content_path) },
      },
    },
    ...([{}, '', undefined] as const).map((named): Replayed => {
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
          fields: [{}, {}, { label: 'Pin' }, { label: 'phone', type: 'PHONE' }],
        },
      },
    },
    {
      ...patch,
      does: 'patches with nothing, and is answered the item as it is',
      body: '[]',
      expects: { status: 200, shape: 'item', body: vault.item },
    },
    {
      ...patch,
      does: 'sends what is no JSON',
      body: '{"title": ',
      expects: { status: 400, shape: 'error' },
    },
    {
      client: 'a health check',
      does: 'asks whether the service is there',
      method: 'GET',
      path: '/heartbeat',
      headers,
      expects: { status: 200, shape: 'bytes', body: { text: '.' } },
    },
    {
      client: 'a health check',
      does: 'asks whether its store answers',
      method: 'GET',
      path: '/health',
      headers,
      expects: { status: 200, shape: 'health', body: { dependencies: [{ status: 'ACTIVE' }] } },
    },
  ]
}
