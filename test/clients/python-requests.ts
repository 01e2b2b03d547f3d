/**
 * Requests of the Python client, which puts titles into the query without escaping: recorded from
 * connect-sdk-python 2.0.0 with httpx 0.28.1, and one of the older httpx 0.27.0.
 */

import { expect } from 'vitest'
import { otpauth, type ReplayedRequest, type ReplayVault } from '../support/http/replay.js'

const client = 'connect-sdk-python'
const headers = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate',
  connection: 'keep-alive',
  'user-agent': 'python-httpx/0.28.1',
  'content-type': 'application/json',
} as const

const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)

/** The requests of its methods in order. */
export function pythonRequests({
  vault,
  vaultId,
  items,
  item,
  itemId,
  oddId,
}: ReplayVault): ReplayedRequest[] {
  const { smallFile, largeFile } = vault
  const get = { client, method: 'GET', headers }
  const listed = { status: 200, shape: 'summaries' } as const
  return [
    {
      ...get,
      does: 'get_vaults',
      path: '/v1/vaults',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId }] },
    },
    {
      ...get,
      does: 'get_vault with a name instead of an id',
      path: '/v1/vaults/Test',
      expects: { status: 400, shape: 'error', body: { message: 'Invalid Vault UUID' } },
    },
    {
      ...get,
      does: 'get_vault_by_title, which filters by name',
      path: '/v1/vaults?filter=name%20eq%20%22Test%22',
      expects: { status: 200, shape: 'vaults', body: [{ id: vaultId, name: 'Test' }] },
    },
    {
      ...get,
      does: 'get_item_by_title',
      path: `${items}?filter=title%20eq%20%22Example%22`,
      expects: { ...listed, body: [{ id: itemId, vault: { id: vaultId } }] },
    },
    {
      ...get,
      does: 'get_items with a part of a title with plus signs, which httpx does not escape',
      path: `${items}?filter=title%20co%20%22C++%20%22`,
      expects: { ...listed, body: [{ id: oddId }] },
    },
    {
      ...get,
      does: 'get_items with a percent sign, which httpx 0.28 does not escape',
      path: `${items}?filter=title%20co%20%22100%%22`,
      expects: { ...listed, body: [{ id: oddId }] },
    },
    {
      ...get,
      does: 'get_items with a percent sign, which httpx 0.27 escapes',
      path: `${items}?filter=title%20co%20%22100%25%22`,
      headers: { ...headers, 'user-agent': 'python-httpx/0.27.0' },
      expects: { ...listed, body: [{ id: oddId }] },
    },
    {
      ...get,
      does: 'get_items with other characters that httpx 0.28 does not escape',
      path: `${items}?filter=title%20eq%20%22a|b\\c^d\`e{f}g%3Ch%3E'[i]~%C3%BC?/:@!$*,;=%22`,
      expects: { ...listed, body: [] },
    },
    {
      ...get,
      does: 'get_item_by_title with an ampersand, which ends the filter',
      path: `${items}?filter=title%20eq%20%22Say%20%22hi%22%20&%20C++%20100%%22`,
      expects: { status: 400, shape: 'error', body: { message: ampersand } },
    },
    {
      ...get,
      does: 'get_items with a filter of tags and titles',
      path: `${items}?filter=tag%20eq%20%22mail%22%20and%20(title%20eq%20%22x%22%20or%20title%20co%20%22Exam%22)`,
      expects: { ...listed, body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'get_items with an operator that published servers do not have',
      path: `${items}?filter=title%20sw%20%22Exam%22`,
      expects: { ...listed, body: [{ id: itemId }] },
    },
    {
      ...get,
      does: 'get_items with a filter that cannot be read, which must not return everything',
      path: `${items}?filter=title%20like%20%22Exam%22`,
      expects: { status: 400, shape: 'error' },
    },
    {
      ...get,
      does: 'get_item_by_id',
      path: `${items}/${oddId}`,
      expects: { status: 200, shape: 'item', body: { fields: [{ totp: totpCode }, {}] } },
    },
    {
      client,
      does: 'create_item, which omits None',
      method: 'POST',
      path: items,
      headers,
      body: {
        title: 'Mail',
        vault: { id: vaultId },
        category: 'LOGIN',
        urls: [{ href: 'https://mail.example' }],
        favorite: false,
        trashed: false,
        fields: [
          { type: 'STRING', purpose: 'USERNAME', value: 'wendy', generate: false },
          { type: 'STRING', purpose: 'PASSWORD', generate: true, recipe: { length: 40 } },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          fields: [
            { id: 'username', value: 'wendy' },
            { id: 'password', type: 'STRING', value: expect.stringMatching(/^.{40}$/) },
            { id: 'notesPlain' },
          ],
        },
      },
    },
    {
      client,
      does: 'create_item with a title that is not ASCII, which httpx 0.28 sends as UTF-8',
      method: 'POST',
      path: items,
      headers,
      body: {
        ...{ title: 'Prüfung 🔑', vault: { id: vaultId }, category: 'LOGIN' },
        ...{ favorite: false, trashed: false },
      },
      expects: { status: 200, shape: 'item', body: { title: 'Prüfung 🔑' } },
    },
    {
      client,
      does: 'create_item of a dict, which is sent with None as null',
      method: 'POST',
      path: items,
      headers,
      body: {
        ...{ id: null, title: 'Notes', vault: null, category: 'SECURE_NOTE', urls: null },
        ...{ favorite: false, tags: null, version: null, trashed: false, created_at: null },
        ...{ updated_at: null, last_edited_by: null },
        sections: [{ id: null, label: 'Section' }],
        fields: [
          {
            ...{ id: null, section: null, type: 'STRING', purpose: 'NOTES', label: null },
            ...{ value: 'a note', generate: false, recipe: null, entropy: null, totp: null },
          },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: {
          vault: { id: vaultId },
          sections: [{ id: newId, label: 'Section' }],
          fields: [{ id: 'notesPlain', purpose: 'NOTES', value: 'a note' }],
        },
      },
    },
    {
      client,
      does: 'update_item with the returned item and times in its own format',
      method: 'PUT',
      path: `${items}/${oddId}`,
      headers,
      body: {
        id: oddId,
        title: 'Even',
        vault: { id: vaultId },
        category: 'LOGIN',
        urls: [],
        favorite: false,
        tags: ['odd'],
        version: 1,
        trashed: false,
        createdAt: '2026-01-01T00:00:00+00:00',
        updatedAt: '2026-01-01T00:00:00+00:00',
        lastEditedBy: 'tester',
        sections: [],
        fields: [
          {
            ...{ id: 'code', type: 'OTP', label: 'code', value: otpauth },
            ...{ generate: false, totp: '52745690' },
          },
          {
            ...{ id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain' },
            ...{ generate: false },
          },
        ],
      },
      expects: {
        status: 200,
        shape: 'item',
        body: { title: 'Even', version: 1, createdAt: '2026-01-01T00:00:00.000Z' },
      },
    },
    {
      ...get,
      does: 'get_item with a title of 26 characters, after whose 404 newer commits try the title',
      path: `${items}/${'o'.repeat(26)}`,
      expects: { status: 404, shape: 'error' },
    },
    {
      client,
      does: 'delete_item',
      method: 'DELETE',
      path: item,
      headers,
      expects: { status: 204, shape: 'nothing', body: { text: '' } },
    },
    {
      ...get,
      does: 'get_files',
      path: `${item}/files`,
      expects: { status: 200, shape: 'files', body: [smallFile, largeFile] },
    },
    {
      ...get,
      does: 'get_file',
      path: `${item}/files/${largeFile.id}`,
      expects: { status: 200, shape: 'file', body: largeFile },
    },
    {
      ...get,
      does: 'download_file, with or without a slash at the end of the base URL',
      path: smallFile.content_path,
      expects: { status: 200, shape: 'bytes', body: { text: 'hello' } },
    },
  ]
}

const totpCode = expect.stringMatching(/^\d{8}$/)
const ampersand = 'filter must have its ampersands escaped'
