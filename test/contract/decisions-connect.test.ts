import { describe, expect, it } from 'vitest'
import { connectClient, contractClient, expectError, missing } from './support/contract-client.js'

const aNewId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)

describe('decisions on the connect dialect', () => {
  it('connect-1 uses the vault of the path for an absent or empty vault; another id is 400', async () => {
    const { create, replace, vault } = await connectClient()
    for (const reference of [undefined, {}, '', { id: '' }, { id: vault.vaultId }]) {
      const replies = [await create({ vault: reference }), await replace({ vault: reference })]
      for (const reply of replies)
        expect([reply.status, reply.json]).toMatchObject([200, { vault: { id: vault.vaultId } }])
    }
    const message = 'vault/id must be the vault of the operation (vaultId)'
    expectError(await create({ vault: { id: missing.vault } }), 400, message)
    const strict = await contractClient()
    expect((await strict.create({ vault: {} })).status).toBe(400)
  })

  it('connect-2 sets the missing id and type of a field', async () => {
    const { create } = await connectClient()
    const purposes = ['USERNAME', 'PASSWORD', 'NOTES'].map((purpose) => ({ purpose, id: '' }))
    const { json } = await create({ fields: [...purposes, { label: 'pin', value: '1' }] })
    expect(json).toMatchObject({
      fields: [
        { id: 'username', type: 'STRING' },
        { id: 'password', type: 'CONCEALED' },
        { id: 'notesPlain', type: 'STRING' },
        { id: aNewId, type: 'STRING', label: 'pin' },
      ],
    })
    const strict = await contractClient()
    expect((await strict.create({ fields: [{ label: 'pin' }] })).status).toBe(400)
  })

  it('connect-3 treats null and a length of 0 as absent', async () => {
    const { create } = await connectClient()
    const nulls = { label: null, purpose: null, section: null, value: null }
    const recipe = { length: 0, characterSets: null, excludeCharacters: null }
    const { status, json } = await create({
      ...{
        category: 'SERVER',
        id: null,
        title: null,
        favorite: null,
        tags: null,
        urls: null,
        sections: null,
      },
      fields: [{ id: 'f', type: null, ...nulls, generate: true, recipe }],
    })
    expect([status, json]).toMatchObject([200, { favorite: false, tags: [], urls: [] }])
    expect(json).not.toHaveProperty('title')
    const value = expect.stringMatching(/^.{32}$/)
    expect(json).toHaveProperty('fields', [{ id: 'f', type: 'STRING', value }])
  })

  it('connect-4 ignores unknown attributes, like the contract dialect', async () => {
    for (const { create } of [await connectClient(), await contractClient()]) {
      const field = { id: 'f', type: 'STRING', totp: '123456' }
      const { status, json } = await create({
        trashed: true,
        additional_information: 'x',
        fields: [field],
      })
      expect(status).toBe(200)
      expect(JSON.stringify(json)).not.toMatch(/trashed|additional|totp/)
    }
  })

  it('connect-5 accepts op, type and purpose in any case and returns the canonical form', async () => {
    const { create, patch } = await connectClient()
    const { json } = await create({
      category: 'Login',
      fields: [{ id: 'f', type: 'concealed', purpose: 'Password' }],
    })
    expect(json).toMatchObject({
      category: 'LOGIN',
      fields: [{ type: 'CONCEALED', purpose: 'PASSWORD' }, {}],
    })
    const patched = await patch([{ op: 'Replace', path: '/title', value: 'x' }])
    expect(patched.json).toMatchObject({ title: 'x' })
    const strict = await contractClient()
    expect((await strict.create({ category: 'login' })).status).toBe(400)
  })

  it('connect-6 keeps types beyond the eight', async () => {
    const { create, read, replace } = await connectClient()
    const types = ['OTP', 'PHONE', 'ADDRESS', 'REFERENCE', 'CREDIT_CARD_NUMBER', 'GENDER', 'FILE']
    types.push('CREDIT_CARD_TYPE', 'SSHKEY', 'UNKNOWN', 'NEW_1')
    const fields = types.map((type) => ({ id: type, type, value: 'x' }))
    const category = 'SERVER'
    expect((await create({ category, fields })).json).toMatchObject({ fields })
    await replace({ category, fields })
    expect(await read()).toMatchObject({ fields })
    const strict = await contractClient()
    expect((await strict.create({ fields })).status).toBe(400)
  })

  it('connect-7 accepts any text as href, except javascript: and data:', async () => {
    const { create } = await connectClient()
    const urls = [{ href: '', primary: true }, { href: 'a.example' }, { href: 'a b\\' }]
    expect((await create({ urls })).json).toMatchObject({ urls })
    for (const href of ['javascript:x', 'data:,x'])
      expectError(await create({ urls: [{ href }] }), 400, /^urls\/0\/href must not/)
    const strict = await contractClient()
    for (const url of urls) expect((await strict.create({ urls: [url] })).status).toBe(400)
  })

  it('connect-8 adds a section that only a field names, with an empty label', async () => {
    const { create } = await connectClient()
    const { json } = await create({
      sections: [{ id: 'a', label: 'A' }],
      fields: ['b', 'a', 'b'].map((id, index) => ({
        id: `${index}`,
        section: { id, label: 'ignored' },
      })),
    })
    const sections = [
      { id: 'a', label: 'A' },
      { id: 'b', label: '' },
    ]
    expect(json).toMatchObject({ sections })
  })

  it('connect-9 ignores attributes that the vault sets, of any type', async () => {
    const { create, replace, vault } = await connectClient()
    const zero = '0001-01-01T00:00:00Z'
    const sent = [
      { createdAt: zero, updatedAt: zero, version: 0, lastEditedBy: '', files: [], state: null },
      { createdAt: '', updatedAt: 7, version: '1', lastEditedBy: {}, files: null, state: 'x' },
    ]
    for (const attributes of sent) {
      const fields = [{ id: 'f', entropy: 'x' }]
      for (const reply of [await create(attributes), await replace(attributes)])
        expect(reply.status).toBe(200)
      expect((await create({ category: 'SERVER', fields })).json).toHaveProperty('fields', [
        { id: 'f', type: 'STRING' },
      ])
    }
    const files = vault.item.files.map(({ id, name, size }) => ({ id, name, size }))
    expect((await replace()).json).toMatchObject({ files })
    const strict = await contractClient()
    const statuses = sent.map(async (attributes) => (await strict.create(attributes)).status)
    expect(await Promise.all(statuses)).toEqual([400, 400])
    const { state: _, ...typed } = Object(sent[0])
    expect((await strict.create(typed)).status).toBe(200)
  })

  it('connect-10 accepts a trailing slash and //v1, like the contract dialect', async () => {
    for (const { send, items, item } of [await connectClient(), await contractClient()])
      for (const path of ['/v1/vaults', items, `${item}/files`])
        for (const spelling of [path, `${path}/`, `/${path}`, `/${path}/`])
          expect((await send('GET', spelling)).status).toBe(200)
  })

  it('connect-11 does not parse an absent body for any content type', async () => {
    const { send, item } = await connectClient()
    const options = { headers: { 'content-type': 'application/json' } }
    expect((await send('GET', item, options)).status).toBe(200)
    expect((await send('DELETE', item, options)).status).toBe(204)
  })

  it('connect-12 accepts the filters of the clients and returns 400 for any other', async () => {
    const { send, items } = await connectClient()
    const status = async (path: string, filter: string) => {
      const reply = await send('GET', `${path}?filter=${filter}`)
      return reply.status === 200 ? Object(reply.json).length : reply.status
    }
    expect(await status('/v1/vaults', 'name+eq+%22Test%22')).toBe(1)
    expect(await status('/v1/vaults', 'title%20eq%20"Test"')).toBe(1)
    for (const filter of ['title+eq+"Example"', 'title%20co%20%22xamp%22', 'tag+eq+"work"'])
      expect(await status(items, filter)).toBe(1)
    expect(await status(items, '(tag+eq+"x"+or+title+eq+"Example")+and+tag+eq+"mail"')).toBe(1)
    expect(await status(items, 'title+like+"x"')).toBe(400)
  })
})
