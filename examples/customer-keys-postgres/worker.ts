/** Calls two APIs with the keys of a customer, which it never sees. */

import { createCaller } from 'cofferkit'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
import OpenAI from 'openai'
import Stripe from 'stripe'
import { close, credentials, findVault, service } from './keys.ts'

const vaultId = await findVault('acme')
if (vaultId === undefined) throw new Error('acme has not signed up yet')

// This caller can use the keys of the vault, and read none of them.
const use = [{ places: ['header:authorization'] }]
const worker = createCaller({ id: 'worker', vaults: { [vaultId]: 'use' }, use })
const secretFetch = createSecretFetch(vaultSecrets(service, worker))
const acme = credentials.of(worker, vaultId)

const openai = new OpenAI({
  apiKey: `{{ ${await acme.reference('openai', 'key')} }}`,
  fetch: secretFetch,
})
const { data: models } = await openai.models.list()
console.log(`OpenAI offers ${models.length} models`)

const stripe = new Stripe(`{{ ${await acme.reference('stripe', 'key')} }}`, {
  httpClient: Stripe.createFetchHttpClient(secretFetch),
})
const { available } = await stripe.balance.retrieve()
console.log(`Stripe has ${available[0]?.amount} ${available[0]?.currency}`)

await close()
