/** Write requests of the Go client, which omits empty values except ids, types and times. */

import { expect } from 'vitest'
import type { ReplayedRequest, ReplayVault } from '../support/http/replay.js'
import { goHeaders, zeroTimes } from './go-requests.js'

const client = 'connect-sdk-go'
const unknownId = 'o'.repeat(26)
const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)

/** The requests of its write methods in order. */
export function goWritingRequests({ vault, vaultId, items, item }: ReplayVault): ReplayedRequest[] {
  const { smallFile, largeFile } = vault
  const post = { client, method: 'POST', path: items, headers: goHeaders }
  const created = { status: 200, shape: 'item' } as const
  return [
    {
      ...post,
      does: 'CreateItem of an item with only a category',
      body: { id: '', title: '', vault: { id: '' }, category: 'LOGIN', ...zeroTimes },
      expects: { ...created, body: { id: newId, title: '', vault: { id: vaultId }, version: 1 } },
    },
    {
      ...post,
      does: 'CreateItem with fields without id and type',
      body: {
        id: '',
        title: 'Mail',
        vault: { id: vaultId },
        category: 'LOGIN',
        fields: [
          { id: '', type: '', purpose: 'USERNAME', value: 'wendy' },
          { id: '', type: '', purpose: 'PASSWORD', generate: true, recipe: {} },
          { id: '', type: '', label: 'PIN', value: '1234' },
        ],
        ...zeroTimes,
      },
      expects: {
        ...created,
        body: {
          createdAt: '2026-01-01T00:00:00.000Z',
          lastEditedBy: 'full',
          fields: [
            { id: 'username', type: 'STRING', purpose: 'USERNAME', value: 'wendy' },
            { id: 'password', type: 'CONCEALED', value: expect.stringMatching(/^.{32}$/) },
            { id: newId, type: 'STRING', label: 'PIN' },
            { id: 'notesPlain' },
          ],
        },
      },
    },
    {
      ...post,
      does: 'CreateItem with every field type that it defines',
      body: {
        id: '',
        title: 'Types',
        vault: { id: vaultId },
        category: 'IDENTITY',
        fields: goTypes.map((type) => ({ id: type, type, value: '202612' })),
        ...zeroTimes,
      },
      expects: {
        ...created,
        body: { fields: goTypes.map((type) => ({ id: type, type: type.toUpperCase() })) },
      },
    },
    {
      ...post,
      does: 'CreateItem with a section that only a field names',
      body: {
        id: '',
        title: 'Sections',
        vault: { id: vaultId },
        category: 'SERVER',
        fields: [{ id: '', section: { id: 'admin' }, type: 'URL', value: 'https://a.example' }],
        ...zeroTimes,
      },
      expects: {
        ...created,
        body: { sections: [{ id: 'admin' }], fields: [{ section: { id: 'admin' } }] },
      },
    },
    {
      client,
      does: 'UpdateItem with the returned item, including files, entropy and code',
      method: 'PUT',
      path: item,
      headers: goHeaders,
      body: {
        ...vault.item,
        fields: vault.item.fields.map((field) => ({ ...field, entropy: 12.5, totp: '123456' })),
        trashed: true,
        additional_information: 'wendy',
      },
      expects: {
        status: 200,
        shape: 'item',
        body: { version: 3, fields: vault.item.fields, files: [smallFile, largeFile] },
      },
    },
    {
      client,
      does: 'UpdateItem of a missing item',
      method: 'PUT',
      path: `${items}/${unknownId}`,
      headers: goHeaders,
      body: { id: unknownId, title: '', vault: { id: vaultId }, category: 'LOGIN', ...zeroTimes },
      expects: { status: 404, shape: 'error', body: { message: `item ${unknownId} not found` } },
    },
    {
      client,
      does: 'DeleteItem',
      method: 'DELETE',
      path: item,
      headers: goHeaders,
      expects: { status: 204, shape: 'nothing', body: { text: '' } },
    },
    {
      client,
      does: 'DeleteItemByID of a missing item',
      method: 'DELETE',
      path: `${items}/${unknownId}`,
      headers: goHeaders,
      expects: { status: 404, shape: 'error' },
    },
  ]
}

/** `Address` is written in this case in its source. */
const goTypes = [
  ...['Address', 'CONCEALED', 'CREDIT_CARD_NUMBER', 'CREDIT_CARD_TYPE', 'EMAIL', 'GENDER', 'MENU'],
  ...['MONTH_YEAR', 'OTP', 'PHONE', 'REFERENCE', 'STRING', 'URL', 'FILE', 'SSHKEY', 'UNKNOWN'],
] as const
