import { createCaller, createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { createCredentials } from 'cofferkit/credentials'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'

const keys = createLocalKeyProvider({ key: await readKeyFile('vault.key') })
const store = createEncryptedStore(await openSqliteStore('vault.db'), { keys })
const service = createVaultService({
  store,
  activity: createStoredActivityLog(store),
})
const { id: vaultId } = await service.createVault(createCaller('setup', '*'), {
  name: 'Acme',
})
const acme = createCaller('acme', { [vaultId]: 'read-write' }) // the customer who is logged in
const kinds = {
  stripe: {
    fields: { key: { secret: true } },
    origins: ['https://api.stripe.com'],
  },
}
const credentials = createCredentials(service, kinds).of(acme, vaultId)
console.log(
  (await credentials.save('stripe', { key: 'sk_live_0123456789abcdWXYZ' }))
    .fields,
)
const echo = async (_url: string, { headers }: RequestInit) =>
  new Response(new Headers(headers).get('authorization'))
const secretFetch = createSecretFetch(vaultSecrets(service, acme), {
  fetch: echo,
}) // leave `fetch` out to send it
const headers = { authorization: `Bearer {{ op://${vaultId}/stripe/key }}` }
console.log(
  await (
    await secretFetch('https://api.stripe.com/v1/charges', { headers })
  ).text(),
)
console.log((await service.listActivity(acme, {})).entries[0]?.use)
