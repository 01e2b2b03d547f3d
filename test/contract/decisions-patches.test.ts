import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../src/dialects/connect.js'
import { createVaultService, type PatchOperation } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault } from '../../src/testing.js'
import { readRecords } from '../support/stores/stores.js'
import {
  type ContractClient,
  contractClient,
  expectError,
  expectUnchanged,
  fieldIn,
} from './support/contract-client.js'

const title = { op: 'replace', path: '/title', value: 'x' }

describe('decisions on patches', () => {
  it('patches-1 [] returns the item and writes nothing', async () => {
    const { patch, read, vault } = await contractClient()
    const before = await read()
    const records = await readRecords(vault.store, vault.vaultId)
    vault.clock.advance(1000)
    const { status, json, headers } = await patch([])
    expect([status, headers['etag']]).toEqual([200, `"${vault.item.version}"`])
    expect(json).toStrictEqual(before)
    expect(await readRecords(vault.store, vault.vaultId)).toEqual(records)
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
    const invalid = [
      { op: 'replace', path: '/title', value: 5 },
      { op: 'remove', path: '/tags/0' },
    ]
    const message = 'operation 0 ("/title"): title must be a string'
    expectError(await client.patch(invalid), 400, message)
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
    for (const other of [{ id: 'z'.repeat(26) }, { vault: { id: 'z'.repeat(26) } }]) {
      const value = { ...draft, ...other }
      await expectRejectedOperations(client, { op: 'replace', path: '', value })
      expectError(await client.replace(value), 400, /must be the (?:item|vault) of the operation/)
    }
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
    const made = { ...withoutId, id: expect.stringMatching(/^[0189][a-z2-7]{25}$/) }
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
    const other = { ...value, id: 'other' }
    const client = await contractClient()
    for (const path of ['/fields/new', '/fields/username'])
      await expectRejectedOperations(client, { op: 'add', path, value: other })
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

describe('decisions on patched values', () => {
  it('patches-11 other arrays are addressed by RFC 6901 index, and - appends', async () => {
    const client = await contractClient()
    const { json } = await client.patch([
      { op: 'add', path: '/tags/-', value: 'end' },
      { op: 'add', path: '/tags/0', value: 'start' },
      { op: 'add', path: '/tags/4', value: 'after' },
      { op: 'add', path: '/urls/-', value: { href: 'https://b.example' } },
      { op: 'replace', path: '/sections/0/label', value: 'L' },
    ])
    expect(json).toMatchObject({
      tags: ['start', 'work', 'mail', 'end', 'after'],
      urls: [{}, { href: 'https://b.example' }],
      sections: [{ id: 'more', label: 'L' }],
    })
    const indices = ['01', '-1', '1e0', '1.0', '+1', ' 1', '', '9', 'length', '١']
    const operations = indices.map((index) => ({ op: 'add', path: `/tags/${index}`, value: 'x' }))
    const last = ['replace', 'remove'].map((op) => ({ op, path: '/tags/-', value: 'x' }))
    await expectRejectedOperations(client, ...operations, ...last)
  })

  it('patches-12 attributes that the vault sets are 400 as a target', async () => {
    const client = await contractClient()
    const item = [
      'id',
      'version',
      'vault',
      'createdAt',
      'updatedAt',
      'lastEditedBy',
      'state',
      'files',
    ]
    const paths = item.map((name) => `/${name}`)
    paths.push('/fields/pin/id', '/fields/pin/entropy', '/files/0', '/files/-', '/vault/id')
    for (const op of ['add', 'replace', 'remove'])
      await expectRejectedOperations(client, ...paths.map((path) => ({ op, path, value: 'x' })))
  })

  it('patches-13 /__proto__, /constructor and other unknown paths are 400', async () => {
    const client = await contractClient()
    const paths = ['/__proto__', '/constructor', '/constructor/prototype/x', '/toString']
    paths.push('/__proto__/x', '/fields/pin/__proto__', '/fields/pin/constructor/prototype/x')
    paths.push('/tags/__proto__', '/nothing', '/title/x', '/title/', '/fields/pin/label/0')
    for (const op of ['add', 'replace'])
      await expectRejectedOperations(client, ...paths.map((path) => ({ op, path, value: 'x' })))
    expect(Reflect.get({}, 'x')).toBeUndefined()
    expect(Reflect.get(Object, 'x')).toBeUndefined()
  })

  it('patches-14 value is any JSON: a string, a boolean, an object, an array, null', async () => {
    const client = await contractClient()
    const { status, json } = await client.patch([
      { op: 'replace', path: '/title', value: '' },
      { op: 'replace', path: '/favorite', value: true },
      { op: 'replace', path: '/tags', value: ['a'] },
      { op: 'add', path: '/fields/pin/section', value: {} },
      { op: 'add', path: '/fields/pin/recipe', value: { length: 5, characterSets: ['DIGITS'] } },
      { op: 'replace', path: '/fields/pin/value', value: null },
      { op: 'add', path: '/fields/pin/generate', value: true },
    ])
    expect(status).toBe(200)
    expect(json).toMatchObject({ title: '', favorite: true, tags: ['a'] })
    const value = expect.stringMatching(/^\d{5}$/)
    expect(fieldIn(json, 'pin')).toMatchObject({ section: {}, value })
  })

  it('patches-15 add and replace without a value are 400; remove ignores a value', async () => {
    const client = await contractClient()
    const paths = ['', '/title', '/fields', '/fields/pin', '/fields/pin/label', '/tags/0']
    for (const op of ['add', 'replace'])
      await expectRejectedOperations(client, ...paths.map((path) => ({ op, path })))
    const { json } = await client.patch([{ op: 'remove', path: '/title', value: { a: [] } }])
    expect(json).not.toHaveProperty('title')
  })

  it('patches-16 move, copy and test are 400', async () => {
    const client = await contractClient()
    const operations = ['move', 'copy', 'test'].map((op) => ({ ...title, op, from: '/tags/0' }))
    await expectRejectedOperations(client, ...operations)
  })

  it('patches-17 the result must be a valid item', async () => {
    const client = await contractClient()
    const invalidCategory = 'Invalid item category'
    const noSection = 'fields/2/section/id must be the id of a section of the item'
    const operations = [
      ['remove', '/category', undefined, invalidCategory],
      ['replace', '/category', 'NONE', invalidCategory],
      ['replace', '', {}, invalidCategory],
      ['replace', '/', {}, invalidCategory],
      ['replace', '/title', null, 'title must be a string'],
      ['replace', '/favorite', 'yes', 'favorite must be a boolean'],
      [
        ...['add', '/urls/-', { href: 'javascript:x' }],
        'urls/1/href must not be a javascript: or data: URL',
      ],
      ['replace', '/sections', [], noSection],
      ['remove', '/sections/0', undefined, noSection],
      [
        ...['replace', '/fields/pin/type', 'MONTH_YEAR'],
        'fields/2/value must be a month as YYYYMM, YYYY/MM or YYYY-MM',
      ],
      [
        ...['add', '/fields/pin/purpose', 'PASSWORD'],
        'fields/2/purpose must not be the purpose of another field',
      ],
      ['replace', '/fields/pin/value', null, 'fields/2/value must be a string'],
    ] as const
    await expectUnchanged(client, async () => {
      for (const [op, path, value, message] of operations) {
        const reply = await client.patch([{ op, path, value }])
        expectError(reply, 400, `operation 0 ("${path}"): ${message}`)
      }
    })
    const { status } = await client.patch([
      { op: 'remove', path: '/sections/0' },
      { op: 'remove', path: '/fields/pin' },
    ])
    expect(status).toBe(200)
  })

  it('patches-18 a field with generate and without a value gets a generated value', async () => {
    const { patch, vault } = await contractClient()
    const password = vault.item.fields[1]
    const { json } = await patch([
      { op: 'remove', path: '/fields/password/value' },
      { op: 'add', path: '/fields/password/generate', value: true },
      { op: 'add', path: '/fields/pin/generate', value: true },
    ])
    const { value, entropy } = { ...fieldIn(json, 'password') }
    expect(value).toMatch(/^[A-Za-z\d!@.\-_*]{32}$/)
    expect([value !== password?.value, typeof entropy]).toEqual([true, 'number'])
    expect(fieldIn(json, 'pin')).toHaveProperty('value', '1234')
  })

  it('patches-19 a stored field that the patch does not touch is kept, whatever its type', async () => {
    const store = createMemoryStore()
    const vault = await createTestVault({ store, dialect: connectDialect })
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    const passkey = { id: 'passkey', type: 'PASSKEY', value: 'kept', section: { id: 'more' } }
    const service = createVaultService({ store })
    const patchTyped = (...patch: readonly PatchOperation[]) =>
      service.patchItem(vault.caller, { ...ref, patch })
    await vault.service.patchItem(vault.caller, {
      ...ref,
      patch: [{ op: 'add', path: '/fields', value: passkey }],
    })
    const index = vault.item.fields.length
    const { title: _, ...kept } = await patchTyped({ op: 'replace', path: '/title', value: 'New' })
    expect(kept.fields[index]).toEqual(passkey)
    // Also at another index, and where the item is replaced with a reference to the field.
    const moved = await patchTyped({ op: 'remove', path: '/fields/pin' })
    expect(moved.fields[index - 1]).toEqual(passkey)
    const whole = { ...moved, fields: [{ id: 'passkey' }] }
    const replaced = await patchTyped({ op: 'replace', path: '', value: whole })
    expect(replaced.fields).toEqual([passkey])
    // What the patch has made is parsed by the dialect.
    const path = 'fields/0/type'
    const made = { op: 'replace', path: '/fields/passkey/value', value: 'x' } as const
    await expect(patchTyped(made)).rejects.toMatchObject({ issues: [{ path }] })
    const sent = { op: 'add', path: '/fields/passkey', value: passkey } as const
    await expect(patchTyped(sent)).rejects.toMatchObject({ issues: [{ path }] })
  })
})

/** Asserts that each operation alone is 400 with a message that names it, and changes nothing. */
async function expectRejectedOperations(
  client: ContractClient,
  ...operations: readonly {
    readonly op?: unknown
    readonly path: string
    readonly value?: unknown
  }[]
): Promise<void> {
  await expectUnchanged(client, async () => {
    for (const operation of operations)
      expectError(await client.patch([operation]), 400, /^(?:operation 0 \(".*"\): |0\/)/)
  })
}
