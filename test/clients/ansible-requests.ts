/**
 * Requests of the Ansible collection, which sends null for parameters that a playbook omits: recorded
 * from version 2.4.0 with ansible-core 2.17.5.
 */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'

const client = 'onepassword.connect (Ansible)'
const headers = {
  'accept-encoding': 'identity',
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'op-connect-ansible/2.4.0 Python/3.11.7 Ansible/2.17.5',
  connection: 'close',
} as const

const section = { id: 'd4645956-01ec-4f13-bad9-582bced03578', label: 'Access' }
const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)

/** The requests of its modules in order. */
export function ansibleRequests({
  vault,
  vaultId,
  items,
  item,
  itemId,
  oddId,
}: ReplayVault): ReplayedRequest[] {
  const get = { client, method: 'GET', headers }
  return [
    {
      ...get,
      does: 'item_info finds a vault by name in the list of vaults',
      path: '/v1/vaults',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      ...get,
      does: 'item_info tries the name of a vault as its id and continues after a 400',
      path: `/v1/vaults/Office%20Expenses/items/${itemId}`,
      expects: { status: 400, shape: 'error', body: { message: 'Invalid Vault UUID' } },
    },
    {
      ...get,
      does: 'item_info tries the name of an item as its id and continues after a 400 or 404',
      path: `${items}/Dev-Database`,
      expects: { status: 400, shape: 'error', body: { message: 'Invalid Item UUID' } },
    },
    {
      ...get,
      does: 'item_info then filters by title, form-encoded',
      path: `${items}?filter=title+eq+%22Say+%22hi%22+%26+C%2B%2B+100%25%22`,
      expects: { status: 200, shape: 'summaries', body: [{ id: oddId }] },
    },
    {
      ...get,
      does: 'item_info then tries that name of a vault with a filter, and continues after a 400',
      path: `/v1/vaults/Office%20Expenses/items?filter=title+eq+%22${itemId}%22`,
      expects: { status: 400, shape: 'error', body: { message: 'Invalid Vault UUID' } },
    },
    {
      ...get,
      does: 'item_info tries a title with other characters as its id',
      path: `${items}/Say%20%22hi%22%20%26%20C%2B%2B%20100%25`,
      expects: { status: 400, shape: 'error', body: { message: 'Invalid Item UUID' } },
    },
    {
      ...get,
      does: 'field_info finds a vault by name in the list of vaults, since 2.4.0',
      path: '/v1/vaults',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      ...get,
      does: 'field_info reads a field by the label of its section',
      path: item,
      expects: {
        status: 200,
        shape: 'item',
        body: {
          sections: [{ id: 'more', label: 'More' }],
          fields: [{ label: 'username' }, { label: 'password' }, { section: { id: 'more' } }, {}],
        },
      },
    },
    {
      client,
      does: 'generic_item creates an item',
      method: 'POST',
      path: items,
      headers,
      body: jsonify({
        title: 'Example Login',
        vault: { id: vaultId },
        category: 'LOGIN',
        urls: [{ href: 'app.example.com' }],
        tags: [],
        fields: [
          {
            ...{ type: 'STRING', label: 'Username', section: null, recipe: null },
            ...{ generate: false, value: 'wendy', purpose: 'USERNAME' },
          },
          {
            ...{ type: 'CONCEALED', label: 'Password', section: null },
            ...{ recipe: { length: 16, characterSets: ['DIGITS', 'LETTERS'] } },
            ...{ generate: true, value: null, purpose: 'PASSWORD' },
          },
          {
            ...{ type: 'CONCEALED', label: 'Token', section: { id: section.id }, recipe: null },
            ...{ generate: true, value: null, purpose: '' },
          },
        ],
        favorite: false,
        sections: [section],
      }),
      expects: {
        status: 200,
        shape: 'item',
        body: {
          urls: [{ href: 'app.example.com' }],
          fields: [
            { id: 'username', label: 'Username', value: 'wendy' },
            { id: 'password', value: expect.stringMatching(/^[\dA-Za-z]{16}$/) },
            { id: newId, label: 'Token', section, value: generatedValue },
            { id: 'notesPlain' },
          ],
        },
      },
    },
    {
      client,
      does: 'generic_item looks for the title before it creates an item',
      method: 'GET',
      path: `${items}?filter=title+eq+%22Few%22`,
      headers,
      expects: { status: 200, shape: 'summaries', body: [] },
    },
    {
      client,
      does: 'generic_item creates an item with few parameters',
      method: 'POST',
      path: items,
      headers,
      body: jsonify({
        ...{ title: 'Few', vault: { id: vaultId }, category: 'API_CREDENTIAL', urls: [], tags: [] },
        ...{ fields: [], favorite: false },
      }),
      expects: { status: 200, shape: 'item', body: { category: 'API_CREDENTIAL', fields: [] } },
    },
    {
      client,
      does: 'generic_item updates an item with the returned notes, and with fields without ids',
      method: 'PUT',
      path: item,
      headers,
      body: jsonify({
        title: 'Updated',
        vault: { id: vaultId },
        category: 'LOGIN',
        urls: [],
        tags: ['work'],
        fields: [
          {
            ...{ id: 'notesPlain', type: 'STRING', label: 'notesPlain', purpose: 'NOTES' },
            section: null,
          },
          {
            ...{ type: 'STRING', label: 'username', section: null, recipe: null },
            ...{ generate: false, value: 'anna', purpose: 'USERNAME' },
          },
          {
            ...{ type: 'CONCEALED', label: 'password', section: null, recipe: null },
            ...{ generate: false, value: 'correct horse', purpose: 'PASSWORD' },
          },
          {
            ...{ type: 'DATE', label: 'Renewed', section: null, recipe: null, generate: false },
            ...{ value: '2026-01-31', purpose: '' },
          },
        ],
        favorite: true,
        id: itemId,
      }),
      expects: {
        status: 200,
        shape: 'item',
        body: {
          id: itemId,
          favorite: true,
          fields: [
            { id: 'notesPlain' },
            { id: 'username', value: 'anna' },
            { id: 'password', value: 'correct horse' },
            { id: newId, type: 'DATE' },
          ],
        },
      },
    },
    {
      client,
      does: 'generic_item deletes an item',
      method: 'DELETE',
      path: item,
      headers,
      expects: { status: 204, shape: 'nothing', body: { text: '' } },
    },
    {
      client,
      does: 'generic_item reads an item before it deletes it, and takes 404 for success',
      method: 'GET',
      path: `${items}/${'o'.repeat(26)}`,
      headers,
      expects: { status: 404, shape: 'error' },
    },
    {
      ...get,
      does: 'item_info without access reads status and message of the error',
      path: item,
      headers: { ...headers, authorization: `Bearer ${vault.tokens.writer}` },
      expects: {
        status: 403,
        shape: 'error',
        body: { message: `vault ${vaultId} is not in scope for reading` },
      },
    },
  ]
}

/** The JSON of Python, which has a space after each comma and colon between values. */
function jsonify(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonify).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `"${name}": ${jsonify(member)}`)
  return `{${members.join(', ')}}`
}

const generatedValue = expect.stringMatching(/^.{32}$/)
