import { describe, expect, it } from 'vitest'
import { loginDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import {
  createRequest,
  itemUrl,
  parseResponse,
  sendJson,
  vaultUrl,
} from '../support/http/requests.js'

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
    expect(await sendJson(vault, 'DELETE', itemUrl(vault), '', { authorization })).toEqual({
      status: 401,
      message: 'Invalid bearer token',
      changed: false,
    })
  })

  it('accepts Bearer in any case and with several spaces (RFC 9110, section 11.1)', async () => {
    const vault = await createTestVault()
    for (const authorization of ['bearer full-token', 'BEARER   full-token']) {
      const response = await vault.handler(
        createRequest(vault, 'GET', itemUrl(vault), { headers: { authorization } }),
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
      const response = await vault.handler(createRequest(vault, 'GET', url))
      expect(parseResponse(response)).toEqual({
        status: 404,
        body: { status: 404, message: `${resource} not found` },
      })
    }
  })
})
