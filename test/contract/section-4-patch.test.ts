import { describe, expect, it } from 'vitest'
import { readRecords } from '../support/stores/stores.js'
import {
  contractClient,
  expectError,
  expectUnchanged,
  fieldIn,
  missing,
} from './support/contract-client.js'

describe('contract 4.3: change a part of an item', () => {
  it('4.3-1 is PATCH of the item', async () => {
    const { patch, read, vault } = await contractClient()
    const { status, json } = await patch([{ op: 'replace', path: '/title', value: 'Patched' }])
    expect([status, json]).toMatchObject([200, { id: vault.item.id, title: 'Patched' }])
    expect(await read()).toStrictEqual(json)
  })

  it('4.3-2 the path names the vault and the item by 26 characters each', async () => {
    const { vault, send, items } = await contractClient()
    const body = [{ op: 'replace', path: '/title', value: 'Patched' }]
    const { id } = vault.item
    const vaultReply = await send('PATCH', `/v1/vaults/Test/items/${id}`, { body })
    expectError(vaultReply, 400, 'Invalid Vault UUID')
    expectError(await send('PATCH', `${items}/Example`, { body }), 400, 'Invalid Item UUID')
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    const elsewhere = await send('PATCH', `/v1/vaults/${other.id}/items/${id}`, { body })
    expectError(elsewhere, 404, `item ${id} not found`)
  })

  it('4.3-3 the body is an array of operations', async () => {
    const client = await contractClient()
    const operation = { op: 'replace', path: '/title', value: 'x' }
    await expectUnchanged(client, async () => {
      for (const body of [operation, {}, 'null', '"x"', [null], ['x'], [[operation]]])
        expectError(await client.patch(body), 400, /must be an/)
    })
    expect((await client.patch([operation, { ...operation, value: 'y' }])).json).toMatchObject({
      title: 'y',
    })
  })

  it('4.3-4 is a modified RFC 6902: operations run in order, and fields are found by id', async () => {
    const { patch } = await contractClient()
    const { json } = await patch([
      { op: 'add', path: '/tags/0', value: 'first' },
      { op: 'remove', path: '/tags/1' },
      { op: 'replace', path: '/tags/1', value: 'last' },
      { op: 'replace', path: '/fields/pin/value', value: '4321' },
    ])
    expect(json).toMatchObject({ tags: ['first', 'last'] })
    expect(fieldIn(json, 'pin')).toMatchObject({ value: '4321' })
    expectError(await patch([{ op: 'remove', path: '/fields/0' }]), 400, /doesn't have a 0 field/)
  })

  it('4.3-5 op is required: add, remove or replace', async () => {
    const client = await contractClient()
    const { json } = await client.patch([
      { op: 'add', path: '/tags/-', value: 'new' },
      { op: 'remove', path: '/tags/0' },
      { op: 'replace', path: '/title', value: 'x' },
    ])
    expect(json).toMatchObject({ tags: ['mail', 'new'], title: 'x' })
    await expectUnchanged(client, async () => {
      for (const op of ['move', 'copy', 'test', 'ADD', '', 7, null, undefined]) {
        const operation = { op, path: '/title', from: '/title', value: 'x' }
        expectError(await client.patch([operation]), 400, /: 0\/op must be one of/)
      }
    })
  })

  it('4.3-6 path is a required JSON Pointer to the item, an attribute, a field or its attribute', async () => {
    const client = await contractClient()
    const { patch, vault } = client
    const whole = { category: 'LOGIN', vault: { id: vault.vaultId }, title: 'Whole' }
    const field = { id: 'a', type: 'STRING', label: 'A' }
    const steps = [
      ['', whole, { title: 'Whole', fields: [] }],
      ['/title', 'Attribute', { title: 'Attribute' }],
      ['/fields/a', field, { fields: [field] }],
      ['/fields/a/label', 'B', { fields: [{ ...field, label: 'B' }] }],
    ] as const
    for (const [path, value, result] of steps) {
      const { status, json } = await patch([{ op: 'add', path, value }])
      expect([status, json]).toMatchObject([200, result])
    }
    await expectUnchanged(client, async () => {
      for (const path of [undefined, null, 7, ['title'], 'title', '/nothing', '/title/x', '/~2'])
        expectError(await patch([{ op: 'add', path, value: 'x' }]), 400, /./)
    })
  })

  it('4.3-7 value is the new value of add and replace', async () => {
    const client = await contractClient()
    for (const op of ['add', 'replace']) {
      const { json } = await client.patch([{ op, path: '/title', value: op }])
      expect(json).toMatchObject({ title: op })
      const reply = await client.patch([{ op, path: '/title' }])
      expectError(reply, 400, 'operation 0 ("/title"): needs a value')
    }
    const { json } = await client.patch([{ op: 'remove', path: '/title', value: 'ignored' }])
    expect(json).not.toHaveProperty('title')
  })

  it('4.3-8 /fields/{fieldId} is the field of that id, and an attribute name after it that attribute', async () => {
    const { patch, vault } = await contractClient()
    const [username, password, pin] = vault.item.fields
    const changed = { id: 'pin', type: 'STRING', label: 'New' }
    const replaced = await patch([{ op: 'replace', path: '/fields/pin', value: changed }])
    expect(replaced.json).toHaveProperty('fields', [username, password, changed])
    const labelled = await patch([{ op: 'replace', path: '/fields/username/label', value: 'Name' }])
    expect(labelled.json).toHaveProperty('fields.0', { ...username, label: 'Name' })
    const removed = await patch([{ op: 'remove', path: '/fields/password' }])
    expect(removed.json).toMatchObject({ fields: [{ id: 'username' }, { id: 'pin' }] })
    expect(pin?.label).toBe('PIN')
  })

  it('4.3-9 /attributeName is an attribute of the item, and an index an element of an array', async () => {
    const { patch } = await contractClient()
    const { json } = await patch([
      { op: 'replace', path: '/favorite', value: true },
      { op: 'replace', path: '/tags/1', value: 'post' },
      { op: 'replace', path: '/urls/0/label', value: 'home' },
      { op: 'add', path: '/sections/0', value: { id: 'first' } },
    ])
    expect(json).toMatchObject({
      favorite: true,
      tags: ['work', 'post'],
      urls: [{ label: 'home' }],
      sections: [{ id: 'first' }, { id: 'more' }],
    })
  })

  it('4.3-10 no operations return the item unchanged with 200', async () => {
    const { patch, read, vault } = await contractClient()
    const before = await read()
    const records = await readRecords(vault.store, vault.vaultId)
    vault.clock.advance(1000)
    const { status, json } = await patch([])
    expect(status).toBe(200)
    expect(json).toStrictEqual(before)
    expect(await readRecords(vault.store, vault.vaultId)).toEqual(records)
  })

  it('4.3-11 returns 200 with the resulting item', async () => {
    const { patch, read, vault } = await contractClient()
    const before = await read()
    vault.clock.advance(1000)
    const { status, json } = await patch([{ op: 'replace', path: '/title', value: 'Patched' }])
    expect(status).toBe(200)
    expect(json).toStrictEqual({
      ...before,
      title: 'Patched',
      version: vault.item.version + 1,
      updatedAt: '2026-01-01T00:00:01.000Z',
      lastEditedBy: 'full',
    })
  })

  it('4.3-12 returns 401, 403 and 404', async () => {
    const { patch, send, items } = await contractClient()
    expectError(await patch([], { as: null }), 401, 'Invalid bearer token')
    expectError(await patch([], { as: 'otherVault' }), 403, /is not in scope$/)
    const reply = await send('PATCH', `${items}/${missing.item}`, { body: [] })
    expectError(reply, 404, `item ${missing.item} not found`)
  })
})
