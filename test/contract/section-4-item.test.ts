import { describe, expect, it } from 'vitest'
import { contractClient, expectError, missing } from './support/contract-client.js'

const id = expect.stringMatching(/^[\da-z]{26}$/)

/** The errors that the contract lists for POST and PUT, with a request that causes each. */
const listedErrors = [
  [400, { body: { category: 'NONE' } }],
  [401, { as: null }],
  [403, { as: 'otherVault' }],
] as const

describe('contract 4: endpoints', () => {
  it('4-1 request bodies are JSON', async () => {
    const { create, replace, patch } = await contractClient()
    for (const send of [create, replace, patch]) {
      const notJson = { body: 'category=LOGIN' }
      expectError(await send({}, notJson), 400, /^the body /)
      const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      expect((await send({}, { ...notJson, ...form })).status).toBe(415)
    }
    expect((await patch([])).status).toBe(200)
  })

  it('4-2 responses are JSON objects', async () => {
    const { vault, create, replace, patch, file } = await contractClient()
    const replies = [
      await create(),
      await replace(),
      await patch([]),
      await file(vault.smallFile.id),
      await create({ category: 'NONE' }),
      await replace({}, { as: null }),
      await patch([], { as: 'otherVault' }),
      await file(missing.file),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 400, 401, 403, 404])
    for (const { headers, json } of replies) {
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(Object.getPrototypeOf(json)).toBe(Object.prototype)
    }
  })
})

describe('contract 4.1: create an item', () => {
  it('4.1-1 is POST of the items of a vault', async () => {
    const { create, send, vault, items } = await contractClient()
    const { status, json } = await create({ title: 'New' })
    expect(status).toBe(200)
    const { id: itemId } = Object(json)
    const ref = { vaultId: vault.vaultId, itemId }
    expect(await vault.service.getItem(vault.caller, ref)).toStrictEqual(json)
    const put = await send('PUT', items, { body: {} })
    expect([put.status, put.headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
  })

  it('4.1-2 vaultUuid is the 26 characters of the vault in which the item is created', async () => {
    const { vault, send } = await contractClient()
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    const body = { category: 'LOGIN', vault: { id: other.id } }
    const { status, json } = await send('POST', `/v1/vaults/${other.id}/items`, { body })
    expect([status, json]).toMatchObject([200, { vault: { id: other.id } }])
    const malformed = await send('POST', '/v1/vaults/Other/items', { body })
    expectError(malformed, 400, 'Invalid Vault UUID')
  })

  it('4.1-3 the body is an item that has category, and vault with its id', async () => {
    const { vault, send, items } = await contractClient()
    const category = 'LOGIN'
    const reference = { id: vault.vaultId }
    const statusOf = async (body: unknown) => (await send('POST', items, { body })).status
    expect(await statusOf({ category, vault: reference })).toBe(200)
    for (const body of [
      { vault: reference },
      { category },
      { category, vault: {} },
      {},
      [],
      [{ category, vault: reference }],
      'null',
      '7',
      '"item"',
    ])
      expect(await statusOf(body)).toBe(400)
  })

  it('4.1-4 returns 200 with the item', async () => {
    const { vault, create } = await contractClient()
    const { status, json } = await create({ title: 'New', tags: ['a'] })
    expect(status).toBe(200)
    expect(json).toStrictEqual({
      id,
      vault: { id: vault.vaultId },
      category: 'LOGIN',
      title: 'New',
      favorite: false,
      tags: ['a'],
      urls: [],
      sections: [],
      fields: [],
      files: [],
      version: 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      lastEditedBy: 'full',
    })
  })

  it('4.1-5 returns 400, 401, 403 and 404', async () => {
    const { create, send } = await contractClient()
    for (const [status, options] of listedErrors) {
      const reply = await create({}, options)
      expectError(reply, status, /./)
    }
    const body = { category: 'LOGIN', vault: { id: missing.vault } }
    const reply = await send('POST', `/v1/vaults/${missing.vault}/items`, { body })
    expectError(reply, 404, `vault ${missing.vault} not found`)
  })
})

describe('contract 4.2: replace an item', () => {
  it('4.2-1 is PUT of the item', async () => {
    const { replace, read, vault } = await contractClient()
    const { status, json } = await replace({ title: 'Replaced' })
    expect([status, json]).toMatchObject([200, { id: vault.item.id, title: 'Replaced' }])
    expect(await read()).toStrictEqual(json)
  })

  it('4.2-2 the path names the vault of the item and the item', async () => {
    const { vault, send, items, read } = await contractClient()
    const before = await read()
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    const body = { category: 'LOGIN', vault: { id: other.id } }
    const elsewhere = await send('PUT', `/v1/vaults/${other.id}/items/${vault.item.id}`, { body })
    expectError(elsewhere, 404, `item ${vault.item.id} not found`)
    const absent = { body: { ...body, vault: { id: vault.vaultId } } }
    const reply = await send('PUT', `${items}/${missing.item}`, absent)
    expectError(reply, 404, `item ${missing.item} not found`)
    expect(await read()).toStrictEqual(before)
  })

  it('4.2-3 the body is an item of the same structure', async () => {
    const { vault, send, items, item, read } = await contractClient()
    const body = { ...(await read()), title: 'Sent back' }
    expect((await send('PUT', item, { body })).json).toMatchObject({ title: 'Sent back' })
    const bodies = [{ category: 'LOGIN' }, { vault: { id: vault.vaultId } }, [], 'null']
    for (const invalid of bodies) {
      const replies = [
        await send('PUT', item, { body: invalid }),
        await send('POST', items, { body: invalid }),
      ]
      expect(replies.map(({ status }) => status)).toEqual([400, 400])
      expect(replies[0]?.text).toBe(replies[1]?.text)
    }
  })

  it('4.2-4 returns 200 with the item', async () => {
    const { vault, replace } = await contractClient()
    const sections = [{ id: 'more' }]
    vault.clock.advance(1000)
    const { status, json } = await replace({ title: 'Replaced', sections })
    expect(status).toBe(200)
    expect(json).toStrictEqual({
      id: vault.item.id,
      vault: { id: vault.vaultId },
      category: 'LOGIN',
      title: 'Replaced',
      favorite: false,
      tags: [],
      urls: [],
      sections,
      fields: [],
      files: vault.item.files,
      version: vault.item.version + 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:01.000Z',
      lastEditedBy: 'full',
    })
  })

  it('4.2-5 returns 400, 401, 403 and 404', async () => {
    const { replace, send, items, vault } = await contractClient()
    for (const [status, options] of listedErrors) {
      const reply = await replace({}, options)
      expectError(reply, status, /./)
    }
    const body = { category: 'LOGIN', vault: { id: vault.vaultId } }
    const reply = await send('PUT', `${items}/${missing.item}`, { body })
    expectError(reply, 404, `item ${missing.item} not found`)
  })
})
