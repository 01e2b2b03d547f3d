import { describe, expect, it } from 'vitest'
import { contractClient, expectError, expectUnchanged, fieldIn } from './support/contract-client.js'
import { expectRejectedOperations } from './support/rejected-operations.js'

const title = { op: 'replace', path: '/title', value: 'x' }

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
    const operations = [
      { op: 'remove', path: '/category' },
      { op: 'replace', path: '/category', value: 'NONE' },
      { op: 'replace', path: '/favorite', value: 'yes' },
      { op: 'add', path: '/urls/-', value: { href: 'javascript:x' } },
      { op: 'replace', path: '/sections', value: [] },
      { op: 'replace', path: '/fields/pin/type', value: 'MONTH_YEAR' },
      { op: 'add', path: '/fields/pin/purpose', value: 'PASSWORD' },
      { op: 'replace', path: '/fields/pin/value', value: null },
      { op: 'replace', path: '', value: {} },
    ]
    await expectUnchanged(client, async () => {
      for (const operation of operations) expectError(await client.patch([operation]), 400, /./)
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
})
