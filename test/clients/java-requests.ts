/**
 * Requests of the Java client (RohanNagar/op-connect-sdk-java, IntegrationTest.java and
 * OPConnectClientBuilder.java). It sends null for everything that is not set and names of
 * operations in upper case, and Jackson rejects members that its classes do not have.
 */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'

const client = 'opconnect-java'
const headers = {
  authorization: '',
  'content-type': 'application/json',
  'accept-encoding': 'gzip',
  'user-agent': 'okhttp/3.14.9',
} as const

/** The members of a field, each null. */
const nullField = {
  ...{ id: null, purpose: null, type: null, label: null, value: null, generate: null },
  ...{ recipe: null, section: null, entropy: null },
}

/** The requests of its integration test that no other client sends. */
export function javaRequests({ vault, vaultId, items, item }: ReplayVault): ReplayedRequest[] {
  const own = { client, headers: { ...headers, authorization: `Bearer ${vault.tokens.full}` } }
  const username = { ...nullField, purpose: 'USERNAME', value: 'testuser' }
  return [
    {
      ...own,
      does: 'createItem of a login, which then has three fields',
      method: 'POST',
      path: items,
      body: {
        ...{ id: null, title: 'Integration Test Created Login', vault: { id: vaultId } },
        ...{ category: 'LOGIN', favorite: false, tags: [], version: null, trashed: false },
        ...{ createdAt: null, updatedAt: null, last_edited_by: null, sections: [], files: [] },
        urls: [{ href: 'https://www.test.com', primary: true }],
        fields: [
          username,
          {
            ...nullField,
            ...{ purpose: 'PASSWORD', generate: true },
            recipe: { length: 30, characterSets: ['LETTERS'], excludeCharacters: null },
          },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          fields: [
            { purpose: 'USERNAME', value: 'testuser' },
            { purpose: 'PASSWORD', value: expect.stringMatching(/^[A-Za-z]{30}$/) },
            { id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain' },
          ],
        },
      },
    },
    {
      ...own,
      does: 'patchItem with two operations',
      method: 'PATCH',
      path: item,
      body: [
        { op: 'ADD', path: '/fields', value: { ...nullField, type: 'STRING', label: 'new' } },
        { op: 'REPLACE', path: '/fields/username', value: { ...username, value: 'patchTwo' } },
      ],
      expects: {
        status: 200,
        shape: 'item',
        body: {
          fields: [{ purpose: 'USERNAME', value: 'patchTwo' }, {}, {}, {}, { label: 'new' }],
        },
      },
    },
    {
      ...own,
      does: 'listAPIActivity, whose actors it reads strictly (Actor.java)',
      method: 'GET',
      path: '/v1/activity?limit=1',
      expects: {
        status: 200,
        shape: 'activity',
        body: [{ actor: { userAgent: 'okhttp/3.14.9', ip: '203.0.113.9' } }],
      },
    },
    {
      ...own,
      does: 'health (ConnectServer.java)',
      method: 'GET',
      path: '/health',
      expects: { status: 200, shape: 'health', body: { name: '1Password Connect API' } },
    },
  ]
}
