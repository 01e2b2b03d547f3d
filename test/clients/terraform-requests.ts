/**
 * Requests of the Terraform provider, which generates the ids of fields and sections itself and
 * polls after each change.
 */

import { expect } from 'vitest'
import type { Known, Replayed } from '../support/http/replay.js'
import { goHeaders, zeroTimes } from './go-requests.js'

const client = 'terraform-provider-onepassword'
const headers = { ...goHeaders, 'user-agent': 'terraform-provider-connect/2.1.2' } as const

const section = { id: '6f7c2c4d-61a8-4dd5-a1ab-5bd6c0a5f001', label: 'Replica' }

/** The requests of a resource and its data sources. */
export function terraformRequests({ vault, vaultId, items, item, itemId }: Known): Replayed[] {
  const { largeFile } = vault
  const put = { client, method: 'PUT', headers, path: item }
  const post = { client, method: 'POST', headers, path: items }
  const common = { id: '', vault: { id: vaultId }, ...zeroTimes }
  return [
    {
      ...post,
      does: 'creates a login with a generated password',
      body: {
        ...common,
        title: 'Demo Login',
        urls: [{ primary: true, href: '' }],
        category: 'LOGIN',
        fields: [
          { id: 'username', type: 'STRING', purpose: 'USERNAME', label: 'username' },
          {
            ...{ id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', label: 'password' },
            ...{ generate: true, recipe: { length: 40, characterSets: ['SYMBOLS', 'DIGITS'] } },
          },
          { id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain' },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          version: 1,
          urls: [{ primary: true, href: '' }],
          fields: [
            { id: 'username' },
            { id: 'password', value: expect.stringMatching(/^[\d!@.*_-]{40}$/) },
            { id: 'notesPlain' },
          ],
        },
      },
    },
    {
      ...post,
      does: 'creates a database whose fields repeat the label of their section',
      body: {
        ...common,
        title: 'Demo Database',
        tags: ['terraform'],
        category: 'DATABASE',
        sections: [section],
        fields: [
          { id: 'username', type: 'STRING', label: 'username', value: 'wendy' },
          { id: 'password', type: 'CONCEALED', label: 'password', generate: true },
          { id: 'database_type', type: 'STRING', label: 'type', value: 'mysql' },
          { id: '0d6d', section, type: 'URL', label: 'host', value: 'db.example' },
          { id: '8f1e', section, type: 'MONTH_YEAR', label: 'until', value: '202612' },
          {
            id: '77aa',
            section,
            type: 'CONCEALED',
            purpose: '',
            label: 'x',
            recipe: { length: 0 },
          },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          sections: [section],
          fields: [
            { id: 'username', value: 'wendy' },
            { id: 'password', value: expect.stringMatching(/^.{32}$/) },
            { id: 'database_type', value: 'mysql' },
            { id: '0d6d', section: { id: section.id } },
            { id: '8f1e', value: '202612' },
            { id: '77aa' },
          ],
        },
      },
    },
    {
      ...put,
      does: 'updates an item, and adds one to the returned version',
      body: {
        id: itemId,
        title: 'Changed',
        tags: ['terraform'],
        vault: { id: vaultId },
        category: 'LOGIN',
        version: 3,
        fields: vault.item.fields,
        sections: vault.item.sections,
        files: [{ ...largeFile, section: { id: 'more', label: 'More' } }],
        ...zeroTimes,
      },
      expects: {
        status: 200,
        shape: 'item',
        body: { title: 'Changed', version: 3, files: vault.item.files },
      },
    },
    {
      ...put,
      does: 'updates an item with another vault than that of the path',
      body: { ...common, id: itemId, vault: { id: 'o'.repeat(26) }, category: 'LOGIN' },
      expects: { status: 400, shape: 'error' },
    },
    {
      client,
      does: 'polls the item',
      method: 'GET',
      path: item,
      headers,
      expects: { status: 200, shape: 'item', body: { id: itemId, version: 3 } },
    },
    {
      client,
      does: 'deletes the item',
      method: 'DELETE',
      path: item,
      headers,
      expects: { status: 204, shape: 'nothing', body: { text: '' } },
    },
    {
      client,
      does: 'finds the vault of a data source by its name',
      method: 'GET',
      path: '/v1/vaults?filter=title+eq+%22Test%22',
      headers,
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      client,
      does: 'reads a file of a data source from its content path',
      method: 'GET',
      path: largeFile.content_path,
      headers,
      expects: { status: 200, shape: 'bytes', body: { length: 1025 } },
    },
  ]
}
