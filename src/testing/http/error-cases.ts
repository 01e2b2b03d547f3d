/** Contract cases about rejected requests: statuses, messages, and no effect. */

import { assert, assertEqual, type ContractCase } from '../../base/contract-case.js'
import { rawRequest } from '../../base/raw-request.js'
import { itemDraft } from '../drafts/item-draft.js'
import {
  type HttpTarget,
  itemPath,
  type RequestOptions,
  request,
  requestHead,
  vaultPath,
} from './client.js'

const absentId = '0'.repeat(26)

/** Cases in which the request is rejected. */
export const errorCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'returns 401 with WWW-Authenticate without valid credentials',
    async run(mount) {
      const { full } = mount.vault.tokens
      const invalid = [
        '',
        'Bearer',
        'Bearer ',
        'Bearer unknown',
        `Basic ${full}`,
        full,
        `Bearer ${full} ${full}`,
        `Bearer ${'a'.repeat(8200)}`,
      ]
      for (const authorization of [undefined, ...invalid]) {
        const headers = authorization === undefined ? {} : { authorization }
        const response = await request(mount, 'GET', itemPath(mount), { as: null, headers })
        assertEqual(
          response.json,
          { status: 401, message: 'Invalid bearer token' },
          `the body for ${authorization?.slice(0, 20)}`,
        )
        assertEqual(
          [response.status, response.headers.get('www-authenticate')],
          [401, 'Bearer'],
          'the response',
        )
      }
      const path = `${itemPath(mount)}?access_token=${full}`
      const inQuery = await request(mount, 'GET', path, { as: null })
      assertEqual(inQuery.status, 401, 'a token in the query')
    },
  },
  {
    name: 'returns 401 for two Authorization headers, although both are valid',
    async run(mount) {
      const second = `authorization: Bearer ${mount.vault.tokens.full}`
      const head = requestHead(mount, 'GET', itemPath(mount), second)
      assertEqual((await rawRequest(mount, head)).status, 401, 'the status')
    },
  },
  {
    name: 'returns 403 without the permission, with the same message for a vault that does not exist',
    async run(mount) {
      const item = { body: itemDraft('LOGIN', { vault: { id: mount.vault.vaultId } }) }
      const forbidden: readonly [string, string, RequestOptions, string][] = [
        ['POST', vaultPath(mount, '/items'), { as: 'reader', ...item }, ' for writing'],
        ['PUT', itemPath(mount), { as: 'reader', ...item }, ' for writing'],
        ['PUT', itemPath(mount), { as: 'writer', ...item }, ' for reading'],
        ['PATCH', itemPath(mount), { as: 'writer', body: [] }, ' for reading'],
        ['PATCH', itemPath(mount), { as: 'reader', body: [] }, ' for writing'],
        ['DELETE', itemPath(mount), { as: 'reader' }, ' for writing'],
        ['GET', itemPath(mount), { as: 'writer' }, ' for reading'],
        ['GET', vaultPath(mount, '/items'), { as: 'writer' }, ' for reading'],
        ['GET', mount.vault.smallFile.content_path, { as: 'writer' }, ' for reading'],
        ['GET', itemPath(mount), { as: 'otherVault' }, ''],
      ]
      for (const [method, path, options, purpose] of forbidden) {
        const response = await request(mount, method, path, options)
        assertEqual(
          response.json,
          { status: 403, message: `vault ${mount.vault.vaultId} is not in scope${purpose}` },
          `${method} as ${options.as}`,
        )
      }
      const absent = await request(mount, 'GET', `/v1/vaults/${absentId}`, { as: 'reader' })
      assertEqual(
        absent.json,
        { status: 403, message: `vault ${absentId} is not in scope` },
        'a vault that does not exist',
      )
    },
  },
  {
    name: 'returns 404 with the type and id of the missing resource',
    async run(mount) {
      const missing: readonly [string, string][] = [
        [`/v1/vaults/${absentId}`, `vault ${absentId}`],
        [`/v1/vaults/${absentId}/items/${mount.vault.item.id}`, `vault ${absentId}`],
        [vaultPath(mount, `/items/${absentId}`), `item ${absentId}`],
        [itemPath(mount, `/files/${absentId}`), `file ${absentId}`],
        [vaultPath(mount, `/items/${absentId}/files/${absentId}`), `file ${absentId}`],
        [`/v1/vaults/${absentId}/items/${absentId}/files/${absentId}`, `file ${absentId}`],
        [itemPath(mount, '/files/no-id'), 'file no-id'],
        [itemPath(mount, `/files/${absentId}/content`), `file ${absentId}`],
      ]
      for (const [path, resource] of missing) {
        const response = await request(mount, 'GET', path)
        assertEqual(
          [response.status, response.json],
          [404, { status: 404, message: `${resource} not found` }],
          resource,
        )
      }
    },
  },
  {
    name: 'returns 400 for malformed ids, even without the permission',
    async run(mount) {
      for (const id of [
        'short',
        'A'.repeat(26),
        '0'.repeat(27),
        `${'0'.repeat(25)}%30`,
        `${'0'.repeat(25)}!`,
      ]) {
        for (const as of ['full', 'otherVault'] as const) {
          const vault = await request(mount, 'GET', `/v1/vaults/${id}`, { as })
          assertEqual(vault.json, { status: 400, message: 'Invalid Vault UUID' }, `vault ${id}`)
          const item = await request(mount, 'GET', vaultPath(mount, `/items/${id}`), { as })
          assertEqual(item.json, { status: 400, message: 'Invalid Item UUID' }, `item ${id}`)
        }
      }
    },
  },
  {
    name: 'returns 400 for invalid items, with the path and without the value',
    async run(mount) {
      const { vaultId } = mount.vault
      const invalid: readonly [unknown, string][] = [
        [{ vault: { id: vaultId } }, 'category'],
        [
          { ...itemDraft('LOGIN', { vault: { id: vaultId } }), category: 'SECRET' },
          'Invalid item category',
        ],
        [{ ...itemDraft('LOGIN', { vault: { id: vaultId } }), title: 5 }, 'title'],
        [{ ...itemDraft('LOGIN', { vault: { id: vaultId } }), title: null }, 'title'],
        [itemDraft('LOGIN', { vault: { id: absentId } }), 'vault/id'],
        [
          itemDraft('LOGIN', { vault: { id: vaultId }, urls: [{ href: 'javascript:SECRET' }] }),
          'urls/0/href',
        ],
        [
          itemDraft('LOGIN', { vault: { id: vaultId }, fields: [{ id: 'a', value: 'SECRET\0' }] }),
          'fields/0/value',
        ],
        [[], 'object'],
        ['SECRET', 'object'],
        [null, 'object'],
      ]
      for (const [body, path] of invalid) {
        const response = await request(mount, 'POST', vaultPath(mount, '/items'), { body })
        assertEqual(response.status, 400, `the status for an invalid ${path}`)
        assert(
          response.text.includes(path) && !response.text.includes('SECRET'),
          `the message must contain ${path} and no value: ${response.text}`,
        )
      }
    },
  },
  {
    name: 'applies no operation of a patch with an invalid operation, and returns its index',
    async run(mount) {
      const valid = { op: 'replace', path: '/title', value: 'changed' }
      const invalid = [
        { op: 'replace', path: '/fields/none/value', value: 'SECRET' },
        { op: 'move', path: '/title', from: '/tags' },
        { op: 'replace', path: '/version', value: 7 },
        { op: 'replace', path: '/tags/01', value: 'SECRET' },
        { op: 'add', path: '/constructor/prototype/x', value: 'SECRET' },
        { op: 'add', path: '/title' },
        { op: 'remove', path: '/tags/7' },
      ]
      for (const operation of invalid) {
        const body = [valid, operation]
        const response = await request(mount, 'PATCH', itemPath(mount), { body })
        assertEqual(response.status, 400, `the status for ${operation.op} ${operation.path}`)
        assert(
          /"message":"(?:operation )?1\b/.test(response.text) && !response.text.includes('SECRET'),
          `the message must contain the index and no value: ${response.text}`,
        )
      }
      const { json } = await request(mount, 'GET', itemPath(mount))
      assertEqual(json, mount.vault.item, 'the item afterwards')
    },
  },
  {
    name: 'returns 404 for unknown paths and 405 with Allow for unsupported methods',
    async run(mount) {
      for (const path of [
        '/',
        '/v1',
        '/v2/vaults',
        vaultPath(mount, '/things'),
        itemPath(mount, '/files/x/y'),
      ]) {
        assertEqual((await request(mount, 'GET', path)).status, 404, 'an unknown path')
      }
      const allowed: readonly [string, string, string][] = [
        ['PUT', vaultPath(mount, '/items'), 'GET, HEAD, POST'],
        ['POST', itemPath(mount), 'GET, HEAD, PUT, PATCH, DELETE'],
        ['DELETE', vaultPath(mount), 'GET, HEAD'],
      ]
      for (const [method, path, allow] of allowed) {
        const response = await request(mount, method, path, {
          headers: { 'x-http-method-override': 'GET' },
        })
        assertEqual([response.status, response.headers.get('allow')], [405, allow], method)
      }
    },
  },
  {
    name: 'returns 400 for an inline_files that is not true or false, or is repeated',
    async run(mount) {
      const path = itemPath(mount, `/files/${mount.vault.smallFile.id}`)
      for (const query of [
        'inline_files=',
        'inline_files=1',
        'inline_files=TRUE',
        'inline_files=true&inline_files=true',
        'inline_files=%zz',
      ]) {
        assertEqual((await request(mount, 'GET', `${path}?${query}`)).status, 400, query)
      }
    },
  },
]
