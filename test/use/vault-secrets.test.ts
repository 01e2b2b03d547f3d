import { createSecretFetch, type SecretSource, vaultSecrets } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { SecretUseError } from '../../src/index.js'
import { createUse, token } from './support/echo-server.js'

const origin = 'https://api.example.com'
const reference = { vault: 'Team', item: 'Acme', field: 'token' }
const target = { origin, method: 'GET', place: 'header:authorization' }

describe('vaultSecrets', () => {
  it('reads a value with the origins of its item', async () => {
    const { service, caller } = await createUse([`${origin}/v1`, 'https://b.example:8443/'])
    const seen: unknown[] = []
    await vaultSecrets(service, caller)(reference, target, async (read) => {
      seen.push(await read())
    })
    expect(seen).toEqual([{ value: token, origins: [origin, 'https://b.example:8443'] }])
  })

  it('can be wrapped by a source that refuses more', async () => {
    const { service, caller } = await createUse([origin])
    const secrets = vaultSecrets(service, caller)
    const refusal = new SecretUseError('only reading', { reason: 'REFUSED' })
    const readOnly: SecretSource = (reference, target, next) =>
      target.method === 'GET' ? secrets(reference, target, next) : Promise.reject(refusal)
    const fetch = async () => new Response('sent')
    const secretFetch = createSecretFetch(readOnly, { fetch, refusal: 'throw' })
    const headers = { authorization: '{{ op://Team/Acme/token }}' }
    expect(await (await secretFetch(origin, { headers })).text()).toBe('sent')
    await expect(secretFetch(origin, { method: 'POST', headers })).rejects.toMatchObject({
      reason: 'REFUSED',
    })
    await expect(secretFetch('https://evil.example', { headers })).rejects.toMatchObject({
      reason: 'ORIGIN',
    })
  })
})
