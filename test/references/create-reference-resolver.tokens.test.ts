import { createCaller } from 'cofferkit'
import { createReferenceResolver } from 'cofferkit/references'
import { describe, expect, it } from 'vitest'
import { createTokenWorld } from '../support/oauth/token-world.js'

describe('createReferenceResolver: access tokens', () => {
  it('resolves ?attribute=access_token through the token keeper', async () => {
    const { provider, service, ref, caller, createKeeper } = await createTokenWorld()
    const references = createReferenceResolver(service, caller, { tokens: createKeeper() })
    const token = await references.resolve(`op://Grants/${ref.itemId}/credential?attr=access_token`)
    expect(provider.call(token)).toBe(true)
    expect(await references.resolve(`op://Grants/${ref.itemId}/credential`)).toBe(token)
  })

  it('asks the keeper with the caller of the resolver', async () => {
    const { service, ref, vaultId } = await createTokenWorld()
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    const calls: unknown[] = []
    const accessToken = async (...call: unknown[]) => {
      calls.push(call)
      return 'token'
    }
    const references = createReferenceResolver(service, reader, { tokens: { accessToken } })
    const names = `op://${vaultId}/${ref.itemId}/credential?attribute=access_token`
    expect(await references.resolve(names)).toBe('token')
    expect(calls).toEqual([[ref, reader]])
  })

  it('rejects with the error of the keeper when the grant is gone', async () => {
    const { service, ref, caller, createKeeper } = await createTokenWorld()
    const tokens = createKeeper({ refresh: async () => false })
    const references = createReferenceResolver(service, caller, { tokens })
    const names = `op://Grants/${ref.itemId}/credential?attribute=access_token`
    await expect(references.resolve(names)).rejects.toMatchObject({ code: 'RECONNECT_REQUIRED' })
  })

  it('rejects with 400 without a keeper, and for another field', async () => {
    const { service, ref, caller, createKeeper } = await createTokenWorld()
    const names = `op://Grants/${ref.itemId}`
    const without = createReferenceResolver(service, caller)
    await expect(
      without.resolve(`${names}/credential?attribute=access_token`),
    ).rejects.toMatchObject({
      message: `${names}/credential?attribute=access_token: the resolver was created without the option tokens`,
    })
    const references = createReferenceResolver(service, caller, { tokens: createKeeper() })
    await expect(
      references.resolve(`${names}/refresh_token?attribute=access_token`),
    ).rejects.toMatchObject({
      message: `${names}/refresh_token?attribute=access_token: the field is not the token of a grant`,
    })
  })
})
