import { describe, expect, it } from 'vitest'
import { operations } from '../../src/core/operations.js'
import { createCaller, type MethodName, type Permission } from '../../src/index.js'
import { itemSchema } from '../../src/schema/item.js'
import { vaultSchema } from '../../src/schema/vault.js'
import { outputs } from '../../tools/openapi/operations.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'
import { createRequest, parseResponse } from '../support/http/requests.js'
import { vaultCalls } from '../support/service/vault-calls.js'
import {
  contractClient,
  expectAccepted,
  expectError,
  expectRejected,
  missing,
} from './support/contract-client.js'

/** The operations that rights-3 tests, because others fail after them. */
const deletions: readonly string[] = ['deleteVault', 'deleteItem', 'removeFile']

/** The operations on a vault that a caller with only this permission cannot use, sorted. */
async function forbidden(permission: 'read' | 'write'): Promise<string[]> {
  const { vault } = await contractClient({ history: { maxVersions: 5 } })
  const { vaultId, item, smallFile, service } = vault
  const caller = createCaller({ id: 'limited', vaults: { [vaultId]: permission } })
  const ref = { vaultId, itemId: item.id, fileId: smallFile.id }
  const names: string[] = []
  for (const { name, run } of vaultCalls) {
    if (deletions.includes(name)) continue
    const outcome: unknown = await run(service, caller, ref).catch((error: unknown) => error)
    if (Reflect.get(Object(outcome), 'code') === 'FORBIDDEN') names.push(name)
  }
  return names.sort()
}

/** Returns the permissions that an operation must need, by what it does and returns. */
function expectedPermissions(name: MethodName): readonly Permission[] {
  const action = operations[name].activity?.[0]
  if (action === 'READ') return ['read']
  const output: unknown = outputs[name]
  const returnsAll = output === itemSchema || output === vaultSchema
  return action === 'UPDATE' && returnsAll ? ['read', 'write'] : ['write']
}

/** The operations that a caller without this permission cannot use, sorted. */
function namesNeeding(permission: Permission): string[] {
  const names = vaultCalls.map(({ name }) => name).filter((name) => !deletions.includes(name))
  return names.filter((name) => expectedPermissions(name).includes(permission)).sort()
}

describe('decisions on permissions', () => {
  it('rights-1 a scope grants read, write or both for each vault', async () => {
    const { vault, items, send, create } = await contractClient()
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    expect((await send('GET', items, { as: 'reader' })).status).toBe(200)
    expect((await create({}, { as: 'reader' })).status).toBe(403)
    expect((await send('GET', items, { as: 'writer' })).status).toBe(403)
    expect((await create({}, { as: 'writer' })).status).toBe(200)
    for (const as of ['reader', 'writer'] as const)
      expect((await send('GET', `/v1/vaults/${other.id}/items`, { as })).status).toBe(403)
  })

  it('rights-2 changes that return an item or a vault need both, also an empty patch', async () => {
    const { patch, replace } = await contractClient()
    for (const as of ['reader', 'writer'] as const) {
      expect((await patch([], { as })).status).toBe(403)
      expect((await replace({}, { as })).status).toBe(403)
    }
    const [readers, writers] = [await forbidden('read'), await forbidden('write')]
    expect(readers).toEqual(namesNeeding('write'))
    expect(writers).toEqual(namesNeeding('read'))
  })

  it('rights-3 creating, deleting, attaching, removing and garbage collection need write only', async () => {
    const { vault, create, send, item } = await contractClient({}, { extensions: true })
    expect((await create({}, { as: 'writer' })).status).toBe(200)
    const bytes = { as: 'writer', body: 'x', headers: { 'content-type': 'text/plain' } } as const
    expect((await send('POST', `${item}/files?name=a`, bytes)).status).toBe(200)
    const file = `${item}/files/${vault.smallFile.id}`
    const { service, vaultId } = vault
    const writer = createCaller({ id: 'writer', vaults: { [vaultId]: 'write' } })
    expect(await service.collectGarbage(writer, { vaultId })).toBe(0)
    for (const path of [file, item, `/v1/vaults/${vaultId}`]) {
      const reply = await send('DELETE', path, { as: 'reader' })
      expectError(reply, 403, `vault ${vaultId} is not in scope for writing`)
      expect((await send('DELETE', path, { as: 'writer' })).status).toBe(204)
    }
  })

  it('rights-4 any token that authenticate accepts is valid', async () => {
    const { vault, item } = await contractClient()
    const handler = createHttpHandler(vault.service, {
      authenticate: (request) =>
        request.header('x-key') === 'k' ? createCaller({ id: 'key', vaults: '*' }) : undefined,
    })
    const accepted = await handler(createRequest(vault, 'GET', item, { headers: { 'x-key': 'k' } }))
    expect(accepted.status).toBe(200)
    const rejected = await handler(createRequest(vault, 'GET', item))
    expect(parseResponse(rejected)).toMatchObject({ status: 401, body: { status: 401 } })
  })

  it('rights-6 `can` gets the operation, and the id of the item that it refers to', async () => {
    const { vault, items, item } = await contractClient()
    const checks: unknown[] = []
    const handler = createHttpHandler(vault.service, {
      authenticate: () => ({ id: 'alice', can: (...check: unknown[]) => checks.push(check) > 0 }),
    })
    const { vaultId } = vault
    const malformed = `/v1/vaults/${vaultId}/items/x/files/${vault.smallFile.id}`
    for (const path of [items, item, `${item}/files/${vault.smallFile.id}`, malformed])
      await handler(createRequest(vault, 'GET', path))
    expect(checks).toEqual([
      ['read', vaultId, 'listItems', undefined],
      ['read', vaultId, 'getItem', vault.item.id],
      ['read', vaultId, 'getFileDetails', vault.item.id],
      ['read', vaultId, 'getFileDetails', undefined],
    ])
  })

  it('rights-5 a 403 names reading or writing when only that permission is missing', async () => {
    const { vault, create, replace, patch, file } = await contractClient()
    const sentence = `vault ${vault.vaultId} is not in scope`
    const { id } = vault.smallFile
    for (const call of [create, replace, patch])
      expectError(await call([], { as: 'reader' }), 403, `${sentence} for writing`)
    expectError(await file(id, '', { as: 'writer' }), 403, `${sentence} for reading`)
    for (const call of [replace, patch])
      expectError(await call([], { as: 'writer' }), 403, `${sentence} for reading`)
    for (const call of [create, replace, patch])
      expectError(await call([], { as: 'otherVault' }), 403, sentence)
    expectError(await file(id, '', { as: 'otherVault' }), 403, sentence)
  })
})

describe('decisions on messages', () => {
  const secret = 'correct-horse-battery-staple'
  it('messages-1 403 names the vault', async () => {
    const { create, vault } = await contractClient()
    const reply = await create({}, { as: 'otherVault' })
    expectError(reply, 403, `vault ${vault.vaultId} is not in scope`)
  })

  it('messages-2 404 names the vault, the item or the file', async () => {
    const { send, items, file } = await contractClient()
    const vaultReply = await send('GET', `/v1/vaults/${missing.vault}`)
    expectError(vaultReply, 404, `vault ${missing.vault} not found`)
    const itemReply = await send('GET', `${items}/${missing.item}`)
    expectError(itemReply, 404, `item ${missing.item} not found`)
    expectError(await file(missing.file), 404, `file ${missing.file} not found`)
  })

  it('messages-3 an invalid category has its own message, even among other issues', async () => {
    const { create } = await contractClient()
    expectError(await create({ category: 'X', title: 7 }), 400, 'Invalid item category')
    expectError(await create({ category: undefined }), 400, 'Invalid item category')
  })

  it('messages-4 a malformed id is an invalid UUID', async () => {
    const { send, items } = await contractClient()
    expectError(await send('GET', '/v1/vaults/x'), 400, 'Invalid Vault UUID')
    expectError(await send('GET', `${items}/x`), 400, 'Invalid Item UUID')
  })

  it('messages-5 a missing or invalid token is an invalid bearer token', async () => {
    const { send, item } = await contractClient()
    expectError(await send('GET', item, { as: null }), 401, 'Invalid bearer token')
  })

  it('messages-6 a missing field is named', async () => {
    const { replace, patch } = await contractClient()
    const sentence = "The item doesn't have a puk field."
    expectError(await replace({ fields: [{ id: 'puk' }] }), 400, sentence)
    const reply = await patch([{ op: 'remove', path: '/fields/puk' }])
    expectError(reply, 400, `operation 0 ("/fields/puk"): ${sentence}`)
  })

  it('messages-7 a file that is too large to inline names its content_path', async () => {
    const { file, vault } = await contractClient()
    const { id, content_path: path } = vault.largeFile
    const sentence = `File is too large to inline in request. Use the ${path} endpoint instead.`
    expectError(await file(id, '?inline_files=true'), 413, sentence)
  })

  it('messages-8 no message contains a value from a body', async () => {
    const client = await contractClient()
    const bad = [
      { title: [secret], [secret]: secret },
      { fields: [{ id: 'a', type: secret, value: secret }] },
      { fields: [{ id: 'a', type: 'DATE', value: secret }] },
      { fields: [{ id: 'a', type: 'STRING', value: `${secret}\0` }] },
      { urls: [{ href: secret }] },
      { tags: { [secret]: secret } },
      { category: secret },
    ]
    const message = new RegExp(`^(?!.*${secret})`)
    await expectRejected(client, message, ...bad)
    await expectAccepted(client, { title: secret })
  })

  it('messages-9 an id with other characters or of unusual length is omitted', async () => {
    const { file, replace, send, vault } = await contractClient()
    const long = 'a'.repeat(5000)
    for (const id of [long, '%00', 'a%0ab']) expectError(await file(id), 404, 'file not found')
    for (const id of [long, '\u0007', 'a\nb'])
      expectError(await replace({ fields: [{ id }] }), 400, "The item doesn't have that field.")
    const path = `/v1/vaults/${long}/items/${vault.item.id}/files/${vault.smallFile.id}`
    const reply = await send('GET', path, { as: 'reader' })
    expect([reply.status, reply.text.includes(long)]).toEqual([403, false])
  })
})
