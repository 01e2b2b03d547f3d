import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { type AllowedUse, assertUseAllowed } from '../../../src/core/access/allowed-use.js'
import { createCaller, createVaultService, SecretUseError } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { observedCalls } from '../../support/service/observed-calls.js'
import { exampleInput, exampleUse, toCallRef } from '../../support/service/operation-examples.js'
import { forbidden } from '../../support/service/rejections.js'

const itemId = 'i'.repeat(26)
const use = { origin: 'https://api.example.com', method: 'GET', place: 'header:authorization' }
const full: AllowedUse = {
  items: [itemId],
  origins: [use.origin],
  methods: [use.method],
  places: [use.place],
}

describe('assertUseAllowed', () => {
  it.each<[string, readonly AllowedUse[]]>([
    ['every member matches', [full]],
    ['the element has no members', [{}]],
    ['one of several elements matches', [{ ...full, items: [] }, full]],
  ])('returns when %s', (_, uses) => {
    expect(assertUseAllowed(uses, { itemId, use })).toBeUndefined()
  })

  const item = 'the caller may not use the item'
  const origin = `${item} at the origin of the request`
  const method = `${item} with the method of the request`
  const place = `${item} in this place of the request`

  it.each<[string, readonly AllowedUse[] | undefined, object, string]>([
    ['there is no list', undefined, {}, item],
    ['the list is empty', [], {}, item],
    ['the item is another one', [{ ...full, items: ['j'.repeat(26)] }], {}, item],
    ['the origin is another one', [full], { origin: 'https://evil.example' }, origin],
    ['the port is another one', [full], { origin: `${use.origin}:8443` }, origin],
    ['the method is another one', [full], { method: 'POST' }, method],
    ['the method is in lower case', [full], { method: 'get' }, method],
    ['the place is another one', [full], { place: 'query:key' }, place],
    ['the place is not known', [full], { place: undefined }, place],
  ])('throws when %s', (_, uses, changes, message) => {
    const check = () => assertUseAllowed(uses, { itemId, use: { ...use, ...changes } })
    expect(check).toThrow(new SecretUseError(message, { reason: 'CALLER' }))
  })

  it('does not combine the members of two elements', () => {
    const uses = [
      { items: [itemId], methods: ['GET'] },
      { items: ['j'.repeat(26)], methods: ['POST'] },
    ]
    const check = () => assertUseAllowed(uses, { itemId, use: { ...use, method: 'POST' } })
    expect(check).toThrow(`${item} with the method`)
  })
})

describe('the permission use', () => {
  /** A test vault, and an agent who may use its item. */
  async function setUp(allowed: AllowedUse = {}) {
    const vault = await createTestVault()
    const { vaultId, item } = vault
    const uses = [{ items: [item.id], ...allowed }]
    const agent = createCaller({ id: 'agent', vaults: { [vaultId]: 'use' }, use: uses })
    const input = { ...itemRef(vault), field: 'pin', use: exampleUse }
    return { ...vault, agent, input }
  }

  it('returns a value for an allowed request', async () => {
    const { service, agent, input } = await setUp({ methods: [exampleUse.method] })
    expect(await service.useField(agent, input)).toBe('1234')
  })

  it('still requires the origin among the URLs of the item', async () => {
    const origin = 'https://other.example'
    const { service, agent, input } = await setUp({ origins: [origin] })
    const call = service.useField(agent, { ...input, use: { ...exampleUse, origin } })
    await expect(call).rejects.toThrow('the item has no URL of this origin')
  })

  it('refuses another request before the item is read, and records it', async () => {
    const { store, agent, input, caller } = await setUp({ methods: ['GET'] })
    const service = createVaultService({ store, activity: createMemoryActivityLog() })
    const refused = { code: 'SECRET_USE_REFUSED', status: 403 }
    await expect(service.useField(agent, input)).rejects.toMatchObject(refused)
    const { vaultId } = input
    const missing = { ...input, itemId: 'x'.repeat(26) }
    await expect(service.useField(agent, missing)).rejects.toMatchObject(refused)
    const { entries } = await service.listActivity(caller, { vaultId })
    expect(entries).toMatchObject([
      { result: 'DENY', code: 'SECRET_USE_REFUSED', actor: { id: 'agent' } },
      { result: 'DENY', code: 'SECRET_USE_REFUSED', use: { method: exampleUse.method } },
    ])
  })

  it('permits no other operation on the vault', async () => {
    const vault = await setUp()
    const parts = toCallRef(vault)
    for (const { name } of observedCalls) {
      if (name === 'useField' || name === 'listVaults' || name === 'listActivity') continue
      const call = Reflect.get(vault.service, name) as (...values: unknown[]) => Promise<unknown>
      await expect(call(vault.agent, exampleInput(name, parts)), name).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
    }
    expect(await vault.service.listVaults(vault.agent)).toEqual([])
  })

  it('is not checked if the caller can read, and then restricts nothing', async () => {
    const { service, input } = await setUp()
    const checks: string[] = []
    const can = (permission: string) => checks.push(permission) > 0
    expect(await service.useField({ id: 'a', can }, input)).toBe('1234')
    expect(checks).toEqual(['read'])
  })

  it('allows nothing when the caller has no list of uses', async () => {
    const { service, input } = await setUp()
    const can = (permission: string) => permission === 'use'
    await expect(service.useField({ id: 'a', can }, input)).rejects.toThrow('may not use the item')
  })

  it('is checked after read and before the error', async () => {
    const { service, vaultId, input } = await setUp()
    const checks: string[] = []
    const can = (permission: string) => checks.push(permission) === 0
    const call = service.useField({ id: 'a', can }, input)
    await expect(call).rejects.toMatchObject(forbidden(vaultId))
    expect(checks).toEqual(['read', 'use', 'write'])
  })
})
