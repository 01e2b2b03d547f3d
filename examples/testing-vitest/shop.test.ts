import { OnePasswordConnect } from '@1password/connect'
import { connectDialect } from 'cofferkit/connect'
import { createTestVault, itemDraft } from 'cofferkit/testing'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { findDatabaseUrl, readDatabaseUrl, renewPasswords } from './shop.js'

const url = 'postgres://shop:hunter2@db.example.com/orders'
const orders = itemDraft('DATABASE', {
  title: 'Orders',
  values: { password: 'hunter2' },
})
const seed = { vaults: [{ name: 'Shop', items: [orders, itemDraft('LOGIN')] }] }
const day = 24 * 60 * 60 * 1000

// One vault for all tests: `reset` takes less than a millisecond.
const vault = await createTestVault({ seed, dialect: connectDialect })
const server = await vault.listen()
const { service, caller, vaultId, tokens, clock } = vault
beforeEach(() => vault.reset())
afterAll(() => server.close())

describe('renewPasswords', () => {
  test('renews a password after 90 days', async () => {
    clock.advance(89 * day)
    expect(await renewPasswords(service, caller, vaultId, clock())).toBe(0)
    clock.advance(day)
    expect(await renewPasswords(service, caller, vaultId, clock())).toBe(2)
    const item = await vault.findItem('Orders')
    expect(item).toHaveField(
      'password',
      expect.stringMatching(/^[\w!@.*-]{24}$/),
    )
    expect(item).toHaveField('username', 'shop')
  })

  test('renews the rest when the process is killed in between', async () => {
    clock.advance(90 * day)
    const isKilled = await vault.crash({
      during: () => renewPasswords(service, caller, vaultId, clock()),
      at: ({ method, index }) =>
        method === 'put' && index > 3 ? 'after' : undefined,
    })
    expect(isKilled).toBe(true)
    const renewed = await renewPasswords(service, caller, vaultId, clock())
    expect(renewed).toBeLessThan(2)
    expect(await renewPasswords(service, caller, vaultId, clock())).toBe(0)
  })
})

describe('readDatabaseUrl', () => {
  test('returns the address, whatever the password contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (password) => {
        await vault.reset()
        const item = itemDraft('DATABASE', { values: { password } })
        const { id } = await service.createItem(caller, { vaultId, item })
        const path = `/v1/vaults/${vaultId}/items/${id}`
        const found = new URL(
          await readDatabaseUrl(vault.fetch, path, tokens.reader),
        )
        expect(decodeURIComponent(found.password)).toBe(password)
      }),
    )
  })

  test('rejects without access, and prints no secret', async () => {
    const { id } = await vault.findItem('Orders')
    const path = `/v1/vaults/${vaultId}/items/${id}`
    const failed = readDatabaseUrl(vault.fetch, path, tokens.otherVault)
    await expect(failed).rejects.toBeVaultError(403)
    await expect(failed).rejects.toContainNoSecret([
      'hunter2',
      tokens.otherVault,
    ])
  })
})

describe('findDatabaseUrl', () => {
  test('returns the address with the published client', async () => {
    const client = OnePasswordConnect({
      serverURL: server.origin,
      token: tokens.reader,
    })
    expect(await findDatabaseUrl(client, vaultId, 'Orders')).toBe(url)
    await expect(
      findDatabaseUrl(client, vaultId, 'Missing'),
    ).rejects.toBeVaultError(404)
  })
})
