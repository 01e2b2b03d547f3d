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

// An encrypted store in a SQLite file, and a log of every access.
const keys = createLocalKeyProvider({ key: await readKeyFile('vault.key') })
const store = createEncryptedStore(await openSqliteStore('vault.db'), { keys })
const activity = createStoredActivityLog(store)
const service = createVaultService({ store, activity })

// The vault of one customer, which the first run creates.
const setup = createCaller({ id: 'setup', vaults: '*' })
const [found] = await service.listVaults(setup)
const vault = found ?? (await service.createVault(setup, { name: 'Acme' }))
const vaultId = vault.id
const acme = createCaller({ id: 'acme', vaults: { [vaultId]: 'read-write' } })

// What customers enter, and where it may be sent.
const credentials = createCredentials(service, {
  stripe: {
    fields: { key: {} },
    origins: ['https://api.stripe.com'],
    // In your app, ask Stripe.
    verify: async ({ key }) => key.startsWith('sk_'),
  },
}).of(acme, vaultId)

// The worker can use the keys of this vault, and read none of them.
const places = ['header:authorization']
const worker = createCaller({
  id: 'worker',
  vaults: { [vaultId]: 'use' },
  use: [{ places }],
})
const secretFetch = createSecretFetch(vaultSecrets(service, worker), {
  // This stands for Stripe, and repeats the key. Leave it out to call Stripe.
  fetch: async (_url, { headers }) => new Response(headers['authorization']),
})

// 1. A customer saves a key. Your `verify` asks Stripe whether it works.
await credentials.save('stripe', { key: 'sk_live_0123456789abcdWXYZ' })

// 2. Your settings page shows that a key is set.
const { fields } = await credentials.describe('stripe')
console.log(fields) // { key: { isSet: true, hint: '…WXYZ' } }

// 3. Your worker or agent uses the key, and never sees it.
const reference = await credentials.reference('stripe', 'key')
const response = await secretFetch('https://api.stripe.com/v1/charges', {
  headers: { authorization: `Bearer {{ ${reference} }}` },
})
console.log(await response.text()) // Bearer [secret]

// Who used it?
const { entries } = await service.listActivity(acme)
console.log(entries[0]?.actor.id, entries[0]?.use?.origin)
// worker https://api.stripe.com
