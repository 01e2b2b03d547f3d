import { describe, expect, it } from 'vitest'
import { loginDraft, type TestVault } from '../../src/testing.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { answerTo, itemUrl, requestTo, saidIn, vaultUrl } from '../support/http/requests.js'

describe('createHttpHandler order of checks', () => {
  const noSuchId = '0'.repeat(26)
  const otherVault = { authorization: 'Bearer stranger-token' }

  it.each<[string, Record<string, string>, string, (vault: TestVault) => string, string, number]>([
    [
      'an unknown path before the token',
      { authorization: '' },
      'GET',
      () => '/v1/nothing',
      '',
      404,
    ],
    [
      'an unknown method before the token',
      { authorization: '' },
      'PUT',
      (vault) => vaultUrl(vault),
      '',
      405,
    ],
    [
      'the token before the body',
      { authorization: '', 'content-type': 'text/plain' },
      'PUT',
      itemUrl,
      '{',
      401,
    ],
    ['the length before the JSON', { 'content-length': '9999999' }, 'PUT', itemUrl, '{', 413],
    [
      'the length before the content type',
      { 'content-type': 'text/plain', 'content-length': '9999999' },
      'PUT',
      itemUrl,
      '{',
      413,
    ],
    ['the body before the ids', {}, 'PUT', () => '/v1/vaults/x/items/x', '{', 400],
    ['the ids before the permission', otherVault, 'PUT', () => '/v1/vaults/x/items/x', '{}', 400],
    ['the permission before the schema', otherVault, 'PUT', itemUrl, '{}', 403],
    [
      'the schema before the vault',
      {},
      'PUT',
      () => `/v1/vaults/${noSuchId}/items/${noSuchId}`,
      '{}',
      400,
    ],
    [
      'the vault before If-Match',
      { 'if-match': '"9"' },
      'DELETE',
      () => `/v1/vaults/${noSuchId}/items/${noSuchId}`,
      '',
      404,
    ],
    [
      'the item before If-Match',
      { 'if-match': '"9"' },
      'DELETE',
      (vault) => vaultUrl(vault, `/items/${noSuchId}`),
      '',
      404,
    ],
    ['If-Match last', { 'if-match': '"9"' }, 'DELETE', itemUrl, '', 412],
  ])('checks %s', async (_what, headers, method, url, text, status) => {
    const vault = await createTestVault()
    expect(await answerTo(vault, method, url(vault), text, headers)).toMatchObject({
      status,
      changed: false,
    })
  })

  it('checks the rules for items before If-Match', async () => {
    const vault = await createTestVault()
    const duplicates = loginDraft(vault.vaultId, {
      fields: [
        { id: 'a', value: 'x' },
        { id: 'a', value: 'x' },
      ],
    })
    const response = await answerTo(vault, 'PUT', itemUrl(vault), JSON.stringify(duplicates), {
      'if-match': '"9"',
    })
    expect(response).toMatchObject({ status: 400, changed: false })
  })
})

describe('createHttpHandler bearer token', () => {
  it.each([
    ['a comma', 'Bearer full-token, Bearer full-token'],
    ['a tab', 'Bearer\tfull-token'],
    ['a control character', 'Bearer full-token\u0001'],
    ['a character beyond ASCII', 'Bearer full-tokén'],
    ['a quote', 'Bearer "full-token"'],
    ['a scheme that begins with Bearer', 'BearerX full-token'],
    ['more than 8,192 bytes', `Bearer ${'a'.repeat(8186)}`],
    ['another letter case of the token', 'Bearer FULL-TOKEN'],
  ])('responds with 401 to %s in the header', async (_what, authorization) => {
    const vault = await createTestVault()
    expect(await answerTo(vault, 'DELETE', itemUrl(vault), '', { authorization })).toEqual({
      status: 401,
      message: 'Invalid bearer token',
      changed: false,
    })
  })

  it('accepts Bearer in any case and with several spaces (RFC 9110, section 11.1)', async () => {
    const vault = await createTestVault()
    for (const authorization of ['bearer full-token', 'BEARER   full-token']) {
      const response = await vault.handler(
        requestTo(vault, 'GET', itemUrl(vault), { headers: { authorization } }),
      )
      expect(response.status).toBe(200)
    }
  })

  it('finds no item or file under the id of another vault', async () => {
    const vault = await createTestVault()
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    const { id: itemId } = await vault.service.createItem(vault.caller, {
      vaultId: other.id,
      item: loginDraft(other.id),
    })
    const file = `/files/${vault.smallFile.id}`
    for (const [url, resource] of [
      [`/v1/vaults/${other.id}/items/${vault.item.id}`, `item ${vault.item.id}`],
      [`/v1/vaults/${other.id}/items/${vault.item.id}${file}`, `file ${vault.smallFile.id}`],
      [`/v1/vaults/${other.id}/items/${vault.item.id}${file}/content`, `item ${vault.item.id}`],
      [vaultUrl(vault, `/items/${itemId}`), `item ${itemId}`],
      [`/v1/vaults/${other.id}/items/${itemId}${file}`, `file ${vault.smallFile.id}`],
    ] as const) {
      const response = await vault.handler(requestTo(vault, 'GET', url))
      expect(saidIn(response)).toEqual({
        status: 404,
        body: { status: 404, message: `${resource} not found` },
      })
    }
  })
})
