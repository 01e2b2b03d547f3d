import { describe, expect, it } from 'vitest'
import { TooManyRequestsError } from '../../src/index.js'
import { contractClient, expectError, missing, type Reply } from './support/contract-client.js'

const tooManyRequests = new TooManyRequestsError('slow down')

/** A PUT that fails the check of this number and every later check that can fail with it. */
async function failing(check: number): Promise<Reply> {
  let isReady = false
  const around = async (_: unknown, next: () => Promise<void>): Promise<void> => {
    if (isReady && check <= 3) throw tooManyRequests
    await next()
  }
  const { send, items, item, vault } = await contractClient({ around })
  isReady = true
  const fields = [{ id: 'same' }, { id: 'same' }].map((field) => ({ ...field, type: 'STRING' }))
  const draft = { category: 'LOGIN', vault: { id: vault.vaultId }, fields }
  const lateBody = check <= 10 ? draft : { ...draft, fields: [] }
  const body = check <= 8 ? {} : lateBody
  const latePath = check <= 9 ? `${items}/${missing.item}` : item
  const path = check <= 4 ? '/v1/vaults/x/items/x' : latePath
  const lateOwner = check <= 5 ? 'otherVault' : 'full'
  return send('PUT', check <= 1 ? '/v1/nothing' : path, {
    as: check <= 2 ? null : lateOwner,
    headers: check > 11 ? {} : { 'if-match': check <= 7 ? 'x' : '"9"' },
    body: check <= 6 ? '{' : body,
  })
}

describe('decisions on the order of checks', () => {
  it('order-1 the path comes first, then the method: 404, 405 with Allow', async () => {
    expectError(await failing(1), 404, 'no such resource')
    const { send, item, items } = await contractClient()
    expectError(await send('PUT', '/v1/nothing', { as: null }), 404, 'no such resource')
    for (const [path, allow] of [
      [items, 'GET, HEAD, POST'],
      [item, 'GET, HEAD, PUT, PATCH, DELETE'],
    ] as const) {
      const reply = await send('TRACE', path, { as: null })
      expectError(reply, 405, 'this resource does not allow the method')
      expect(reply.headers['allow']).toBe(allow)
    }
  })

  it('order-2 then the caller: 401 with WWW-Authenticate', async () => {
    const reply = await failing(2)
    expectError(reply, 401, 'Invalid bearer token')
    expect(reply.headers['www-authenticate']).toBe('Bearer')
  })

  it('order-3 then around, with the error that it throws', async () => {
    expectError(await failing(3), 429, 'slow down')
  })

  it('order-4 then the form of the ids: 400', async () => {
    expectError(await failing(4), 400, 'Invalid Vault UUID')
    const { send, items } = await contractClient()
    const reply = await send('PUT', `${items}/x`, { as: 'otherVault', body: {} })
    expectError(reply, 400, 'Invalid Item UUID')
  })

  it('order-5 then the scope and the permission: 403, whether or not the vault exists', async () => {
    expectError(await failing(5), 403, /^vault [\da-z]{26} is not in scope$/)
    const { send, vault } = await contractClient()
    const texts = [vault.vaultId, missing.vault].map(async (id) => {
      const path = `/v1/vaults/${id}/items/${missing.item}`
      const { status, text } = await send('PUT', path, { as: 'otherVault', body: '{' })
      return [status, text.replace(id, 'ID')]
    })
    const [existing, absent] = await Promise.all(texts)
    expect(existing).toEqual([403, expect.any(String)])
    expect(absent).toEqual(existing)
  })

  it('order-6 then the bytes of the body: 413, 415, 400', async () => {
    expectError(await failing(6), 400, /^the body /)
    const { replace } = await contractClient()
    const text = { 'content-type': 'text/plain' }
    const long = { headers: { ...text, 'content-length': '9999999' }, body: '{' }
    expect((await replace({}, long)).status).toBe(413)
    expect((await replace({}, { headers: text, body: '{' })).status).toBe(415)
    const deep = `${'['.repeat(33)}${']'.repeat(33)}`
    for (const body of ['{', '', Uint8Array.of(0x22, 0xff, 0x22), deep])
      expectError(await replace({}, { body }), 400, /^the body /)
  })

  it('order-7 then If-Match and the query: 400', async () => {
    expectError(await failing(7), 400, 'If-Match must be one entity tag')
    const { send, items, item } = await contractClient()
    for (const [path, message] of [
      [`${item}/files?inline_files=x`, 'inline_files must be true or false'],
      [`${items}?filter=title`, /^filter must have one of the operators eq, /],
      [`${items}?filter=title+eq+"a&b"`, 'filter must have its ampersands escaped'],
      [`${items}?filter=%ff`, 'filter must be UTF-8'],
      [`${items}?filter=a&filter=b`, 'filter must not be given twice'],
    ] as const) {
      expectError(await send('GET', path), 400, message)
      expect((await send('GET', path, { as: 'otherVault' })).status).toBe(403)
    }
  })

  it('order-8 then the body against its schema: 400', async () => {
    expectError(await failing(8), 400, 'Invalid item category')
  })

  it('order-9 then the vault, the item and the file: 404', async () => {
    expectError(await failing(9), 404, `item ${missing.item} not found`)
  })

  it('order-10 then the rules for the resulting item: 400', async () => {
    expectError(await failing(10), 400, 'fields/1/id must not be the id of another field')
  })

  it('checks the strings of an item with order-10, or with order-8 when it has a recipe', async () => {
    const { send, items, item, create, replace } = await contractClient()
    const same = [{ id: 'same' }, { id: 'same' }].map((field) => ({ ...field, type: 'STRING' }))
    for (const write of [create, replace]) {
      expectError(await write({ title: '\0' }), 400, 'title must not contain U+0000')
      const reply = await write({ title: '\0', fields: same })
      expectError(reply, 400, 'fields/1/id must not be the id of another field')
    }
    const fields = [{ id: 'made', generate: true, recipe: { length: 8 } }]
    for (const [method, path] of [
      ['POST', items.replace(/[^/]+(?=\/items$)/, missing.vault)],
      ['PUT', item.replace(/[^/]+$/, missing.item)],
    ] as const) {
      const id = path.split('/')[3]
      const draft = { category: 'LOGIN', vault: { id }, title: '\0' }
      expect((await send(method, path, { body: draft })).status).toBe(404)
      const reply = await send(method, path, { body: { ...draft, fields } })
      expectError(reply, 400, 'title must not contain U+0000')
    }
  })

  it('order-11 last come If-Match and the size of an inlined file: 412, 413', async () => {
    expectError(await failing(11), 412, /^item [\da-z]{26} is not at the expected version$/)
    expect((await failing(12)).status).toBe(200)
    const { file, vault } = await contractClient()
    expect((await file(missing.file, '?inline_files=true')).status).toBe(404)
    expect((await file(vault.largeFile.id, '?inline_files=true')).status).toBe(413)
  })
})

describe('decisions on the resource that a 404 names', () => {
  const inMissingVault = `/v1/vaults/${missing.vault}/items`
  const draft = { category: 'LOGIN', vault: { id: missing.vault } }

  it('not-found-1 POST names the vault', async () => {
    const { send } = await contractClient()
    const reply = await send('POST', inMissingVault, { body: draft })
    expectError(reply, 404, `vault ${missing.vault} not found`)
  })

  it('not-found-2 PUT names the missing vault or item', async () => {
    const { send, items, vault } = await contractClient()
    const inVault = await send('PUT', `${inMissingVault}/${vault.item.id}`, { body: draft })
    expectError(inVault, 404, `vault ${missing.vault} not found`)
    const body = { ...draft, vault: { id: vault.vaultId } }
    const inItem = await send('PUT', `${items}/${missing.item}`, { body })
    expectError(inItem, 404, `item ${missing.item} not found`)
  })

  it('not-found-3 PATCH names the item, also when the vault is missing', async () => {
    const { send, items } = await contractClient()
    for (const path of [items, inMissingVault])
      for (const body of [[], [{ op: 'remove', path: '/title' }]]) {
        const reply = await send('PATCH', `${path}/${missing.item}`, { body })
        expectError(reply, 404, `item ${missing.item} not found`)
      }
  })

  it('not-found-4 GET of a file names the file, also when the vault or the item is missing', async () => {
    const { send, items, vault } = await contractClient()
    const { id } = vault.smallFile
    for (const path of [inMissingVault, items]) {
      const reply = await send('GET', `${path}/${missing.item}/files/${id}`)
      expectError(reply, 404, `file ${id} not found`)
    }
    const reply = await send('GET', `${items}/${vault.item.id}/files/${missing.file}`)
    expectError(reply, 404, `file ${missing.file} not found`)
  })

  it('not-found-5 every other operation names the missing resource', async () => {
    const { send, items, item, vault } = await contractClient()
    const message = async (method: string, path: string): Promise<unknown> =>
      Reflect.get(Object((await send(method, path)).json), 'message')
    const [noVault, noItem] = [`vault ${missing.vault} not found`, `item ${missing.item} not found`]
    expect(await message('GET', inMissingVault)).toBe(noVault)
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/files'],
      ['GET', `/files/${vault.smallFile.id}/content`],
    ] as const) {
      expect(await message(method, `${inMissingVault}/${missing.item}${rest}`)).toBe(noVault)
      expect(await message(method, `${items}/${missing.item}${rest}`)).toBe(noItem)
    }
    const content = `${item}/files/${missing.file}/content`
    expect(await message('GET', content)).toBe(`file ${missing.file} not found`)
  })

  it('not-found-6 ids of another form on the file route are not found: 403 out of scope, else 404', async () => {
    const { send, items, item, vault } = await contractClient()
    const { id } = vault.smallFile
    const uuid = crypto.randomUUID()
    for (const vaultId of ['Test', uuid, vault.vaultId.toUpperCase()]) {
      const path = `/v1/vaults/${vaultId}/items/${vault.item.id}/files/${id}`
      expectError(await send('GET', path), 404, `file ${id} not found`)
      const scoped = await send('GET', path, { as: 'reader' })
      expectError(scoped, 403, `vault ${vaultId} is not in scope`)
    }
    for (const path of [`${items}/Example/files/${id}`, `${items}/${uuid}/files/${id}`])
      expectError(await send('GET', path, { as: 'reader' }), 404, `file ${id} not found`)
    for (const fileId of ['hello', 'a'.repeat(26), `${id}0`])
      expectError(await send('GET', `${item}/files/${fileId}`), 404, `file ${fileId} not found`)
    const upper = await send('GET', `${item}/files/${id.toUpperCase()}`)
    expect(upper.json).toStrictEqual(vault.smallFile)
  })
})
