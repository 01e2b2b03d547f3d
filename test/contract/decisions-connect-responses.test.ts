import { describe, expect, it } from 'vitest'
import {
  connectClient,
  contractClient,
  expectError,
  fieldIn,
  missing,
} from './support/contract-client.js'

describe('decisions on responses of the connect dialect', () => {
  it('connect-13 returns 404 for a title of 26 characters instead of an id', async () => {
    for (const { send, items } of [await connectClient(), await contractClient()])
      expectError(
        await send('GET', `${items}/${missing.item}`),
        404,
        `item ${missing.item} not found`,
      )
  })

  it('connect-14 returns exactly 200 for POST, and 204 without a body for DELETE', async () => {
    for (const { create, send, item } of [await connectClient(), await contractClient()]) {
      expect((await create()).status).toBe(200)
      const { status, text } = await send('DELETE', item)
      expect([status, text]).toEqual([204, ''])
    }
  })

  it('connect-15 sends 1Password-Connect-Version of at least 1.3.0 with every response', async () => {
    const { send, item, items, create, file, vault } = await connectClient()
    const replies = [
      await send('GET', items),
      await create(),
      await create({ category: 'x' }),
      await file(vault.smallFile.id),
      await send('GET', item, { as: null }),
      await send('GET', '/nothing'),
      await send('GET', '/heartbeat'),
      await send('GET', vault.smallFile.content_path),
      await send('DELETE', item),
    ]
    for (const { headers } of replies) {
      const [major = 0, minor = 0] = (headers['1password-connect-version'] ?? '')
        .split('.')
        .map(Number)
      expect(major * 1000 + minor).toBeGreaterThanOrEqual(1003)
    }
    const strict = await contractClient()
    const { headers } = await strict.send('GET', strict.items)
    expect(headers).not.toHaveProperty('1password-connect-version')
  })

  it('connect-16 starts content_path with /v1, like the contract dialect', async () => {
    for (const { vault, item, send } of [await connectClient(), await contractClient()]) {
      const { id, content_path: path } = vault.smallFile
      expect(path).toBe(`${item}/files/${id}/content`)
      expect((await send('GET', path)).text).toBe('hello')
    }
  })

  it('connect-17 treats inline_content as inline_files', async () => {
    const { file, vault } = await connectClient()
    const { id } = vault.smallFile
    for (const name of ['inline_content', 'inline_files'])
      expect((await file(id, `?${name}=true`)).json).toHaveProperty('content', 'aGVsbG8=')
    expect((await file(id, '?inline_content=x')).status).toBe(400)
    const strict = await contractClient()
    const reply = await strict.file(strict.vault.smallFile.id, '?inline_content=true')
    expect(reply.json).not.toHaveProperty('content')
  })

  it('connect-18 returns the version before a PUT, and the actual one as ETag', async () => {
    const { replace, read, vault, patch } = await connectClient()
    const { version } = vault.item
    const { json, headers } = await replace()
    expect([Object(json).version, headers['etag']]).toEqual([version, `"${version + 1}"`])
    expect(await read()).toMatchObject({ version: version + 1 })
    const patched = await patch([{ op: 'add', path: '/title', value: 'x' }])
    expect(patched.json).toMatchObject({ version: version + 2 })
    const strict = await contractClient()
    expect((await strict.replace()).json).toMatchObject({ version: version + 1 })
  })

  it('connect-19 adds totp to a field with an otpauth URL (RFC 6238), the contract dialect never', async () => {
    const now = () => new Date(59_000)
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const value = `otpauth://totp/a?secret=${secret}&digits=8`
    const { create } = await connectClient({ now })
    const fields = ['OTP', 'TOTP', 'STRING'].map((type) => ({ id: type, type, value }))
    const { json } = await create({ fields })
    expect(fieldIn(json, 'OTP')).toHaveProperty('totp', '94287082')
    expect(fieldIn(json, 'TOTP')).toHaveProperty('totp', '94287082')
    expect(fieldIn(json, 'STRING')).not.toHaveProperty('totp')
    const strict = await contractClient({ now })
    const reply = await strict.create({ fields: [fields[1]] })
    expect(fieldIn(reply.json, 'TOTP')).not.toHaveProperty('totp')
  })

  it('connect-20 lists items without fields, sections and files, with all that clients read', async () => {
    const { send, items, create, vault } = await connectClient()
    await create()
    const listed: object[] = Object((await send('GET', items)).json)
    expect(listed).toHaveLength(2)
    for (const item of listed) {
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(item).toMatchObject({ vault: { id: vault.vaultId }, createdAt: time, updatedAt: time })
      expect(item).toMatchObject({ version: expect.any(Number), category: 'LOGIN' })
      for (const name of ['fields', 'sections', 'files']) expect(item).not.toHaveProperty(name)
    }
  })

  it('connect-21 returns 400 for a name instead of an id, before 403', async () => {
    const { send, items } = await connectClient()
    const as = 'otherVault'
    expectError(await send('GET', '/v1/vaults/Private', { as }), 400, 'Invalid Vault UUID')
    expectError(await send('GET', `${items}/Login`, { as }), 400, 'Invalid Item UUID')
    const file = `/v1/vaults/Private/items/Login/files/${missing.file}`
    expectError(await send('GET', file, { as }), 400, 'Invalid Vault UUID')
  })

  it('connect-22 returns a write in the next read, with times in RFC 3339', async () => {
    const { create, send, items, item, patch } = await connectClient()
    const { id } = Object((await create({ title: 'New' })).json)
    const { json } = await send('GET', `${items}?filter=title+eq+%22New%22`)
    expect(json).toMatchObject([{ id, createdAt: '2026-01-01T00:00:00.000Z' }])
    await patch([{ op: 'replace', path: '/title', value: 'Newer' }])
    expect((await send('GET', item)).json).toMatchObject({ title: 'Newer' })
    await send('DELETE', `${items}/${id}`)
    expect((await send('GET', `${items}/${id}`)).status).toBe(404)
  })
})
