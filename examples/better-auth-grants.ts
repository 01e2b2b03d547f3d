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
import {
  accountGrants,
  moreColumns,
  replaceTokens,
  resealAccounts,
  sealAccount,
} from './account-grants.js'
import { createRefresh } from './better-auth-refresh.js'
import { takenTokens, takeTokens } from './better-auth-tokens.js'
import { createPlugin, signIn } from './demo/sign-in.js'
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
  plugins: [createPlugin(provider)],
  databaseHooks: {
    account: {
      create: {
        before: async (account) => ({
          data: await sealAccount(sealer, 'app', account),
        }),
      },
      // The user signs in again. Without these, better-auth would store plain tokens.
      update: {
        before: takeTokens,
        async after(account, context) {
          const tokens = takenTokens(context)
          if (tokens !== undefined)
            await replaceTokens(database, sealer, 'app', account, tokens)
        },
      },
    },
  },
})
await (await getMigrations(auth.options)).runMigrations()
database.exec(moreColumns)

const refresh = createRefresh(provider.tokenEndpoint)

await signIn(auth.handler)
const ref = { providerId: 'mail', accountId: 'wendy' }
const printTokens = () => {
  const [row] = database
    .prepare('SELECT "accessToken", "refreshToken" FROM account')
    .all()
  console.log(
    'in the table:',
    ...Object.values(row ?? {}).map((text) => String(text).slice(0, 8)),
  )
}
printTokens()

let now = () => new Date()
/** Each process has its own keeper. */
const createKeeper = () =>
  createTokenKeeper({
    grants: accountGrants(database, sealer, 'app'),
    ...{ leases: records, refresh, now: () => now() },
  })

// An hour later, four processes need a token, and a sweep seals the tokens with a newer key.
now = () => new Date(Date.now() + 3_600_000)
await sealer.rotateDataKeys({ leaked: true })
const uses = [1, 2, 3, 4].map(async () =>
  provider.call(await createKeeper().accessToken(ref)),
)
const [statuses] = await Promise.all([
  Promise.all(uses),
  resealAccounts(database, sealer, 'app'),
])
console.log('four processes:', ...statuses)
console.log('refreshes:', provider.counts.refreshes)

now = () => new Date()
for (const round of ['once', 'twice']) {
  provider.disconnect()
  const rejected = await createKeeper().accessToken(ref)
  const error = await createKeeper()
    .accessToken(ref, undefined, { rejected })
    .catch((reason) => reason)
  await signIn(auth.handler)
  const status = await provider.call(await createKeeper().accessToken(ref))
  console.log(`${error.code}, signed in again ${round}:`, status)
}
printTokens()
provider.close()
