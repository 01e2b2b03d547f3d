import { vaultSecrets } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { SecretUseError } from '../../src/index.js'
import { createUse, token } from './support/echo-server.js'

const origin = 'https://api.example.com'
const reference = { vault: 'Team', item: 'Acme', field: 'token' }
const target = { origin, method: 'GET', place: 'header:authorization' }

describe('vaultSecrets', () => {
  it('finds a value for an origin of its item, and throws for another one', async () => {
    const { service, caller } = await createUse([origin])
    const secrets = vaultSecrets(service, caller)
    expect(await secrets.find(reference, target)).toEqual({ value: token, origins: [origin] })
    const stranger = { ...target, origin: 'https://evil.example' }
    await expect(secrets.find(reference, stranger)).rejects.toEqual(
      new SecretUseError('the item has no URL of this origin', { reason: 'ORIGIN' }),
    )
  })
})
