import { connectDialect, createConnectDialect } from 'cofferkit/connect'
import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../src/activity.js'
import { createVaultService } from '../../src/index.js'
import { createTestClock } from '../../src/testing.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'
import {
  connectClient,
  contractClient,
  expectError,
  fieldIn,
  missing,
} from './support/contract-client.js'

/** The members of an actor that the Java client knows. */
const actorMembers = new Set(['id', 'account', 'jti', 'userAgent', 'ip'])

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
    for (const value of ['', 'x', '%7B%7B%20%24parameter.inlineContent%20%7D%7D'])
      expect((await file(id, `?inline_content=${value}`)).json).toStrictEqual(vault.smallFile)
    expect((await file(id, '?inline_files=x')).status).toBe(400)
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
    const now = createTestClock('1970-01-01T00:00:59Z')
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

  it('connect-29 returns the type OTP for a field of type TOTP with an otpauth URL, or as the option says', async () => {
    const value = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const fields = [
      { id: 'url', type: 'TOTP', value },
      { id: 'seed', type: 'TOTP', value: 'GEZDGNBVGY3TQOJQ' },
    ]
    const { create, send, items } = await connectClient()
    const { json } = await create({ fields })
    const read = await send('GET', `${items}/${Object(json).id}`)
    for (const item of [json, read.json]) {
      expect(fieldIn(item, 'url')).toMatchObject({ type: 'OTP', value })
      expect(fieldIn(item, 'seed')).toMatchObject({ type: 'TOTP' })
    }
    const generated = await connectClient({ dialect: createConnectDialect({ otpType: 'TOTP' }) })
    const otp = [{ id: 'url', type: 'OTP', value }]
    const created = await generated.create({ fields: otp })
    expect(fieldIn(created.json, 'url')).toMatchObject({ type: 'TOTP', totp: expect.any(String) })
    const strict = await contractClient()
    expect(fieldIn((await strict.create({ fields })).json, 'url')).toMatchObject({ type: 'TOTP' })
  })

  it('connect-31 leaves out what only the published service has', async () => {
    const options = { maxInlineFileSizeKb: 1 }
    for (const client of [await connectClient(options), await contractClient(options)]) {
      const { vault, send, item, patch } = client
      const { json } = await send('GET', `/v1/vaults/${vault.vaultId}`)
      for (const name of ['items', 'contentVersion']) expect(json).not.toHaveProperty(name)
      const files = await send('GET', `${item}/files?inline_files=true`)
      const sizes = (Object(files.json) as { size: number; content?: string }[]).map(
        ({ size, content }) => [size <= 1024, content !== undefined],
      )
      expect(sizes).toEqual([
        [true, true],
        [false, false],
      ])
      const reply = await patch([{ op: 'replace', path: '/', value: { title: 'New' } }])
      expectError(reply, 400, 'operation 0 ("/"): Invalid item category')
    }
  })

  it('connect-30 changes nothing when a client writes back a one-time code as it has read it', async () => {
    const value = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const dialects = { OTP: connectDialect, TOTP: createConnectDialect({ otpType: 'TOTP' }) }
    for (const [returned, dialect] of Object.entries(dialects))
      for (const type of ['OTP', 'TOTP']) {
        const { vault, read, replace, patch } = await connectClient({ dialect })
        const { service, caller, vaultId, item } = vault
        const code = { id: 'code', type, label: 'code', value }
        await replace({ fields: [code] })
        const stored = () => service.getItem(caller, { vaultId, itemId: item.id })
        const field = fieldIn(await read(), 'code')
        expect(field).toMatchObject({ type: returned, totp: expect.any(String) })
        await replace(await read())
        expect(fieldIn(await stored(), 'code')).toEqual(code)
        for (const operation of [
          { path: '/fields/code', value: field },
          { path: '/fields', value: [field] },
          { path: '/fields/code/type', value: returned.toLowerCase() },
          { path: '', value: await read() },
        ]) {
          expect((await patch([{ op: 'replace', ...operation }])).status).toBe(200)
          expect(fieldIn(await stored(), 'code')).toEqual(code)
        }
        await patch([{ op: 'replace', path: '/fields/code/type', value: 'CONCEALED' }])
        expect(fieldIn(await stored(), 'code')).toMatchObject({ type: 'CONCEALED' })
      }
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

  it('connect-23 returns ip as the address of an actor, and no member that clients reject', async () => {
    const client = await connectClient({ activity: createMemoryActivityLog() })
    await client.send('GET', client.item, { headers: { 'user-agent': 'OkHttp' } })
    const [entry]: object[] = Object((await client.send('GET', '/v1/activity')).json)
    const { actor } = Object(entry)
    expect(Object.keys(actor).filter((name) => !actorMembers.has(name))).toEqual([])
    expect(actor).toMatchObject({ id: 'full', userAgent: 'OkHttp' })
  })

  it('connect-24 returns the name and the version of the published service in /health', async () => {
    const { send } = await connectClient()
    const { json, headers } = await send('GET', '/health', { as: null })
    expect(json).toEqual({
      name: '1Password Connect API',
      version: headers['1password-connect-version'],
      dependencies: [{ service: 'store', status: 'ACTIVE' }],
    })
    const strict = await contractClient()
    expect((await strict.send('GET', '/health')).json).toEqual({
      name: 'cofferkit',
      dependencies: [{ service: 'store', status: 'ACTIVE' }],
    })
  })

  it('connect-25 returns the label of a field’s section, and accepts it in a body', async () => {
    const { create, replace, read, vault, patch } = await connectClient()
    const sections = [{ id: 'a', label: 'A' }, { id: 'b', label: '' }, { id: 'c' }]
    const fields = ['a', 'b', 'c'].map((id) => ({ id, type: 'STRING', section: { id } }))
    const labelled = [{ id: 'a', label: 'A' }, { id: 'b' }, { id: 'c' }]
    const { json } = await create({ category: 'SERVER', sections, fields })
    expect(Object(json).fields).toStrictEqual(
      fields.map((field, index) => ({ ...field, section: labelled[index] })),
    )
    await replace({ category: 'SERVER', sections, fields: Object(json).fields })
    expect(Object(await read()).fields).toStrictEqual(Object(json).fields)
    const value = Object(json).fields[0]
    expect((await patch([{ op: 'replace', path: '/fields/a', value }])).status).toBe(200)
    const { service, caller, vaultId, item } = vault
    const stored = await service.getItem(caller, { vaultId, itemId: item.id })
    expect(stored.fields).toEqual(fields)
    const strict = await contractClient()
    const [field] = Object((await strict.create({ sections, fields })).json).fields
    expect(field).toStrictEqual(fields[0])
  })

  it('connect-26 ignores an unknown parameter with quotes, unless there is a filter', async () => {
    for (const { send, items } of [await connectClient(), await contractClient()]) {
      for (const path of ['/v1/vaults', items])
        expect((await send('GET', `${path}?name=%22dev%22`)).status).toBe(200)
      const message = 'filter must have its ampersands escaped'
      expectError(await send('GET', `${items}?filter=title+eq+"R&D"`), 400, message)
      expectError(await send('GET', `${items}?filter=title+eq+"R"&name="dev"`), 400, message)
    }
  })

  it('connect-27 has a field for notes in every LOGIN and PASSWORD, and in no other', async () => {
    const client = await connectClient()
    const { create, send, items } = client
    const notes = { id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain' }
    for (const category of ['LOGIN', 'PASSWORD']) {
      const { json } = await create({ category, fields: [{ purpose: 'USERNAME' }] })
      const created = Object(json)
      expect(created.fields).toMatchObject([{ id: 'username' }, notes])
      const path = `${items}/${created.id}`
      expect((await send('PUT', path, { body: created })).status).toBe(200)
      expect(Object((await send('GET', path)).json).fields).toEqual(created.fields)
      const value = { ...notes, value: 'a note' }
      const body = [{ op: 'replace', path: '/fields/notesPlain', value }]
      const patched = await send('PATCH', path, { body })
      expect(patched.json).toMatchObject({ fields: [{}, value] })
    }
    for (const category of ['SECURE_NOTE', 'SERVER', 'CUSTOM'])
      expect((await create({ category })).json).toMatchObject({ fields: [] })
    const { fields } = Object((await create({ fields: [{ id: 'n', purpose: 'NOTES' }] })).json)
    expect(fields).toMatchObject([{ id: 'n' }])

    const strict = await contractClient()
    const username = [{ id: 'username', type: 'STRING', purpose: 'USERNAME' }]
    await strict.replace({ fields: username })
    const service = createVaultService({ store: strict.vault.store, dialect: connectDialect })
    const handler = createHttpHandler(service, { authenticate: async () => strict.vault.caller })
    const request = { method: 'GET', url: strict.item, header: () => undefined, body: null }
    const { body } = await handler(request)
    expect(JSON.parse(String(body)).fields).toMatchObject([{ id: 'username' }, notes])
    expect(await strict.read()).toMatchObject({ fields: username })
  })

  it('connect-28 accepts a token after a repeated name of the header', async () => {
    const { send, item, vault } = await connectClient()
    const status = async (authorization: string) =>
      (await send('GET', item, { headers: { authorization } })).status
    const { full } = vault.tokens
    expect(await status(`Authorization: Bearer ${full}`)).toBe(200)
    for (const scheme of ['Basic', 'Authorization: Basic', 'Authorization: Authorization: Bearer'])
      expect(await status(`${scheme} ${full}`)).toBe(401)
  })
})
