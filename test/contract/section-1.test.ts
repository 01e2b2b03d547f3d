import { describe, expect, it } from 'vitest'
import { contractClient, expectError, fieldIn } from './support/contract-client.js'

describe('contract 1: what the service does', () => {
  it('1-1 stores items in vaults: another vault does not have them', async () => {
    const { vault, send } = await contractClient()
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    const path = `/v1/vaults/${other.id}/items/${vault.item.id}`
    expectError(await send('GET', path), 404, `item ${vault.item.id} not found`)
    expect((await send('GET', `/v1/vaults/${vault.vaultId}/items/${vault.item.id}`)).status).toBe(
      200,
    )
  })

  it('1-2 keeps category, title, tags, urls, sections, fields and files of an item', async () => {
    const { vault, read } = await contractClient()
    expect(await read()).toMatchObject({
      category: 'LOGIN',
      title: 'Example',
      tags: ['work', 'mail'],
      urls: [{ href: 'https://example.com/login', label: 'website', primary: true }],
      sections: [{ id: 'more', label: 'More' }],
      fields: [{ id: 'username' }, { id: 'password' }, { id: 'pin' }],
      files: [vault.smallFile, vault.largeFile],
    })
  })

  it('1-3 uses HTTP and JSON: requests and responses are JSON in UTF-8', async () => {
    const { create } = await contractClient()
    const reply = await create({ title: 'Zoë 🔑' })
    expect(reply.json).toMatchObject({ title: 'Zoë 🔑' })
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    const request = { headers: { 'content-type': 'text/plain' } }
    expect((await create({}, request)).status).toBe(415)
  })

  it('1-4 creates an item with POST', async () => {
    const { create, items, send } = await contractClient()
    const { status, json } = await create({ title: 'New' })
    expect(status).toBe(200)
    const { id } = Object(json)
    expect((await send('GET', `${items}/${id}`)).json).toStrictEqual(json)
  })

  it('1-5 replaces an item with PUT', async () => {
    const { replace, read } = await contractClient()
    expect((await replace({ title: 'Replaced' })).status).toBe(200)
    expect(await read()).toMatchObject({ title: 'Replaced', tags: [], urls: [], fields: [] })
  })

  it('1-6 changes a part of an item with PATCH', async () => {
    const { patch, read, vault } = await contractClient()
    expect((await patch([{ op: 'replace', path: '/title', value: 'Patched' }])).status).toBe(200)
    const { title, fields, tags } = await read()
    expect({ title, fields, tags }).toEqual({
      title: 'Patched',
      fields: vault.item.fields,
      tags: vault.item.tags,
    })
  })

  it('1-7 returns the metadata of a file with GET, and its content on request', async () => {
    const { vault, file } = await contractClient()
    expect((await file(vault.smallFile.id)).json).toStrictEqual(vault.smallFile)
    expect((await file(vault.smallFile.id, '?inline_files=true')).json).toStrictEqual({
      ...vault.smallFile,
      content: 'aGVsbG8=',
    })
  })

  it('1-8 generates a value from a recipe for a field with generate and without a value', async () => {
    const { create } = await contractClient()
    const recipe = { length: 9, characterSets: ['DIGITS'] }
    const base = { type: 'CONCEALED', recipe }
    const { json } = await create({
      fields: [
        { id: 'generated', ...base, generate: true },
        { id: 'has', ...base, generate: true, value: 'mine' },
        { id: 'not', ...base, generate: false },
      ],
    })
    expect(fieldIn(json, 'generated')?.['value']).toMatch(/^\d{9}$/)
    expect(fieldIn(json, 'has')?.['value']).toBe('mine')
    expect(fieldIn(json, 'not')).not.toHaveProperty('value')
  })

  it('1-9 serves paths relative to a base URL', async () => {
    const { item, send } = await contractClient({}, { basePath: '/secrets' })
    expect((await send('GET', `/secrets${item}`)).status).toBe(200)
    expect((await send('GET', `https://vault.example/secrets${item}`)).status).toBe(200)
    expect((await send('GET', item)).status).toBe(404)
  })
})
