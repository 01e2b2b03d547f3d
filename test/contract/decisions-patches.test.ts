import { describe, expect, it } from 'vitest'
import { recordsOf } from '../support/stores/stores.js'
import { contractClient, expectError, expectUnchanged, fieldIn } from './support/contract-client.js'
import { expectRejectedOperations } from './support/rejected-operations.js'

const title = { op: 'replace', path: '/title', value: 'x' }

describe('decisions on patches', () => {
  it('patches-1 [] returns the item and writes nothing', async () => {
    const { patch, read, vault } = await contractClient()
    const before = await read()
    const records = await recordsOf(vault.store, vault.vaultId)
    vault.clock.advance(1000)
    const { status, json, headers } = await patch([])
    expect([status, headers['etag']]).toEqual([200, `"${vault.item.version}"`])
    expect(json).toStrictEqual(before)
    expect(await recordsOf(vault.store, vault.vaultId)).toEqual(records)
  })

  it('patches-2 a patch is applied as a whole, and the message names the first invalid operation', async () => {
    const client = await contractClient()
    const bad = { op: 'remove', path: '/tags/7' }
    await expectUnchanged(client, async () => {
      for (const [index, patch] of [
        [bad, title],
        [title, bad],
        [title, title, bad],
      ].entries()) {
        const message = new RegExp(`^operation ${index} \\("/tags/7"\\): `)
        expectError(await client.patch(patch), 400, message)
      }
    })
    const { json } = await client.patch([title, { ...bad, path: '/tags/1' }])
    expect(json).toMatchObject({ title: 'x', tags: ['work'] })
  })

  it('patches-3 "" and / are the whole item, and replacing it equals PUT', async () => {
    const draft = { category: 'SECURE_NOTE', title: 'Whole', tags: ['a'] }
    const results: unknown[] = []
    for (const path of ['', '/', undefined]) {
      const { vault, patch, replace, read } = await contractClient()
      const value = { ...(await read()), ...draft, version: 99, files: [], fields: undefined }
      const reply =
        path === undefined ? await replace(value) : await patch([{ op: 'replace', path, value }])
      expect(reply.status).toBe(200)
      expect(reply.json).toMatchObject({ ...draft, fields: [], version: vault.item.version + 1 })
      results.push(reply.json)
    }
    expect(results[0]).toStrictEqual(results[2])
    expect(results[1]).toStrictEqual(results[2])
    const client = await contractClient()
    await expectRejectedOperations(client, { op: 'remove', path: '' }, { op: 'remove', path: '/' })
  })

  it('patches-4 /fields/{id} is found by id for each operation, never by index', async () => {
    const client = await contractClient()
    const { json } = await client.patch([
      { op: 'remove', path: '/fields/username' },
      { op: 'replace', path: '/fields/pin/value', value: '1' },
      {
        op: 'add',
        path: '/fields',
        value: [{ id: '1', type: 'STRING', value: 'a' }, { id: 'pin' }],
      },
      { op: 'replace', path: '/fields/1/value', value: 'b' },
    ])
    expect(json).toMatchObject({
      fields: [
        { id: '1', value: 'b' },
        { id: 'pin', value: '1' },
      ],
    })
    await expectRejectedOperations(client, { op: 'remove', path: '/fields/0' })
  })

  it('patches-5 ~0 and ~1 in ids are ~ and /', async () => {
    const client = await contractClient()
    const ids = ['a/b', 'a~b', '~1']
    await client.replace({ fields: ids.map((id) => ({ id, type: 'STRING' })) })
    const paths = ['a~1b', 'a~0b', '~01'].map((id) => `/fields/${id}/value`)
    const { json } = await client.patch(paths.map((path) => ({ op: 'add', path, value: path })))
    expect(ids.map((id) => fieldIn(json, id)?.['value'])).toEqual(paths)
    const bad = ['/fields/a~b', '/fields/a~2b', '/fields/~'].map((path) => ({ op: 'remove', path }))
    await expectRejectedOperations(client, ...bad)
  })

  it('patches-6 add /fields appends an object, and replaces all by an array', async () => {
    const { patch, vault } = await contractClient()
    const field = { id: 'a', type: 'STRING', value: '1' }
    const { id: _, ...withoutId } = field
    const appended = await patch([
      { op: 'add', path: '/fields', value: field },
      { op: 'add', path: '/fields', value: withoutId },
    ])
    const made = { ...withoutId, id: expect.stringMatching(/^[a-z2-7]{26}$/) }
    expect(appended.json).toHaveProperty('fields', [...vault.item.fields, field, made])
    const replaced = await patch([{ op: 'add', path: '/fields', value: [field] }])
    expect(replaced.json).toHaveProperty('fields', [field])
  })

  it('patches-7 add /fields/- appends', async () => {
    const { patch, vault } = await contractClient()
    const field = { id: 'a', type: 'STRING' }
    const { json } = await patch([{ op: 'add', path: '/fields/-', value: field }])
    expect(json).toHaveProperty('fields', [...vault.item.fields, field])
  })

  it('patches-8 add /fields/{id} creates the field with that id, or replaces it in place', async () => {
    const { patch, vault } = await contractClient()
    const [, password, pin] = vault.item.fields
    const value = { type: 'EMAIL', value: 'a@b.example' }
    const { json } = await patch([
      { op: 'add', path: '/fields/new', value },
      { op: 'add', path: '/fields/username', value },
    ])
    const fields = [{ id: 'username', ...value }, password, pin, { id: 'new', ...value }]
    expect(json).toHaveProperty('fields', fields)
  })

  it('patches-9 replace /fields/{id} keeps id and position; another id in the value is 400', async () => {
    const client = await contractClient()
    const [, password, pin] = client.vault.item.fields
    const value = { type: 'EMAIL' }
    const path = '/fields/username'
    for (const sent of [value, { ...value, id: 'username' }]) {
      const { json } = await client.patch([{ op: 'replace', path, value: sent }])
      expect(json).toHaveProperty('fields', [{ id: 'username', ...value }, password, pin])
    }
    const other = { op: 'replace', path, value: { ...value, id: 'other' } }
    await expectRejectedOperations(client, other, { ...other, value: { ...value, id: 7 } })
  })

  it('patches-10 replace and remove of a missing path are 400', async () => {
    const client = await contractClient()
    await client.patch([{ op: 'remove', path: '/title' }])
    for (const op of ['replace', 'remove']) {
      const paths = ['/title', '/tags/2', '/fields/puk', '/fields/pin/purpose', '/urls/1/label']
      await expectRejectedOperations(client, ...paths.map((path) => ({ op, path, value: 'x' })))
    }
    const { json } = await client.patch([{ op: 'add', path: '/title', value: 'x' }])
    expect(json).toMatchObject({ title: 'x' })
  })
})
