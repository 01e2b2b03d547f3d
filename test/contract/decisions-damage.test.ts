import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/storage/memory.js'
import type { TestVault } from '../../src/testing.js'
import { loginDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse, vaultUrl } from '../support/http/requests.js'
import { createDamagedStore } from '../support/stores/damaged-store.js'
import { encryptStore } from '../support/stores/encrypted-stores.js'

/** A vault in an encrypted store whose only item is damaged at version 3. */
async function createDamagedVault(): Promise<TestVault> {
  const { store, damage } = createDamagedStore(createMemoryStore())
  const options = { store: encryptStore(store), onError: () => {} }
  const vault = await createTestVault(options, { extensions: true })
  await damage({ collection: `items/${vault.vaultId}`, id: vault.item.id })
  return vault
}

const send = (vault: TestVault, method: string, url: string, version?: number, body?: object) =>
  vault.handler(
    createRequest(vault, method, url, {
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(version !== undefined && { 'if-match': `"${version}"` }),
      },
      ...(body && { body: { parsed: body } }),
    }),
  )

const damageOf = ({ item }: TestVault) => ({
  status: 500,
  body: { status: 500, message: `item ${item.id} cannot be read: it is damaged at version 3` },
})

describe('decisions on damaged records', () => {
  it('damage-1 lists return the others and count the damaged ones', async () => {
    const vault = await createDamagedVault()
    const other = await vault.service.createItem(vault.caller, {
      vaultId: vault.vaultId,
      item: loginDraft(vault.vaultId),
    })
    const response = await send(vault, 'GET', vaultUrl(vault, '/items'))
    expect(parseResponse(response)).toMatchObject({ status: 200, body: [{ id: other.id }] })
    expect(response.headers['x-cofferkit-unreadable']).toBe('1')
  })

  it('damage-2 a look-up is 500 and names the item and its version', async () => {
    const vault = await createDamagedVault()
    for (const url of [itemUrl(vault), vaultUrl(vault, '/items?filter=title%20eq%20%22Example%22')])
      expect(parseResponse(await send(vault, 'GET', url))).toEqual(damageOf(vault))
  })

  it('damage-3 DELETE works with and without If-Match', async () => {
    for (const version of [undefined, 3]) {
      const vault = await createDamagedVault()
      expect((await send(vault, 'DELETE', itemUrl(vault), 4)).status).toBe(412)
      expect((await send(vault, 'DELETE', itemUrl(vault), version)).status).toBe(204)
      expect((await send(vault, 'GET', itemUrl(vault))).status).toBe(404)
    }
  })

  it('damage-4 PUT works only with If-Match and the version in the message', async () => {
    const vault = await createDamagedVault()
    const draft = loginDraft(vault.vaultId)
    for (const version of [undefined, 2, 4]) {
      const response = await send(vault, 'PUT', itemUrl(vault), version, draft)
      expect(parseResponse(response)).toEqual(damageOf(vault))
    }
    const response = await send(vault, 'PUT', itemUrl(vault), 3, draft)
    expect(parseResponse(response)).toMatchObject({ status: 200, body: { version: 4, files: [] } })
  })
})
