import { describe, expect, it } from 'vitest'
import { routes } from '../../src/http.js'
import { recordingStore } from '../support/stores/stores.js'
import {
  type ContractClient,
  contractClient,
  expectAccepted,
  expectError,
  expectRejected,
  fieldIn,
  missing,
  type Reply,
  type RequestOptions,
} from './support/contract-client.js'

type Call = (client: ContractClient, options: RequestOptions) => Promise<Reply>

/** The four operations, as requests that succeed on a test vault. */
const calls = {
  POST: ({ create }, options) => create({}, options),
  PUT: ({ replace }, options) => replace({}, options),
  PATCH: ({ patch }, options) => patch([], options),
  'GET file': ({ file, vault }, options) => file(vault.smallFile.id, '', options),
} as const satisfies Record<string, Call>

describe('contract 5: authentication', () => {
  it('5-1 every operation needs a valid token: 401', async () => {
    const client = await contractClient()
    for (const call of Object.values(calls)) {
      expectError(await call(client, { as: null }), 401, 'Invalid bearer token')
      for (const authorization of ['Bearer wrong', 'Bearer', 'Basic full-token', 'full-token']) {
        const reply = await call(client, { headers: { authorization } })
        expectError(reply, 401, 'Invalid bearer token')
        expect(reply.headers['www-authenticate']).toBe('Bearer')
      }
      expect((await call(client, {})).status).toBe(200)
    }
  })

  it('5-2 a token is scoped to vaults, and any other vault is 403', async () => {
    const store = recordingStore()
    const client = await contractClient({ store })
    const before = store.calls.length
    const sentence = `vault ${client.vault.vaultId} is not in scope`
    for (const call of Object.values(calls))
      expectError(await call(client, { as: 'otherVault' }), 403, sentence)
    expect(store.calls.length).toBe(before)
    const { id } = client.vault.smallFile
    expect((await client.file(id, '', { as: 'reader' })).status).toBe(200)
  })
})

describe('contract 7: errors', () => {
  it('7-1 every error has the body of an error: message, and status equal to the HTTP status', async () => {
    const client = await contractClient()
    const replies = [
      await client.create({ category: 'NONE' }),
      await client.replace({ title: 7 }),
      await client.patch([{}]),
      await client.file(missing.file),
      await client.file(client.vault.largeFile.id, '?inline_files=true'),
      await client.create({}, { as: null }),
      await client.create({}, { as: 'otherVault' }),
    ]
    const statuses = [400, 400, 400, 404, 413, 401, 403]
    for (const [index, reply] of replies.entries()) expectError(reply, statuses[index] ?? 0, /./)
  })

  it('7-2 POST returns 400 for invalid input, such as an invalid category', async () => {
    const { create } = await contractClient()
    expectError(await create({ category: 'NONE' }), 400, 'Invalid item category')
    expectError(await create({ title: 7 }), 400, 'title must be a string')
  })

  it('7-3 PUT returns 400 for invalid input, such as a reference to a missing field', async () => {
    const { replace } = await contractClient()
    expect((await replace({ fields: [{ id: 'pin' }], sections: [{ id: 'more' }] })).status).toBe(
      200,
    )
    const sentence = "The item doesn't have a puk field."
    expectError(await replace({ fields: [{ id: 'puk' }] }), 400, sentence)
    expectError(await replace({ category: 'NONE' }), 400, 'Invalid item category')
  })

  const invalid = ['Bearer wrong', `Bearer ${'a'.repeat(43)}`, 'Bearer e30.e30.c2lnbmF0dXJl']
  it.each([
    ['7-4 POST returns 401 for a missing or invalid token', calls.POST],
    ['7-5 PUT returns 401 for a missing or invalid token', calls.PUT],
    ['7-6 PATCH returns 401 for a missing or invalid token', calls.PATCH],
    ['7-7 GET of a file returns 401 for a missing or invalid token', calls['GET file']],
  ] as const)('%s', async (_title, call) => {
    const client = await contractClient()
    expectError(await call(client, { as: null }), 401, 'Invalid bearer token')
    for (const authorization of invalid)
      expectError(await call(client, { headers: { authorization } }), 401, 'Invalid bearer token')
  })

  it.each([
    ['7-8 POST returns 403 for a vault out of scope', calls.POST],
    ['7-9 PUT returns 403 for a vault out of scope', calls.PUT],
    ['7-10 PATCH returns 403 for a vault out of scope', calls.PATCH],
    ['7-11 GET of a file returns 403 for a vault out of scope', calls['GET file']],
  ] as const)('%s', async (_title, call) => {
    const client = await contractClient()
    const reply = await call(client, { as: 'otherVault' })
    expectError(reply, 403, `vault ${client.vault.vaultId} is not in scope`)
  })

  it('7-12 PUT returns 404 when the item does not exist', async () => {
    const { send, items, vault } = await contractClient()
    const body = { category: 'LOGIN', vault: { id: vault.vaultId } }
    const reply = await send('PUT', `${items}/${missing.item}`, { body })
    expectError(reply, 404, `item ${missing.item} not found`)
  })

  it('7-13 PATCH returns 404 when the item does not exist', async () => {
    const { send, items } = await contractClient()
    for (const body of [[], [{ op: 'remove', path: '/title' }]]) {
      const reply = await send('PATCH', `${items}/${missing.item}`, { body })
      expectError(reply, 404, `item ${missing.item} not found`)
    }
  })

  it.each([
    ['7-14 POST returns 404 when the vault does not exist', 'POST', ''],
    ['7-15 PUT returns 404 when the vault does not exist', 'PUT', `/${missing.item}`],
  ])('%s', async (_title, method, rest) => {
    const { send } = await contractClient()
    const body = { category: 'LOGIN', vault: { id: missing.vault } }
    const reply = await send(method, `/v1/vaults/${missing.vault}/items${rest}`, { body })
    expectError(reply, 404, `vault ${missing.vault} not found`)
  })

  it('7-16 GET of a file returns 404 when the file does not exist', async () => {
    const { file } = await contractClient()
    expectError(await file(missing.file), 404, `file ${missing.file} not found`)
    const reply = await file(missing.file, '?inline_files=true')
    expectError(reply, 404, `file ${missing.file} not found`)
  })

  it('7-17 GET of a file that is too large to inline returns 413 and names its content', async () => {
    const { file, vault, item } = await contractClient()
    const { id } = vault.largeFile
    const path = `${item}/files/${id}/content`
    const sentence = `File is too large to inline in request. Use the ${path} endpoint instead.`
    expectError(await file(id, '?inline_files=true'), 413, sentence)
    expect((await file(id)).status).toBe(200)
  })
})

describe('contract 8: limits', () => {
  const withRecipe = (recipe: object): object => ({
    fields: [{ id: 'f', type: 'CONCEALED', generate: true, recipe }],
  })

  it('8-1 the length of a recipe is 1 to 64, and 32 by default', async () => {
    const client = await contractClient()
    const recipes = [{ length: 1 }, { length: 64 }, {}]
    const created = await expectAccepted(client, ...recipes.map(withRecipe))
    const lengths = created.map((item) => String(fieldIn(item, 'f')?.['value']).length)
    expect(lengths).toEqual([1, 64, 32])
    const message = 'fields/0/recipe/length must be at least 1'
    await expectRejected(client, message, withRecipe({ length: 0 }))
    const tooLong = 'fields/0/recipe/length must be at most 64'
    await expectRejected(client, tooLong, withRecipe({ length: 65 }))
  })

  it('8-2 a recipe has at most 3 distinct character sets', async () => {
    const client = await contractClient()
    const sets = ['LETTERS', 'DIGITS', 'SYMBOLS']
    await expectAccepted(client, withRecipe({ characterSets: sets }))
    const path = 'fields/0/recipe/characterSets'
    const four = { characterSets: [...sets, 'DIGITS'] }
    await expectRejected(client, new RegExp(`^${path} must be at most 3`), withRecipe(four))
    const twice = { characterSets: ['DIGITS', 'DIGITS'] }
    await expectRejected(client, new RegExp(`^${path} must not`), withRecipe(twice))
  })

  it('8-3 a file is inlined up to the configured size, and is 413 beyond it', async () => {
    const { vault, file } = await contractClient({ maxInlineFileSizeKb: 3 })
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    for (const [size, status] of [
      [3072, 200],
      [3073, 413],
    ] as const) {
      const content = new Uint8Array(size)
      const { id } = await vault.service.attachFile(vault.caller, { ...ref, name: 'f', content })
      const reply = await file(id, '?inline_files=true')
      expect(reply.status).toBe(status)
      expect('content' in Object(reply.json)).toBe(status === 200)
    }
  })
})

describe('contract 9: versioning', () => {
  it('9-1 the first segment of content_path is v1', async () => {
    const { vault, file } = await contractClient()
    for (const { id } of [vault.smallFile, vault.largeFile])
      expect(Object((await file(id)).json).content_path).toMatch(/^\/v1\/vaults\//)
  })

  it('9-2 the message of 413 names a path that begins with /v1/', async () => {
    const { vault, file } = await contractClient()
    const reply = await file(vault.largeFile.id, '?inline_files=true')
    expectError(reply, 413, / Use the \/v1\/vaults\/\S+\/content endpoint instead\.$/)
  })

  it('9-3 the prefix comes before the path of every operation', async () => {
    const { send, item } = await contractClient()
    expect(routes.filter(({ path }) => !path.startsWith('/v1/'))).toEqual([])
    expect((await send('GET', item)).status).toBe(200)
    expectError(await send('GET', item.slice('/v1'.length)), 404, 'no such resource')
    expectError(await send('GET', item.replace('v1', 'v2')), 404, 'no such resource')
  })
})
