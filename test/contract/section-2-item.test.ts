import { describe, expect, it } from 'vitest'
import {
  contractClient,
  expectAccepted,
  expectRejected,
  expectRejectedBodies,
  pick,
} from './support/contract-client.js'

const wellFormed = 'abcdefghij0123456789klmnop'
const malformed = ['a'.repeat(25), 'a'.repeat(27), 'A'.repeat(26), `${'a'.repeat(25)}-`, 'name']
const time = '2020-02-29T12:30:00.000Z'
const timeWithOffset = '2020-02-29T12:30:00+02:00'
const notTimes = ['yesterday', '2020-02-30T00:00:00Z', '2020-02-29', '', 7, null, true]
const categories = [
  ...['LOGIN', 'PASSWORD', 'API_CREDENTIAL', 'SERVER', 'DATABASE', 'CREDIT_CARD', 'MEMBERSHIP'],
  ...['PASSPORT', 'SOFTWARE_LICENSE', 'OUTDOOR_LICENSE', 'SECURE_NOTE', 'WIRELESS_ROUTER'],
  ...['BANK_ACCOUNT', 'DRIVER_LICENSE', 'IDENTITY', 'REWARD_PROGRAM', 'DOCUMENT'],
  ...['EMAIL_ACCOUNT', 'SOCIAL_SECURITY_NUMBER', 'MEDICAL_RECORD', 'SSH_KEY', 'CUSTOM'],
]

describe('contract 2.2: the item', () => {
  it('2.2-1 category is a required string of 22 values', async () => {
    const client = await contractClient()
    expect(new Set(categories).size).toBe(22)
    const created = await expectAccepted(client, ...categories.map((category) => ({ category })))
    expect(created.map(({ category }) => category)).toEqual(categories)
    const others = [undefined, 'login', 'LOGINS', '', 7, null, ['LOGIN']]
    const message = 'Invalid item category'
    await expectRejected(client, message, ...others.map((category) => ({ category })))
  })

  it('2.2-2 createdAt is an optional date-time', async () => {
    const client = await contractClient()
    const [item] = await expectAccepted(client, { createdAt: time }, { createdAt: timeWithOffset })
    expect(item?.['createdAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    await expectRejected(client, /^createdAt /, ...notTimes.map((createdAt) => ({ createdAt })))
  })

  it('2.2-3 favorite is an optional boolean', async () => {
    const client = await contractClient()
    const created = await expectAccepted(client, { favorite: true }, { favorite: false }, {})
    expect(created.map(({ favorite }) => favorite)).toEqual([true, false, false])
    const others = ['true', 1, null, []]
    const message = 'favorite must be a boolean'
    await expectRejected(client, message, ...others.map((favorite) => ({ favorite })))
  })

  it('2.2-4 id is an optional string of 26 characters', async () => {
    const client = await contractClient()
    expect((await client.create({ id: wellFormed })).status).toBe(200)
    expect((await client.replace({ id: client.vault.item.id })).status).toBe(200)
    expect((await client.replace({})).json).toMatchObject({ id: client.vault.item.id })
    const others = [...malformed, '', 7, null]
    await expectRejected(client, /^id /, ...others.map((id) => ({ id })))
  })

  it('2.2-5 lastEditedBy is an optional string', async () => {
    const client = await contractClient()
    const [item] = await expectAccepted(client, { lastEditedBy: 'wendy' }, {})
    expect(item).toMatchObject({ lastEditedBy: 'full' })
    const others = [7, null, {}]
    const message = 'lastEditedBy must be a string'
    await expectRejected(client, message, ...others.map((lastEditedBy) => ({ lastEditedBy })))
  })

  it('2.2-6 state is optional: ARCHIVED or DELETED', async () => {
    const client = await contractClient()
    const created = await expectAccepted(client, { state: 'ARCHIVED' }, { state: 'DELETED' }, {})
    for (const item of created) expect(item).not.toHaveProperty('state')
    const others = ['archived', 'ACTIVE', '', null, 7]
    await expectRejected(client, /^state must be one of/, ...others.map((state) => ({ state })))
  })

  it('2.2-7 tags is an optional array of strings', async () => {
    const client = await contractClient()
    const [item, bare] = await expectAccepted(client, { tags: ['b', 'a', 'b', ''] }, {})
    expect(item).toMatchObject({ tags: ['b', 'a', 'b', ''] })
    expect(bare).toMatchObject({ tags: [] })
    const others = ['a', [7], [null], {}, null]
    await expectRejected(client, /^tags/, ...others.map((tags) => ({ tags })))
  })

  it('2.2-8 title is an optional string', async () => {
    const client = await contractClient()
    const [item, empty, bare] = await expectAccepted(client, { title: 'A' }, { title: '' }, {})
    expect([item, empty]).toMatchObject([{ title: 'A' }, { title: '' }])
    expect(bare).not.toHaveProperty('title')
    const others = [7, null, ['A']]
    await expectRejected(client, 'title must be a string', ...others.map((title) => ({ title })))
  })

  it('2.2-9 updatedAt is an optional date-time', async () => {
    const client = await contractClient()
    const [item] = await expectAccepted(client, { updatedAt: time }, { updatedAt: timeWithOffset })
    expect(item?.['updatedAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    await expectRejected(client, /^updatedAt /, ...notTimes.map((updatedAt) => ({ updatedAt })))
  })

  it('2.2-10 urls is an optional array of URL objects', async () => {
    const client = await contractClient()
    const urls = [{ href: 'https://a.example/' }, { href: 'ssh://b.example' }]
    const [item, bare] = await expectAccepted(client, { urls }, {})
    expect([item, bare]).toMatchObject([{ urls }, { urls: [] }])
    const others = ['https://a.example', ['https://a.example'], {}, [null], null]
    await expectRejected(client, /^urls/, ...others.map((value) => ({ urls: value })))
  })

  it('2.2-11 vault is a required object', async () => {
    const client = await contractClient()
    const { id } = client.vault.item.vault
    expect((await client.create({ vault: { id } })).json).toMatchObject({ vault: { id } })
    const others = [undefined, null, id, [id], 7]
    await expectRejectedBodies(
      client,
      'vault must be an object',
      ...others.map((vault) => ({ vault })),
    )
  })

  it('2.2-12 version is an optional integer', async () => {
    const client = await contractClient()
    const [item] = await expectAccepted(client, { version: 41 }, {})
    expect(item).toMatchObject({ version: 1 })
    const others = ['1', 1.5, null]
    await expectRejected(client, /^version must be /, ...others.map((version) => ({ version })))
  })

  it('2.2-13 fields is an optional array of Field objects', async () => {
    const client = await contractClient()
    const fields = [
      { id: 'a', type: 'STRING', value: '1' },
      { id: 'b', type: 'EMAIL' },
    ]
    const [item, bare] = await expectAccepted(client, { fields }, {})
    expect([item, bare]).toMatchObject([{ fields }, { fields: [] }])
    const others = ['a', {}, ['a'], [null], [7], null]
    await expectRejected(client, /^fields/, ...others.map((value) => ({ fields: value })))
  })

  it('2.2-14 files is an optional array of File objects', async () => {
    const client = await contractClient()
    const { smallFile } = client.vault
    const [item] = await expectAccepted(client, { files: [smallFile] }, { files: [] }, {})
    expect(item).toMatchObject({ files: [] })
    const others = [
      'a',
      {},
      null,
      [smallFile.id],
      [{ ...smallFile, size: '5' }],
      [{ ...smallFile, name: 7 }],
    ]
    await expectRejected(client, /^files/, ...others.map((files) => ({ files })))
  })

  it('2.2-15 sections is an optional array of Section objects', async () => {
    const client = await contractClient()
    const sections = [{ id: 'a', label: 'A' }, { id: 'b' }]
    const [item, bare] = await expectAccepted(client, { sections }, {})
    expect(item).toMatchObject({ sections })
    expect(bare).toMatchObject({ sections: [] })
    const others = ['a', {}, ['a'], [null], null]
    await expectRejected(client, /^sections/, ...others.map((value) => ({ sections: value })))
  })

  it('2.2-16 POST, PUT and PATCH return this shape, and POST and PUT accept it', async () => {
    const client = await contractClient()
    const names = ['category', 'createdAt', 'favorite', 'fields', 'files', 'id', 'lastEditedBy']
    names.push('sections', 'tags', 'title', 'updatedAt', 'urls', 'vault', 'version')
    const created = await client.create({ title: 'Whole' })
    const replaced = await client.replace({ title: 'Whole' })
    const patched = await client.patch([{ op: 'replace', path: '/favorite', value: true }])
    for (const { status, json } of [created, replaced, patched]) {
      expect(status).toBe(200)
      expect(Object.keys(Object(json)).sort()).toEqual(names)
    }
    const replies = [
      await client.create(Object(created.json)),
      await client.replace(Object(patched.json)),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    const settable = ['title', 'favorite', 'tags', 'urls', 'sections', 'fields']
    expect(pick(replies[1]?.json, ...settable)).toEqual(pick(patched.json, ...settable))
  })
})
