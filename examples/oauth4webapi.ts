/** Several processes call an API with the tokens of one customer, refreshed with oauth4webapi. */

import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createTokenKeeper,
  type TokenKeeperOptions,
  vaultGrants,
} from 'cofferkit/oauth'
import * as oauth from 'oauth4webapi'
import { startProvider } from './oauth-provider.js'

const provider = await startProvider()
const server = {
  issuer: provider.issuer,
  token_endpoint: provider.tokenEndpoint,
}
const client = { client_id: 'shop' }

const refresh: TokenKeeperOptions['refresh'] = async (
  refreshToken,
  { signal },
) => {
  // The provider of this example has no certificate. Leave this option out in yours.
  const options = { signal, [oauth.allowInsecureRequests]: true }
  const auth = oauth.ClientSecretPost('secret of the shop')
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    auth,
    refreshToken,
    options,
  )
  try {
    const tokens = await oauth.processRefreshTokenResponse(
      server,
      client,
      response,
    )
    const {
      access_token: accessToken,
      refresh_token,
      expires_in: expiresInSeconds,
    } = tokens
    return { accessToken, refreshToken: refresh_token, expiresInSeconds }
  } catch (error) {
    if (
      error instanceof oauth.ResponseBodyError &&
      error.error === 'invalid_grant'
    )
      return false
    throw error
  }
}

const store = createMemoryStore()
const caller = createCaller({ id: 'token-keeper', vaults: '*' })
const service = createVaultService({ store })
const { id: vaultId } = await service.createVault(caller, { name: 'Customers' })

/** Each process has a keeper of its own, on the same store. */
const createKeeper = () =>
  createTokenKeeper({
    grants: vaultGrants(createVaultService({ store }), caller),
    leases: store.records,
    refresh,
  })

// After the consent screen: the tokens of the customer, which have expired meanwhile.
const tokens = { ...provider.connect(), expiresInSeconds: 0 }
const grants = vaultGrants(service, caller)
const ref = await grants.save(vaultId, {
  name: 'mail',
  account: 'wendy',
  ...tokens,
})

const callApi = async (accessToken: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${accessToken}` }
  return (await fetch(provider.api, { headers })).status
}
const agent = createCaller({ id: 'agent', vaults: { [vaultId]: 'read' } })
const calls = Array.from({ length: 4 }, async () =>
  callApi(await createKeeper().accessToken(ref, agent)),
)
console.log(`four processes: ${(await Promise.all(calls)).join(' ')}`)
console.log(`refreshes: ${provider.counts.refreshes}`)

// A thief uses the refresh token that has been used already: the provider revokes the grant.
await fetch(provider.tokenEndpoint, {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: tokens.refreshToken,
  }),
})
const rejected = await createKeeper().accessToken(ref, agent)
console.log(`the same token: ${await callApi(rejected)}`)
try {
  await createKeeper().accessToken(ref, agent, { rejected })
} catch (error) {
  if (!isVaultError(error)) throw error
  console.log(`a new one: ${error.code}`)
}
provider.close()
