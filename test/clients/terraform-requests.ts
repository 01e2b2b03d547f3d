/**
 * Requests of the Terraform provider, which generates the ids of fields and sections itself and
 * polls after each change: written from the source of version 3.3.1, which calls the Go library 1.5.3.
 */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'
import { goHeaders, zeroTimes } from './go-requests.js'

const client = 'terraform-provider-onepassword'
/** The build of the provider sets no version for the user agent. */
const headers = { ...goHeaders, 'user-agent': 'terraform-provider-onepassword/dev' } as const
/** Version 2.1.2 sends the name of the command-line tool in place of a user agent. */
const olderHeaders = { ...goHeaders, 'user-agent': 'op' } as const

const section = { id: '6f7c2c4d-61a8-4dd5-a1ab-5bd6c0a5f001', label: 'Replica' }
const username = { id: 'username', type: 'STRING', purpose: 'USERNAME', label: 'username' }
const password = { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', label: 'password' }
const notes = { id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain' }
const noUrl = [{ primary: true, href: '' }]

/** The requests of a resource, of its data sources and of its ephemeral item. */
export function terraformRequests(known: ReplayVault): ReplayedRequest[] {
  return [...creatingRequests(known), ...changingRequests(known), ...readingRequests(known)]
}

function creatingRequests({ vaultId, items }: ReplayVault): ReplayedRequest[] {
  const post = { client, method: 'POST', headers, path: items }
  const vault = { id: vaultId }
  return [
    {
      ...post,
      does: 'creates a login with a generated password',
      body: {
        ...{ id: '', title: 'Demo Login', urls: noUrl, vault, category: 'LOGIN' },
        fields: [
          username,
          {
            ...{ ...password, generate: true },
            recipe: { length: 40, characterSets: ['LETTERS', 'DIGITS', 'SYMBOLS'] },
          },
          notes,
        ],
        ...zeroTimes,
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          version: 1,
          urls: [{ primary: true, href: '' }],
          fields: [
            { id: 'username' },
            { id: 'password', value: expect.stringMatching(/^[\dA-Za-z!@.*_-]{40}$/) },
            { id: 'notesPlain' },
          ],
        },
      },
    },
    {
      ...post,
      does: 'creates a login as version 2.1.2, whose recipes can have no letters',
      headers: olderHeaders,
      body: {
        ...{ id: '', title: 'Demo Login', urls: noUrl, vault, category: 'LOGIN' },
        fields: [
          username,
          {
            ...{ ...password, generate: true },
            recipe: { length: 40, characterSets: ['DIGITS', 'SYMBOLS'] },
          },
          notes,
        ],
        ...zeroTimes,
      },
      expects: {
        status: 200,
        shape: 'item',
        body: { fields: [{}, { value: expect.stringMatching(/^[\d!@.*_-]{40}$/) }, {}] },
      },
    },
    {
      ...post,
      does: 'creates a password with write-only values',
      body: {
        ...{ id: '', title: 'Write-only', urls: noUrl, vault, category: 'PASSWORD' },
        fields: [
          { ...password, value: 'correct horse' },
          { ...notes, value: 'a note' },
        ],
        ...zeroTimes,
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          fields: [
            { purpose: 'PASSWORD', value: 'correct horse' },
            { purpose: 'NOTES', value: 'a note' },
          ],
        },
      },
    },
    {
      ...post,
      does: 'creates a database whose fields repeat the label of their section',
      body: {
        ...{ id: '', title: 'Demo Database', urls: noUrl, tags: ['terraform'] },
        ...{ vault, category: 'DATABASE', sections: [section] },
        fields: [
          { id: 'username', type: 'STRING', label: 'username', value: 'wendy' },
          { id: 'password', type: 'CONCEALED', label: 'password', generate: true },
          { id: 'hostname', type: 'STRING', label: 'hostname', value: 'db.example' },
          { id: 'database', type: 'STRING', label: 'database' },
          { id: 'port', type: 'STRING', label: 'port', value: '3306' },
          { id: 'database_type', type: 'STRING', label: 'type', value: 'mysql' },
          notes,
          { id: '0d6d', section, type: 'URL', label: 'host', value: 'https://db.example' },
          { id: '8f1e', section, type: 'MONTH_YEAR', label: 'until', value: '202612' },
          { id: '3c07', section, type: 'DATE', label: 'renewed', value: renewed },
          {
            ...{ id: '77aa', section, type: 'CONCEALED', label: 'x', generate: true },
            recipe: { length: 32, characterSets: ['LETTERS'] },
          },
        ],
        ...zeroTimes,
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          sections: [section],
          fields: [
            { id: 'username', value: 'wendy' },
            { id: 'password', value: expect.stringMatching(/^.{32}$/) },
            ...[{ id: 'hostname' }, { id: 'database' }, { id: 'port' }],
            { id: 'database_type', value: 'mysql' },
            { id: 'notesPlain' },
            { id: '0d6d', section },
            { id: '8f1e', value: '202612' },
            { id: '3c07', value: renewed },
            { id: '77aa', value: expect.stringMatching(/^[A-Za-z]{32}$/) },
          ],
        },
      },
    },
  ]
}

const notFound = expect.stringMatching(/not found/)

/** 2026-01-31 at 12:01 UTC, the form in which the provider sends a date. */
const renewed = '1769860860'

function changingRequests(known: ReplayVault): ReplayedRequest[] {
  const { vault, vaultId, items, item, itemId } = known
  const { largeFile } = vault
  const put = { client, method: 'PUT', headers, path: item }
  return [
    {
      ...put,
      does: 'updates an item, and adds one to the returned version',
      body: {
        ...{ id: itemId, title: 'Changed', urls: noUrl, tags: ['terraform'] },
        ...{ vault: { id: vaultId }, category: 'LOGIN', sections: [section] },
        fields: [
          { ...username, value: 'wendy' },
          { ...password, value: 'correct horse' },
          notes,
          { id: '0d6d', section, type: 'STRING', label: 'host', value: 'db.example' },
        ],
        ...zeroTimes,
      },
      expects: {
        status: 200,
        shape: 'item',
        body: { title: 'Changed', version: 3, files: vault.item.files.map(({ id }) => ({ id })) },
      },
    },
    {
      ...put,
      does: 'updates an item with the version and the files, which its model can hold',
      body: {
        ...{ id: itemId, title: 'Changed', tags: ['terraform'], version: 3 },
        ...{ vault: { id: vaultId }, category: 'LOGIN', sections: vault.item.sections },
        fields: vault.item.fields,
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
      does: 'ends polling after a deletion, and forgets an item that is gone',
      method: 'GET',
      path: `${items}/${'o'.repeat(26)}`,
      headers,
      expects: { status: 404, shape: 'error', body: { status: 404, message: notFound } },
    },
  ]
}

function readingRequests(known: ReplayVault): ReplayedRequest[] {
  const { vault, vaultId, items, itemId } = known
  const { largeFile } = vault
  const get = { client, method: 'GET', headers }
  return [
    {
      ...get,
      does: 'finds the vault of a data source, or of an item, by its name',
      path: '/v1/vaults?filter=title+eq+%22Test%22',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      ...get,
      does: 'then reads the vault of a data source by its id',
      path: `/v1/vaults/${vaultId}`,
      expects: { status: 200, shape: 'vault', body: { id: vaultId, name: 'Test' } },
    },
    {
      ...get,
      does: 'finds the item of a data source, or an ephemeral item, by its title',
      path: `${items}?filter=title+eq+%22Example%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: itemId, vault: { id: vaultId } }] },
    },
    {
      ...get,
      does: 'reads a file of a data source from its content path',
      path: largeFile.content_path,
      expects: { status: 200, shape: 'bytes', body: { length: 1025 } },
    },
  ]
}
