import { describe, expect, it } from 'vitest'
import { reservedIdMessage } from '../../src/base/reserved-id.js'
import {
  contractClient,
  expectAccepted,
  expectRejected,
  expectUnchanged,
  missing,
  pick,
} from './support/contract-client.js'

const anId = /^[0189][a-z2-7]{25}$/
const managedAttributes = ['id', 'createdAt', 'lastEditedBy', 'state', 'version', 'files'] as const

describe('decisions on items', () => {
  it('items-1 attributes that the vault sets are checked in a body, and then ignored', async () => {
    const client = await contractClient()
    const { read, replace, create, vault } = client
    await create({ fields: [{ id: 'p', type: 'CONCEALED', purpose: 'PASSWORD', generate: true }] })
    const before = await read()
    expect((await replace(before)).status).toBe(200)
    const sent = {
      createdAt: '0001-01-01T00:00:00Z',
      updatedAt: '2099-12-31T23:59:59.123456+05:30',
      lastEditedBy: 'wendy',
      state: 'DELETED',
      version: 99,
      files: [{ id: missing.file, name: 'x', size: 1, content_path: '/', content: 'eA==' }],
      fields: [{ id: 'pin', type: 'STRING', value: '1', entropy: 500 }],
      sections: [{ id: 'more' }],
    }
    const { json } = await replace(sent)
    const version = vault.item.version + 2
    expect(pick(json, ...managedAttributes)).toStrictEqual({
      ...pick(before, ...managedAttributes),
      lastEditedBy: 'full',
      version,
    })
    expect(json).toHaveProperty('fields', [{ id: 'pin', type: 'STRING', value: '1' }])
    const invalid = Object.keys(sent).map((name) => ({ ...sent, [name]: 'X' }))
    const bodies = invalid.filter(({ lastEditedBy }) => lastEditedBy !== 'X')
    await expectRejected(client, /./, ...bodies, { ...sent, lastEditedBy: 7 })
  })

  it('items-2 a vault id, or in PUT an item id, other than in the path is 400', async () => {
    const client = await contractClient()
    const { create, replace } = client
    await expectUnchanged(client, async () => {
      for (const reply of [
        await create({ vault: { id: missing.vault } }),
        await replace({ vault: { id: missing.vault } }),
      ]) {
        const message = 'vault/id must be the vault of the operation (vaultId)'
        expect(reply.json).toStrictEqual({ status: 400, message })
      }
      const { json } = await replace({ id: missing.item })
      expect(json).toStrictEqual({
        status: 400,
        message: 'id must be the item of the operation (itemId)',
      })
    })
    const { json } = await create({ id: missing.item })
    expect(Object(json).id).not.toBe(missing.item)
  })

  it('items-3 unknown attributes are ignored and not stored', async () => {
    const client = await contractClient()
    const trashed = { trashed: true }
    const [item] = await expectAccepted(client, {
      ...trashed,
      urls: [{ href: 'https://a.example', ...trashed }],
      sections: [{ id: 's', ...trashed }],
      fields: [{ id: 'f', type: 'STRING', ...trashed, section: { id: 's', ...trashed } }],
      vault: { id: client.vault.vaultId, ...trashed },
    })
    expect(JSON.stringify(item)).not.toContain('trashed')
    expect(item).toMatchObject({ fields: [{ id: 'f', section: { id: 's' } }] })
  })

  it('items-4 version is 1, plus 1 for each PUT and each PATCH that is not empty', async () => {
    const { create, send, items } = await contractClient()
    const { id } = Object((await create()).json)
    const path = `${items}/${id}`
    const versions: unknown[] = []
    const put = Object((await send('GET', path)).json)
    const title = [{ op: 'add', path: '/title', value: 'x' }]
    for (const [method, body] of [
      ['PUT', put],
      ['PATCH', title],
      ['PATCH', []],
      ['PATCH', title],
      ['PATCH', [{ op: 'move', path: '/title' }]],
      ['PUT', put],
    ]) {
      await send(method, path, { body })
      versions.push(Object((await send('GET', path)).json).version)
    }
    expect([put.version, ...versions]).toEqual([1, 2, 3, 3, 4, 4, 5])
  })

  it('items-14 createItem in process takes an id, whose versions are never used again', async () => {
    const { vault, create, send, items } = await contractClient()
    const { service, caller, vaultId } = vault
    const ref = { vaultId, itemId: missing.item }
    const save = { ...ref, item: { category: 'LOGIN' } } as const
    expect(await service.createItem(caller, save)).toMatchObject({ id: missing.item, version: 1 })
    for (const state of ['ARCHIVED', 'DELETED', 'ACTIVE'] as const) {
      await service.setItemState(caller, { ...ref, state })
      await expect(service.createItem(caller, save)).rejects.toMatchObject({
        ...{ status: 409, code: 'CONFLICT', reason: 'exists' },
      })
    }
    expect((await send('DELETE', `${items}/${missing.item}`)).status).toBe(204)
    expect(Object((await create({ id: missing.item })).json).id).not.toBe(missing.item)
    expect(await service.createItem(caller, save)).toMatchObject({ id: missing.item, version: 6 })
  })

  it('items-15 an id that the vault has made is never that of anything new', async () => {
    const { vault, send, items } = await contractClient()
    const { service, caller, vaultId, item } = vault
    expect((await send('DELETE', `${items}/${item.id}`)).status).toBe(204)
    for (const itemId of [item.id, ...['0', '1', '8', '9'].map((first) => first.repeat(26))]) {
      const draft = { category: 'LOGIN' } as const
      for (const [path, creating] of [
        ['itemId', service.createItem(caller, { vaultId, itemId, item: draft })],
        ['vaultId', service.createVault(caller, { vaultId: itemId, name: 'New' })],
      ] as const)
        await expect(creating).rejects.toMatchObject({
          status: 400,
          message: `${path} ${reservedIdMessage}`,
        })
    }
    expect((await send('GET', `${items}/${missing.item}`)).status).toBe(404)
    expect((await send('GET', `${items}/${'0'.repeat(26)}`)).status).toBe(404)
  })

  it('items-5 times are RFC 3339 in UTC with milliseconds, and createdAt never changes', async () => {
    const { vault, replace, patch, create } = await contractClient()
    const created = '2026-01-01T00:00:00.000Z'
    vault.clock.advance(1)
    const first = '2026-01-01T00:00:00.001Z'
    expect((await replace()).json).toMatchObject({ createdAt: created, updatedAt: first })
    expect((await create()).json).toMatchObject({ createdAt: first, updatedAt: first })
    vault.clock.advance(86_400_000)
    const { json } = await patch([{ op: 'add', path: '/title', value: 'x' }])
    const updatedAt = '2026-01-02T00:00:00.001Z'
    expect(json).toMatchObject({ createdAt: created, updatedAt })
    expect((await patch([])).json).toStrictEqual(json)
  })

  it('items-6 lastEditedBy is the id of the caller', async () => {
    const { create, read, replace } = await contractClient()
    expect((await create({}, { as: 'writer' })).json).toMatchObject({ lastEditedBy: 'writer' })
    expect(await read()).toMatchObject({ lastEditedBy: 'tester' })
    await replace()
    expect(await read()).toMatchObject({ lastEditedBy: 'full' })
  })

  it('items-7 the vault of an item is its id and nothing else', async () => {
    const { create, read, vault } = await contractClient()
    const { json } = await create({ vault: { id: vault.vaultId, name: 'Test' } })
    expect(Object(json).vault).toStrictEqual({ id: vault.vaultId })
    expect((await read())['vault']).toStrictEqual({ id: vault.vaultId })
  })

  it('items-8 new ids are 0, 1, 8 or 9 and 25 characters of base32, from 16 random bytes', async () => {
    const lengths: number[] = []
    const randomBytes = (length: number): Uint8Array => {
      lengths.push(length)
      return crypto.getRandomValues(new Uint8Array(length))
    }
    const { create, vault } = await contractClient({ randomBytes })
    lengths.length = 0
    const ids: string[] = []
    for (let count = 0; count < 200; count++) ids.push(Object((await create()).json).id)
    expect(ids.filter((id) => !anId.test(id))).toEqual([])
    expect(vault.vaultId).toMatch(anId)
    expect(new Set(ids).size).toBe(200)
    expect(new Set(lengths)).toEqual(new Set([16]))
    const used = new Set(ids.flatMap((id) => [...id.slice(1)]))
    expect(used.size).toBe(32)
    expect(new Set(ids.map((id) => id.charAt(0)))).toEqual(new Set(['0', '1', '8', '9']))
  })

  it('items-9 absent arrays are returned as []', async () => {
    const { create } = await contractClient()
    const empty = { tags: [], urls: [], sections: [], fields: [], files: [] }
    expect((await create()).json).toMatchObject(empty)
  })

  it('items-10 favorite is always returned, and is false unless set', async () => {
    const { create } = await contractClient()
    expect((await create()).json).toHaveProperty('favorite', false)
    expect((await create({ favorite: true })).json).toHaveProperty('favorite', true)
  })

  it('items-11 an absent title, label or value is not returned', async () => {
    const { create } = await contractClient()
    const { json } = await create({
      urls: [{ href: 'https://a.example' }],
      sections: [{ id: 's' }],
      fields: [{ id: 'f', type: 'STRING' }],
    })
    expect(json).not.toHaveProperty('title')
    const parts = pick(json, 'urls', 'sections', 'fields')
    expect(parts).toStrictEqual({
      urls: [{ href: 'https://a.example' }],
      sections: [{ id: 's' }],
      fields: [{ id: 'f', type: 'STRING' }],
    })
  })

  it('items-12 PUT replaces everything that a client can set', async () => {
    const { replace, read } = await contractClient()
    await replace({ favorite: true, title: 'Before' })
    await replace({ category: 'SECURE_NOTE' })
    const names = ['category', 'title', 'favorite', 'tags', 'urls', 'sections', 'fields']
    expect(pick(await read(), ...names)).toStrictEqual({
      category: 'SECURE_NOTE',
      title: undefined,
      favorite: false,
      tags: [],
      urls: [],
      sections: [],
      fields: [],
    })
  })

  it('items-13 a body never changes files', async () => {
    const { replace, patch, vault, file } = await contractClient()
    const { files } = vault.item
    const whole = { category: 'LOGIN', vault: { id: vault.vaultId }, sections: [{ id: 'more' }] }
    for (const sent of [[], [vault.largeFile], undefined]) {
      const replaced = await replace({ ...whole, files: sent })
      expect(Object(replaced.json).files).toStrictEqual(files)
      const value = { ...whole, files: sent }
      const patched = await patch([{ op: 'replace', path: '', value }])
      expect(Object(patched.json).files).toStrictEqual(files)
    }
    expect((await file(vault.smallFile.id)).json).toStrictEqual(vault.smallFile)
  })
})
