import { describe, expect, it } from 'vitest'
import { findConnection } from '../../../src/core/items/find-connection.js'
import { createCredentials } from '../../../src/credentials.js'
import type { ItemRef } from '../../../src/index.js'
import { vaultGrants } from '../../../src/oauth.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'

const accounts = [{}, { account: 'live' }]

const findIn = async ({ service, caller }: TestVault, ref: ItemRef) =>
  findConnection(await service.getItem(caller, ref))

/** Saves a credential and a grant of this account, and returns their items. */
async function saveBoth({ service, caller, vaultId }: TestVault, account: { account?: string }) {
  const kinds = { stripe: { fields: { key: {} } } }
  const own = createCredentials(service, kinds).of(caller, vaultId)
  const { itemId } = await own.save('stripe', { key: 'k' }, account)
  const grant = { name: 'mail', ...account, accessToken: 'a', refreshToken: 'r' }
  return [{ vaultId, itemId }, await vaultGrants(service, caller).save(vaultId, grant)] as const
}

describe('findConnection', () => {
  it.each(accounts)(
    'returns the name and account of a credential and of a grant: %o',
    async (account) => {
      const vault = await createTestVault()
      const [credential, grant] = await saveBoth(vault, account)
      expect(await findIn(vault, credential)).toStrictEqual({ name: 'stripe', ...account })
      expect(await findIn(vault, grant)).toStrictEqual({ name: 'mail', ...account })
    },
  )

  it('returns undefined for an item that is neither, even if it has fields with these ids', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item } = vault
    expect(await findConnection(item)).toBeUndefined()
    const fields = ['name', 'credential.name'].map((id) => ({ id, value: 'stripe' }))
    const draft = { category: 'LOGIN', fields } as const
    const { id: itemId } = await service.createItem(caller, { vaultId, item: draft })
    expect(await findIn(vault, { vaultId, itemId })).toBeUndefined()
  })

  it('returns undefined when somebody has changed the name', async () => {
    const vault = await createTestVault()
    const [credential, grant] = await saveBoth(vault, {})
    for (const [ref, field] of [
      [credential, 'credential.name'],
      [grant, 'name'],
    ] as const) {
      const path = `/fields/${field}/value`
      const patch = [{ op: 'replace', path, value: 'github' }] as const
      await vault.service.patchItem(vault.caller, { ...ref, patch })
      expect(await findIn(vault, ref)).toBeUndefined()
    }
  })
})
