/**
 * The tokens that better-auth keeps in its table `account`, sealed, and refreshed once, however many
 * processes use them.
 */

import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper } from 'cofferkit/oauth'
import { createSealer } from 'cofferkit/seal'
import { accountGrants, moreColumns, resealAccounts, sealAccount } from './account-grants.js'
import { createRefresh } from './better-auth-refresh.js'
import { startProvider } from './oauth-provider.js'

const provider = await startProvider()
const database = new DatabaseSync(':memory:')
const { records } = createMemoryStore() // yours is a database; for the rings of keys and the leases
const keys = createLocalKeyProvider({ key: new Uint8Array(32) }) // yours is in a key file
const sealer = createSealer(records, { keys })

const auth = betterAuth({
  baseURL: 'http://localhost:3000',
  secret: randomUUID(),
  database,
  emailAndPassword: { enabled: true },
  // better-auth would store plain tokens when a user who has an account signs in again.
  account: { updateAccountOnSignIn: false },
  databaseHooks: {
    account: {
      create: { before: async (account) => ({ data: await sealAccount(sealer, 'app', account) }) },
    },
  },
})
await (await getMigrations(auth.options)).runMigrations()
database.exec(moreColumns)

const refresh = createRefresh(provider.tokenEndpoint)

// What better-auth does after the consent screen. The access token has expired meanwhile.
const { internalAdapter } = await auth.$context
const { user } = await auth.api.signUpEmail({
  body: { name: 'Wendy', email: 'wendy@example.com', password: randomUUID() },
})
const ref = { providerId: 'mail', accountId: 'wendy' }
const { accessToken, refreshToken } = provider.connect()
const accessTokenExpiresAt = new Date(0)
await internalAdapter.createAccount({
  ...{ userId: user.id, ...ref, accessToken, refreshToken, accessTokenExpiresAt },
})
const row = database.prepare(`SELECT * FROM account WHERE "providerId" = 'mail'`).get() ?? {}
console.log('in the table:', String(row['accessToken']).slice(0, 8))

/** Each process has its own keeper. */
const createKeeper = () =>
  createTokenKeeper({ grants: accountGrants(database, sealer, 'app'), leases: records, refresh })
const callApi = async (token: string) =>
  (await fetch(provider.api, { headers: { Authorization: `Bearer ${token}` } })).status

// Four processes need a token, and a sweep seals the tokens with a newer key.
await sealer.rotateDataKeys({ leaked: true })
const uses = [1, 2, 3, 4].map(async () => callApi(await createKeeper().accessToken(ref)))
const [statuses] = await Promise.all([Promise.all(uses), resealAccounts(database, sealer, 'app')])
console.log('four processes:', ...statuses)
console.log('refreshes:', provider.counts.refreshes)
provider.close()
