import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../src/activity.js'
import { reservedIdMessage } from '../../src/base/reserved-id.js'
import { createCaller, createVaultService } from '../../src/index.js'
import { noteDraft } from '../support/drafts.js'
import { contractClient, expectError, missing } from './support/contract-client.js'

const time = '2026-01-01T00:00:00.000Z'
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const sorted = (ids: readonly string[]): string[] => [...ids].sort()

describe('decisions on vaults and lists', () => {
  it('vaults-1 GET /v1/vaults lists the vaults that the caller can read, by id', async () => {
    const { vault, send } = await contractClient()
    for (const name of ['A', 'B', 'C']) await vault.service.createVault(vault.caller, { name })
    const ids = async (as: 'full' | 'reader' | 'writer'): Promise<string[]> =>
      Object((await send('GET', '/v1/vaults', { as })).json).map(({ id }: { id: string }) => id)
    const all = await ids('full')
    expect(all).toHaveLength(4)
    expect(all).toEqual(sorted(all))
    expect(await ids('reader')).toEqual([vault.vaultId])
    expect(await ids('writer')).toEqual([])
  })

  it('vaults-2 vaults are created, renamed and deleted in process, and over HTTP only with extensions', async () => {
    const body = { name: 'New' }
    for (const extensions of [false, true]) {
      const { send, vault } = await contractClient({}, { extensions })
      const path = `/v1/vaults/${vault.vaultId}`
      const statuses = [
        (await send('POST', '/v1/vaults', { body })).status,
        (await send('PATCH', path, { body })).status,
        (await send('DELETE', path)).status,
      ]
      expect(statuses).toEqual(extensions ? [200, 200, 204] : [405, 405, 405])
    }
  })

  it('vaults-3 deleting a vault deletes everything in it permanently', async () => {
    const { vault, send, item } = await contractClient()
    const { service, caller, vaultId, store } = vault
    await service.deleteVault(caller, { vaultId })
    expectError(await send('GET', item), 404, `vault ${vaultId} not found`)
    expect(await store.records.list(`items/${vaultId}`, { limit: 10 })).toEqual([])
    const stored = await store.records.get({ collection: 'vaults', id: vaultId })
    expect(new TextDecoder().decode(stored?.body)).toBe(`{"id":"${vaultId}","deleted":true}`)
  })

  it('vaults-4 items are listed by id', async () => {
    const { create, send, items } = await contractClient()
    for (let count = 0; count < 9; count++) await create()
    const ids = Object((await send('GET', items)).json).map(({ id }: { id: string }) => id)
    expect(ids).toHaveLength(10)
    expect(ids).toEqual(sorted(ids))
  })

  it('vaults-5 an item in a list has no fields, sections and files', async () => {
    const { send, items, read } = await contractClient()
    const { fields: _fields, sections: _sections, files: _files, ...summary } = await read()
    expect((await send('GET', items)).json).toStrictEqual([summary])
  })

  it('vaults-6 getItems returns up to 100 items in the order of the ids, without missing ones', async () => {
    const { vault } = await contractClient()
    const { service, caller, vaultId } = vault
    const made = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const itemIds = [made.id, missing.item, vault.item.id]
    const found = await service.getItems(caller, { vaultId, itemIds })
    expect(found.map(({ id }) => id)).toEqual([made.id, vault.item.id])
    const many = Array.from({ length: 101 }, (_, index) => String(index).padStart(26, '0'))
    expect(await service.getItems(caller, { vaultId, itemIds: many.slice(1) })).toEqual([])
    for (const bad of [[], many, [made.id, made.id], ['x']])
      await expect(service.getItems(caller, { vaultId, itemIds: bad })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      })
  })

  it('vaults-7 an existing vault id is 409', async () => {
    const { vault, send } = await contractClient({}, { extensions: true })
    const id = 'n'.repeat(26)
    const create = (vaultId: string) =>
      send('PUT', `/v1/vaults/${vaultId}`, { body: { name: 'New' } })
    expect((await create(id)).json).toMatchObject({ id, name: 'New' })
    const taken = await create(id)
    expect([taken.status, taken.headers['retry-after']]).toEqual([409, '1'])
    expectError(await create(vault.vaultId), 400, `vaultId ${reservedIdMessage}`)
  })

  it('vaults-8 the id of a new vault is in the path, and no other is in the body', async () => {
    const { send } = await contractClient({}, { extensions: true })
    const id = 'n'.repeat(26)
    const message = (name: string) => `${name} must be the id in the path: PUT /v1/vaults/{vaultId}`
    for (const name of ['id', 'vaultId']) {
      const body = { name: 'New', [name]: id }
      expectError(await send('POST', '/v1/vaults', { body }), 400, message(name))
      const other = { name: 'New', [name]: 'm'.repeat(26) }
      expectError(await send('PUT', `/v1/vaults/${id}`, { body: other }), 400, message(name))
    }
    const body = { id, name: 'New' }
    expect((await send('PUT', `/v1/vaults/${id}`, { body })).json).toMatchObject(body)
  })
})

describe('decisions on operations beyond the four', () => {
  it('operations-1 GET /v1/vaults?filter is listVaults', async () => {
    const { vault, send } = await contractClient()
    const { service, caller, vaultId } = vault
    const all = (await send('GET', '/v1/vaults')).json
    expect(all).toStrictEqual(await service.listVaults(caller))
    const filtered = await send('GET', '/v1/vaults?filter=name%20eq%20%22Test%22')
    expect(filtered.json).toMatchObject([{ id: vaultId, name: 'Test' }])
    expect((await send('GET', '/v1/vaults?filter=name%20eq%20%22X%22')).json).toEqual([])
    expect((await send('GET', '/v1/vaults?filter=nonsense')).status).toBe(400)
  })

  it('operations-2 GET /v1/vaults/{v} is getVault', async () => {
    const { vault, send } = await contractClient()
    const { service, caller, vaultId } = vault
    const { status, json } = await send('GET', `/v1/vaults/${vaultId}`)
    expect([status, json]).toStrictEqual([200, await service.getVault(caller, { vaultId })])
  })

  it('operations-3 GET /v1/vaults/{v}/items?filter is listItems', async () => {
    const { vault, send, items } = await contractClient()
    const { service, caller, vaultId } = vault
    const { status, json } = await send('GET', items)
    expect([status, json]).toStrictEqual([200, await service.listItems(caller, { vaultId })])
    const filtered = await send('GET', `${items}?filter=title+eq+%22Example%22`)
    expect(filtered.json).toMatchObject([{ id: vault.item.id }])
    expect((await send('GET', `${items}?filter=tag+eq+%22x%22`)).json).toEqual([])
  })

  it('operations-4 GET and DELETE of an item are getItem and deleteItem', async () => {
    const { vault, send, item, read } = await contractClient()
    const { service, caller, vaultId } = vault
    expect(await read()).toStrictEqual(
      await service.getItem(caller, { vaultId, itemId: vault.item.id }),
    )
    const { status, text } = await send('DELETE', item)
    expect([status, text]).toEqual([204, ''])
    expectError(await send('GET', item), 404, `item ${vault.item.id} not found`)
  })

  it('operations-5 GET .../files?inline_files is listFiles', async () => {
    const { vault, send, item } = await contractClient()
    const { smallFile, largeFile } = vault
    const { status, json } = await send('GET', `${item}/files`)
    expect([status, json]).toStrictEqual([200, [smallFile, largeFile]])
    const inlined = await send('GET', `${item}/files?inline_files=true`)
    expect(inlined.json).toMatchObject([{ content: 'aGVsbG8=' }, { id: largeFile.id }])
  })

  it('operations-6 GET .../content is readFileContent', async () => {
    const { vault, send, item } = await contractClient()
    const { status, text, headers } = await send(
      'GET',
      `${item}/files/${vault.smallFile.id}/content`,
    )
    expect([status, text, headers['content-length']]).toEqual([200, 'hello', '5'])
  })

  it('operations-7 GET /v1/activity?limit&offset is listActivity', async () => {
    const activity = createMemoryActivityLog()
    const { send, vault, item } = await contractClient({ activity })
    const before = Object((await send('GET', '/v1/activity')).json).length
    await send('GET', item, { headers: { 'user-agent': 'tests/1' } })
    const { status, json, headers } = await send('GET', '/v1/activity?limit=2&offset=0')
    const total = before + 2
    expect([status, headers['content-range']]).toEqual([200, `1-2/${total}`])
    expect(Object(json)[0]).toStrictEqual({
      requestId: expect.stringMatching(uuid),
      timestamp: time,
      action: 'READ',
      result: 'SUCCESS',
      actor: { id: 'full', userAgent: 'tests/1' },
      resource: {
        type: 'ITEM',
        vault: { id: vault.vaultId },
        item: { id: vault.item.id },
        itemVersion: vault.item.version,
      },
    })
    const rest = await send('GET', '/v1/activity?limit=1000&offset=1')
    expect(rest.headers['content-range']).toMatch(/^2-\d+\/\d+$/)
  })

  it('operations-8 GET /heartbeat, /health and /metrics need no token', async () => {
    const { send } = await contractClient()
    for (const path of ['/heartbeat', '/health', '/metrics'])
      expect((await send('GET', path, { as: null })).status).toBe(200)
    expect((await send('GET', '/heartbeat', { as: null })).text).toBe('.')
    expect((await send('GET', '/health', { as: null })).json).toHaveProperty('dependencies')
    expect((await send('GET', '/metrics', { as: null })).text).toMatch(/^# HELP /)
    expect((await send('GET', '/v1/heartbeat')).status).toBe(404)
  })

  it('operations-9 writes of vaults, files and states are in process', async () => {
    const { vault } = await contractClient()
    const { service, caller } = vault
    const { id: vaultId } = await service.createVault(caller, { name: 'New', description: 'D' })
    expect(await service.updateVault(caller, { vaultId, name: 'Newer' })).toMatchObject({
      name: 'Newer',
      description: 'D',
      attributeVersion: 2,
    })
    const { id: itemId } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const ref = { vaultId, itemId }
    const content = Uint8Array.of(1)
    const { id: fileId } = await service.attachFile(caller, { ...ref, name: 'f', content })
    expect(await service.removeFile(caller, { ...ref, fileId })).toBeUndefined()
    const archived = await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    expect(archived).toMatchObject({ state: 'ARCHIVED', files: [] })
    expect(await service.deleteVault(caller, { vaultId })).toBeUndefined()
  })

  it('operations-10 a vault has id, name, type, attributeVersion, times, optional description', async () => {
    const { vault, send } = await contractClient()
    const { service, caller, vaultId } = vault
    const id = vaultId
    const common = { id, name: 'Test', type: 'USER_CREATED', createdAt: time, updatedAt: time }
    const { json } = await send('GET', `/v1/vaults/${id}`)
    expect(json).toStrictEqual({ ...common, attributeVersion: 1 })
    vault.clock.advance(1)
    const described = { ...common, updatedAt: '2026-01-01T00:00:00.001Z', attributeVersion: 2 }
    await service.updateVault(caller, { vaultId, description: 'D' })
    const changed = await send('GET', `/v1/vaults/${id}`)
    expect(changed.json).toStrictEqual({ ...described, description: 'D' })
  })

  it('operations-12 GET .../description is describeItem, without what is secret', async () => {
    const { vault, send, item } = await contractClient({}, { extensions: true })
    const { status, json, headers } = await send('GET', `${item}/description`, { as: 'reader' })
    expect([status, headers['etag']]).toEqual([200, '"3"'])
    const { service, caller, vaultId } = vault
    expect(json).toEqual(await service.describeItem(caller, { vaultId, itemId: vault.item.id }))
    expect(Object(json).fields).toMatchObject([
      { id: 'username', value: 'wendy' },
      { id: 'password', value: { isSet: true } },
      { id: 'pin', value: { isSet: true } },
    ])
    expect(JSON.stringify(json)).not.toMatch(/correct horse|1234|entropy/)
    const without = await contractClient()
    expect((await without.send('GET', `${without.item}/description`)).status).toBe(404)
  })

  it('operations-13 useField returns a value for an origin of the same record only', async () => {
    const { vault } = await contractClient()
    const { service, caller, vaultId, item } = vault
    const use = { origin: 'https://example.com', method: 'GET' }
    const input = { vaultId, itemId: item.id, field: 'pin', use }
    expect(await service.useField(caller, input)).toBe('1234')
    const other = { ...use, origin: 'https://other.example' }
    const refused = { status: 403, code: 'SECRET_USE_REFUSED' }
    await expect(service.useField(caller, { ...input, use: other })).rejects.toMatchObject(refused)
    const value = { id: 'refresh_token', label: 'Key', value: '1234' }
    const patch = [{ op: 'add', path: '/fields/-', value }] as const
    await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    const kept = service.useField(caller, { ...input, field: 'Key' })
    await expect(kept).rejects.toMatchObject(refused)
  })

  it('operations-14 another process reads every change at once, and emits no event for it', async () => {
    const { vault, send } = await contractClient({}, { extensions: true })
    const { service, caller, vaultId, item, store } = vault
    const other = createVaultService({ store })
    const events: Record<'own' | 'other', number[]> = { own: [], other: [] }
    service.on('item.updated', ({ version = 0 }) => events.own.push(version))
    other.on('item.updated', ({ version = 0 }) => events.other.push(version))
    const patch = [{ op: 'add', path: '/tags/-', value: 'work' }] as const
    const { version } = await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    expect(await other.getItem(caller, { vaultId, itemId: item.id })).toMatchObject({ version })
    expect(events).toEqual({ own: [version], other: [] })
    expect((await send('GET', '/v1/changes')).status).toBe(404)
  })

  it('operations-11 an activity entry contains ids and versions, never a value', async () => {
    const activity = createMemoryActivityLog()
    const { send, vault, create, patch } = await contractClient({ activity })
    const secret = 'correct-horse-battery-staple'
    await create({ title: secret })
    await patch([{ op: 'add', path: '/tags/-', value: secret }])
    await create({ title: [secret] })
    await create({ title: secret }, { as: 'otherVault' })
    const { vaultId, service } = vault
    await expect(
      service.getVault(createCaller({ id: 'x', vaults: {} }), { vaultId }),
    ).rejects.toThrow()
    const { text, json } = await send('GET', '/v1/activity')
    for (const { actor, resource, ...entry } of Object(json)) {
      expect(Object.keys(entry)).toEqual(['requestId', 'timestamp', 'action', 'result'])
      expect(['id', 'jti', 'userAgent', 'ip']).toEqual(expect.arrayContaining(Object.keys(actor)))
      const published = ['type', 'vault', 'item', 'itemVersion']
      expect(published).toEqual(expect.arrayContaining(Object.keys(resource)))
    }
    expect(text).not.toContain(secret)
    const entries = Object(json).map((entry: Record<string, unknown>) => [
      entry['action'],
      entry['result'],
      Object(entry['resource']).type,
    ])
    expect(entries.slice(0, 5)).toEqual([
      ['READ', 'DENY', 'VAULT'],
      ['CREATE', 'DENY', 'ITEM'],
      ['CREATE', 'DENY', 'ITEM'],
      ['UPDATE', 'SUCCESS', 'ITEM'],
      ['CREATE', 'SUCCESS', 'ITEM'],
    ])
  })
})
