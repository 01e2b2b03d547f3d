import { describe, expect, it } from 'vitest'
import { loginDraft } from '../support/drafts.js'
import { contractClient, expectError, missing } from './support/contract-client.js'

describe('contract 2.7: the file', () => {
  it('2.7-1 id is a string by which the file is found', async () => {
    const { vault, file } = await contractClient()
    const { json } = await file(vault.largeFile.id)
    expect(json).toMatchObject({ id: vault.largeFile.id, name: 'large.bin' })
    expect(vault.largeFile.id).not.toBe(vault.smallFile.id)
  })

  it('2.7-2 name is a string', async () => {
    const { vault, file } = await contractClient()
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    const name = 'Zoë "1".txt'
    const content = Uint8Array.of(1)
    const { id } = await vault.service.attachFile(vault.caller, { ...ref, name, content })
    expect((await file(id)).json).toMatchObject({ name })
  })

  it('2.7-3 size is the number of bytes', async () => {
    const { vault, file } = await contractClient()
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    for (const [text, size] of [
      ['', 0],
      ['é', 2],
      ['hello', 5],
    ] as const) {
      const content = new TextEncoder().encode(text)
      const { id } = await vault.service.attachFile(vault.caller, { ...ref, name: 'f', content })
      expect((await file(id)).json).toMatchObject({ size })
    }
  })

  it('2.7-4 content_path is where the content can be downloaded', async () => {
    const { vault, file, send } = await contractClient()
    const { content_path: path } = Object((await file(vault.largeFile.id)).json)
    const { status, text } = await send('GET', path)
    expect([status, text]).toEqual([200, '\x07'.repeat(1025)])
  })

  it('2.7-5 content is in base64, only if it is small enough and inline_files is true', async () => {
    const { vault, file } = await contractClient()
    const content = { content: btoa('hello') }
    expect((await file(vault.smallFile.id, '?inline_files=true')).json).toMatchObject(content)
    for (const rest of ['', '?inline_files=false'])
      for (const { id } of [vault.smallFile, vault.largeFile])
        expect((await file(id, rest)).json).not.toHaveProperty('content')
    const large = await file(vault.largeFile.id, '?inline_files=true')
    expect(large.status).toBe(413)
    expect(large.json).not.toHaveProperty('content')
  })

  it('2.7-6 section is the section of the file, if it has one', async () => {
    const { vault, file } = await contractClient()
    expect((await file(vault.smallFile.id)).json).toMatchObject({ section: { id: 'more' } })
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    const input = { ...ref, name: 'f', content: Uint8Array.of(1) }
    const { id } = await vault.service.attachFile(vault.caller, input)
    expect((await file(id)).json).not.toHaveProperty('section')
  })

  it('2.7-7 the largest size that is inlined is a setting in kilobytes', async () => {
    for (const maxInlineFileSizeKb of [0, 1, 2]) {
      const { vault, file } = await contractClient({ maxInlineFileSizeKb })
      const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
      const statuses = [0, 1].map(async (more) => {
        const content = new Uint8Array(maxInlineFileSizeKb * 1024 + more)
        const { id } = await vault.service.attachFile(vault.caller, {
          ...ref,
          name: 'f',
          content,
        })
        return (await file(id, '?inline_files=true')).status
      })
      expect(await Promise.all(statuses)).toEqual([200, 413])
    }
  })
})

describe('contract 2.8: the body of an error', () => {
  it.each([
    ['2.8-1 message is a string that describes the error', 'message', 'string'],
    ['2.8-2 status is an integer: the HTTP status', 'status', 'number'],
  ])('%s', async (_title, name, type) => {
    const { send, create, items, vault } = await contractClient()
    const ref = `${items}/${vault.item.id}`
    const replies = [
      await create({ category: 'NONE' }),
      await send('GET', items, { as: null }),
      await send('GET', items, { as: 'otherVault' }),
      await send('GET', `${items}/${missing.item}`),
      await send('GET', `${ref}/files/${vault.largeFile.id}?inline_files=true`),
      await send('GET', '/v1/nothing'),
      await send('POST', ref),
    ]
    expect(replies.map(({ status }) => status)).toEqual([400, 401, 403, 404, 413, 404, 405])
    for (const { status, json } of replies) {
      const member: unknown = Reflect.get(Object(json), name)
      expect(typeof member).toBe(type)
      expect(name === 'status' ? member === status : member !== '').toBe(true)
    }
  })
})

describe('contract 3: states', () => {
  it('3-1 state is ARCHIVED or DELETED', async () => {
    const { vault, read, send, item } = await contractClient()
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    const set = (state: unknown) =>
      vault.service.setItemState(vault.caller, { ...ref, state: state as 'ARCHIVED' })
    expect(await set('ARCHIVED')).toMatchObject({ state: 'ARCHIVED' })
    expect(await read()).toMatchObject({ state: 'ARCHIVED' })
    expect(await set('DELETED')).toMatchObject({ state: 'DELETED' })
    expectError(await send('GET', item), 404, `item ${vault.item.id} not found`)
    for (const state of ['active', 'archived', ''])
      await expect(set(state)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('3-2 an item without a state has no such attribute', async () => {
    const { vault, read, create } = await contractClient()
    expect(await read()).not.toHaveProperty('state')
    expect((await create(loginDraft(vault.vaultId))).json).not.toHaveProperty('state')
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    await vault.service.setItemState(vault.caller, { ...ref, state: 'ARCHIVED' })
    await vault.service.setItemState(vault.caller, ref)
    expect(await read()).not.toHaveProperty('state')
  })
})
