import { describe, expect, it } from 'vitest'
import type { ItemState } from '../../src/index.js'
import { type ContractClient, contractClient, expectError } from './support/contract-client.js'

async function setState(
  { vault }: ContractClient,
  state?: ItemState | 'ACTIVE' | null,
): Promise<unknown> {
  const { service, caller, vaultId, item } = vault
  return service.setItemState(caller, { vaultId, itemId: item.id, state })
}

describe('decisions on states', () => {
  it('state-1 any state can follow any other, never by a body of the contract', async () => {
    const client = await contractClient()
    const { send, item, replace, patch, read } = client
    const states = [
      'ARCHIVED',
      'DELETED',
      undefined,
      'ARCHIVED',
      'ACTIVE',
      'DELETED',
      null,
    ] as const
    for (const state of states) {
      const changed = await setState(client, state)
      expect(Reflect.get(Object(changed), 'state')).toBe(
        state === 'ACTIVE' || state === null ? undefined : state,
      )
    }
    expect((await replace({ state: 'ARCHIVED' })).json).not.toHaveProperty('state')
    const path = '/state'
    expectError(await patch([{ op: 'add', path, value: 'ARCHIVED' }]), 400, /^operation 0 /)
    expect((await send('PUT', `${item}/state`, { body: { state: 'ARCHIVED' } })).status).toBe(404)
    expect(await read()).not.toHaveProperty('state')
  })

  it('state-2 setting the state that the item has writes nothing', async () => {
    const client = await contractClient()
    const before = await setState(client, 'ARCHIVED')
    client.vault.clock.advance(1000)
    expect(await setState(client, 'ARCHIVED')).toStrictEqual(before)
    const { version } = Object(await setState(client, null))
    expect(version).toBe(Object(before).version + 1)
  })

  it('state-3 a DELETED item is 404 to every operation but setItemState, and is not listed', async () => {
    const client = await contractClient({}, { extensions: true })
    const { send, item, items, vault, file } = client
    await setState(client, 'DELETED')
    const body = { category: 'LOGIN', vault: { id: vault.vaultId } }
    const sentence = `item ${vault.item.id} not found`
    for (const reply of [
      await send('GET', item),
      await send('PUT', item, { body }),
      await send('PATCH', item, { body: [] }),
      await send('PATCH', item, { body: [{ op: 'remove', path: '/title' }] }),
      await send('DELETE', item),
      await send('GET', `${item}/files`),
      await send('GET', `${item}/files/${vault.smallFile.id}/content`),
      await send('POST', `${item}/files?name=f`, { body: 'x' }),
    ])
      expectError(reply, 404, sentence)
    const { id } = vault.smallFile
    expectError(await file(id), 404, `file ${id} not found`)
    expect((await send('GET', items)).json).toEqual([])
    expect(await setState(client)).toMatchObject({ id: vault.item.id })
    expect((await send('GET', item)).status).toBe(200)
  })

  it('state-4 an ARCHIVED item can be read, listed and deleted, but not changed', async () => {
    const client = await contractClient({}, { extensions: true })
    const { send, item, items, vault, file, replace, patch } = client
    await setState(client, 'ARCHIVED')
    expect((await send('GET', item)).json).toMatchObject({ state: 'ARCHIVED' })
    expect((await send('GET', items)).json).toMatchObject([{ state: 'ARCHIVED' }])
    expect((await file(vault.smallFile.id)).status).toBe(200)
    expect((await patch([])).status).toBe(200)
    const sentence = 'an archived item cannot be changed'
    expectError(await replace(), 400, sentence)
    expectError(await patch([{ op: 'remove', path: '/title' }]), 400, sentence)
    const { id } = vault.smallFile
    expectError(await send('DELETE', `${item}/files/${id}`), 400, sentence)
    expect((await send('DELETE', item)).status).toBe(204)
  })

  it('state-5 DELETE removes the item and its files permanently: 204 without a body', async () => {
    const { send, item, items, vault } = await contractClient()
    const { status, text, headers } = await send('DELETE', item)
    expect([status, text, headers['content-type']]).toEqual([204, '', undefined])
    expect((await send('GET', item)).status).toBe(404)
    expect((await send('DELETE', item)).status).toBe(404)
    expect((await send('GET', items)).json).toEqual([])
    expect((await send('GET', vault.smallFile.content_path)).status).toBe(404)
    const { service, caller, vaultId } = vault
    const ref = { vaultId, itemId: vault.item.id }
    await expect(service.setItemState(caller, ref)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
