/** That a mount refuses what it must, in the contract's words, and leaves everything as it is. */

import { assert, assertEqual, type ContractCase } from '../contract-case.js'
import { loginDraft } from '../item-drafts.js'
import {
  type HttpTarget,
  itemPath,
  type RequestOptions,
  requestHead,
  rawRequest,
  request,
  vaultPath,
} from './client.js'

const noSuchId = '0'.repeat(26)

/** Cases in which the caller is told no. */
export const errorCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'answers 401 with WWW-Authenticate to whom it does not know',
    async run(mount) {
      const { full } = mount.vault.tokens
      const addIssue = [
        '',
        'Bearer',
        'Bearer ',
        'Bearer nobody',
        `Basic ${full}`,
        full,
        `Bearer ${full} ${full}`,
        `Bearer ${'a'.repeat(8200)}`,
      ]
      for (const authorization of [undefined, ...addIssue]) {
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
          'the answer',
        )
      }
      assertEqual(
        (await request(mount, 'GET', `${itemPath(mount)}?access_token=${full}`, { as: null }))
          .status,
        401,
        'a token in the query',
      )
    },
  },
  {
    name: 'answers 401 to two Authorization headers, though both are right',
    async run(mount) {
      const again = `authorization: Bearer ${mount.vault.tokens.full}`
      assertEqual(
        (await rawRequest(mount, requestHead(mount, 'GET', itemPath(mount), again))).status,
        401,
        'the status',
      )
    },
  },
  {
    name: 'answers 403 without the right, in the same words whether or not the vault is there',
    async run(mount) {
      const item = { body: loginDraft(mount.vault.vaultId) }
      const refused: readonly [string, string, RequestOptions, string][] = [
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
      for (const [method, path, options, purpose] of refused) {
        const response = await request(mount, method, path, options)
        assertEqual(
          response.json,
          { status: 403, message: `vault ${mount.vault.vaultId} is not in scope${purpose}` },
          `${method} as ${options.as}`,
        )
      }
      const absent = await request(mount, 'GET', `/v1/vaults/${noSuchId}`, { as: 'reader' })
      assertEqual(
        absent.json,
        { status: 403, message: `vault ${noSuchId} is not in scope` },
        'a vault that is not there',
      )
    },
  },
  {
    name: 'answers 404 for what is not there, and names it',
    async run(mount) {
      const missing: readonly [string, string][] = [
        [`/v1/vaults/${noSuchId}`, `vault ${noSuchId}`],
        [`/v1/vaults/${noSuchId}/items/${mount.vault.item.id}`, `vault ${noSuchId}`],
        [vaultPath(mount, `/items/${noSuchId}`), `item ${noSuchId}`],
        [itemPath(mount, `/files/${noSuchId}`), `file ${noSuchId}`],
        [vaultPath(mount, `/items/${noSuchId}/files/${noSuchId}`), `file ${noSuchId}`],
        [`/v1/vaults/${noSuchId}/items/${noSuchId}/files/${noSuchId}`, `file ${noSuchId}`],
        [itemPath(mount, '/files/no-id'), 'file no-id'],
        [itemPath(mount, `/files/${noSuchId}/content`), `file ${noSuchId}`],
      ]
      for (const [path, what] of missing) {
        const response = await request(mount, 'GET', path)
        assertEqual(
          [response.status, response.json],
          [404, { status: 404, message: `${what} not found` }],
          what,
        )
      }
    },
  },
  {
    name: 'answers 400 to malformed ids, also to whom is not let in',
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
    name: 'answers 400 to bodies that are no item, and says where without saying what',
    async run(mount) {
      const { vaultId } = mount.vault
      const addIssue: readonly [unknown, string][] = [
        [{ vault: { id: vaultId } }, 'category'],
        [loginDraft(vaultId, { category: 'SECRET' as 'LOGIN' }), 'Invalid item category'],
        [{ ...loginDraft(vaultId), title: 5 }, 'title'],
        [{ ...loginDraft(vaultId), title: null }, 'title'],
        [loginDraft(noSuchId), 'vault/id'],
        [loginDraft(vaultId, { urls: [{ href: 'javascript:SECRET' }] }), 'urls/0/href'],
        [loginDraft(vaultId, { fields: [{ id: 'a', value: 'SECRET\0' }] }), 'fields/0/value'],
        [[], 'object'],
        ['SECRET', 'object'],
        [null, 'object'],
      ]
      for (const [body, where] of addIssue) {
        const response = await request(mount, 'POST', vaultPath(mount, '/items'), { body })
        assertEqual(response.status, 400, `the status for a wrong ${where}`)
        assert(
          response.text.includes(where) && !response.text.includes('SECRET'),
          `the message names ${where} alone: ${response.text}`,
        )
      }
    },
  },
  {
    name: 'applies no operation of a patch of which one is bad, and names that one',
    async run(mount) {
      const good = { op: 'replace', path: '/title', value: 'changed' }
      const bad = [
        { op: 'replace', path: '/fields/none/value', value: 'SECRET' },
        { op: 'move', path: '/title', from: '/tags' },
        { op: 'replace', path: '/version', value: 7 },
        { op: 'replace', path: '/tags/01', value: 'SECRET' },
        { op: 'add', path: '/constructor/prototype/x', value: 'SECRET' },
        { op: 'add', path: '/title' },
        { op: 'remove', path: '/tags/7' },
      ]
      for (const operation of bad) {
        const response = await request(mount, 'PATCH', itemPath(mount), { body: [good, operation] })
        assertEqual(response.status, 400, `the status for ${operation.op} ${operation.path}`)
        assert(
          /"message":"(?:operation )?1\b/.test(response.text) && !response.text.includes('SECRET'),
          `the message names the operation: ${response.text}`,
        )
      }
      assertEqual(
        (await request(mount, 'GET', itemPath(mount))).json,
        mount.vault.item,
        'the item afterwards',
      )
    },
  },
  {
    name: 'answers 404 to unknown paths and 405 with Allow to methods that a path does not have',
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
        assertEqual([response.status, response.headers.get('allow')], [405, allow], `${method}`)
      }
    },
  },
  {
    name: 'answers 400 to an inline_files that is neither true nor false, or given twice',
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
