/** Several processes call APIs as a GitHub App and as a Google service account. */

import { generateKeyPairSync } from 'node:crypto'
import {
  createCaller,
  createVaultService,
  type ItemRef,
  isVaultError,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, type TokenSet, vaultGrants } from 'cofferkit/oauth'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
import { startAssertionProvider } from './assertion-provider.js'
import { refreshInstallation, requestInstallationToken } from './github-app.js'
import {
  refreshServiceAccount,
  requestGoogleToken,
} from './google-service-account.js'

// The keys that you download from GitHub and Google, which know the public one.
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
})
const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const [clientId, email] = ['Iv23shop', 'shop@project.iam.gserviceaccount.com']
const provider = await startAssertionProvider({ publicKey, clientId, email })
const app = { clientId, api: provider.origin } // in yours, without api
const endpoint = `${provider.origin}/token`

const store = createMemoryStore()
const service = createVaultService({ store })
const caller = createCaller({ id: 'token-keeper', vaults: '*' })
const { id: vaultId } = await service.createVault(caller, { name: 'Keys' })
const grants = vaultGrants(service, caller)
const origins = [provider.origin]

/** Saves a key with its first token, which shows that the key works. */
async function save(name: string, account: string, tokens: TokenSet | false) {
  if (tokens === false) throw new Error(`${name} does not accept the key`)
  return grants.save(vaultId, {
    name,
    account,
    origins,
    refreshToken: key,
    ...tokens,
  })
}
const github = await save(
  'github-app',
  '7',
  await requestInstallationToken(key, '7', app),
)
const scope = 'https://www.googleapis.com/auth/devstorage.read_only'
const account = { client_email: email, private_key: key }
const google = await save(
  'google',
  email,
  await requestGoogleToken(account, scope, { endpoint }),
)

/** Each process has its own keepers, on the same store. */
const createKeepers = () => {
  const options = {
    grants: vaultGrants(createVaultService({ store }), caller),
    leases: store.records,
  }
  return {
    github: createTokenKeeper({
      ...options,
      refresh: refreshInstallation(app),
    }),
    google: createTokenKeeper({
      ...options,
      refresh: refreshServiceAccount(endpoint),
    }),
  }
}
const agent = createCaller({ id: 'agent', vaults: { [vaultId]: 'read' } })

/** Calls the API in four processes at the same time, and returns the statuses. */
async function callApi(
  name: 'github' | 'google',
  { vaultId, itemId }: ItemRef,
): Promise<string> {
  const statuses = Array.from({ length: 4 }, async () => {
    const tokens = createKeepers()[name]
    const secretFetch = createSecretFetch(
      vaultSecrets(service, agent, { tokens }),
      {
        retryRejected: ['GET'],
        allowLoopbackHttp: true, // because this API has no certificate
      },
    )
    const token = `op://${vaultId}/${itemId}/credential?attribute=access_token`
    const headers = { authorization: `Bearer {{ ${token} }}` }
    return (await secretFetch(`${provider.origin}/api`, { headers })).status
  })
  return (await Promise.all(statuses)).join(' ')
}

// The tokens end early. Each is refreshed once.
provider.expire()
console.log(`github: ${await callApi('github', github)}`)
console.log(`google: ${await callApi('google', google)}`)
console.log(`refreshes: ${provider.countTokens()}`)

// The agent cannot use the key, not even for the right host.
const use = { origin: provider.origin, method: 'GET' }
const refused = service.useField(agent, {
  ...github,
  field: 'refresh_token',
  use,
})
console.log(`the key: ${await refused.catch((error) => error.reason)}`)
const isSent = provider.received.some((request) =>
  request.includes(String(key.split('\n')[1])),
)
console.log(`the provider has received it: ${isSent}`)

provider.uninstall()
const keeper = createKeepers().github
const rejected = await keeper.accessToken(github, agent)
const error: unknown = await keeper
  .accessToken(github, agent, { rejected })
  .catch((one) => one)
console.log(`after uninstalling: ${isVaultError(error) && error.code}`)
provider.close()
