/**
 * The tokens that better-auth gets after the consent screen are in a vault, refreshed once, and not
 * in its table `account`. They stay usable when the user signs in again.
 */

import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import {
  createCaller,
  createVaultService,
  type ItemRef,
  isVaultError,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { createRefresh } from './better-auth-refresh.js'
import { takenTokens, takeTokens } from './better-auth-tokens.js'
import { createPlugin, signIn } from './demo/sign-in.js'
import { startProvider } from './oauth-provider.js'

const provider = await startProvider()
const store = createMemoryStore()
const service = createVaultService({ store })
const caller = createCaller({ id: 'token-keeper', vaults: '*' })
const vault = await service.createVault(caller, { name: 'Customers' })
const grants = vaultGrants(service, caller)
const refresh = createRefresh(provider.tokenEndpoint)
const keeper = createTokenKeeper({ grants, leases: store.records, refresh })

/** Saves the tokens in an item: one for each user and provider. */
async function saveTokens(
  {
    userId,
    providerId,
  }: { readonly userId: string; readonly providerId: string },
  context: object | null,
) {
  const tokens = takenTokens(context)
  if (tokens !== undefined)
    await grants.save(vault.id, {
      name: providerId,
      account: userId,
      ...tokens,
    })
}

const database = new DatabaseSync(':memory:')
const auth = betterAuth({
  ...{ baseURL: 'http://localhost:3000', secret: randomUUID(), database },
  plugins: [createPlugin(provider)],
  databaseHooks: {
    account: {
      create: { before: takeTokens, after: saveTokens },
      update: { before: takeTokens, after: saveTokens },
    },
  },
})
await (await getMigrations(auth.options)).runMigrations()

async function use(ref: ItemRef, rejected?: string) {
  try {
    return provider.call(await keeper.accessToken(ref, caller, { rejected }))
  } catch (error) {
    return isVaultError(error) ? error.code : error
  }
}

await signIn(auth.handler)
const [row] = database
  .prepare('SELECT "accessToken", "refreshToken" FROM account')
  .all()
console.log('in the table:', ...Object.values(row ?? {}))
const [grant] = await grants.list(vault.id)
if (grant === undefined) throw new Error('nothing was saved')
console.log('the token:', await use(grant.ref))
for (const round of ['once', 'twice']) {
  const token = await keeper.accessToken(grant.ref, caller)
  console.log('refreshed:', await use(grant.ref, token))
  provider.disconnect()
  const refreshed = await keeper.accessToken(grant.ref, caller)
  console.log('the grant was revoked:', await use(grant.ref, refreshed))
  await signIn(auth.handler)
  console.log(`signed in again ${round}:`, await use(grant.ref))
}
provider.close()
