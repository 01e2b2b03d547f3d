/** The store, the log, and the keys that customers can enter. */

import { createCaller, createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { createCredentials } from 'cofferkit/credentials'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] })
pool.on('error', (error) => console.error(error.message))
await migratePostgres(pool, { schema: 'vaults' })
const records = createPostgresStore(pool, { schema: 'vaults', prepare: true })
const keys = createLocalKeyProvider({ key: await readKeyFile('vault.key') })
const store = createEncryptedStore(records, { keys })
const activity = createStoredActivityLog(store)

export const service = createVaultService({ store, activity })

export const credentials = createCredentials(service, {
  openai: {
    fields: { key: { label: 'API key' } },
    origins: ['https://api.openai.com'],
    verify: ({ key }, { signal }) =>
      isAccepted('https://api.openai.com/v1/models', key, signal),
  },
  stripe: {
    fields: { key: { label: 'Secret key' } },
    origins: ['https://api.stripe.com'],
    verify: ({ key }, { signal }) =>
      isAccepted('https://api.stripe.com/v1/balance', key, signal),
  },
})

/** Asks a provider whether it accepts a key. Throws if that stays unknown. */
async function isAccepted(url: string, key: string, signal: AbortSignal) {
  const headers = { authorization: `Bearer ${key}` }
  const { status } = await fetch(url, { headers, signal })
  if (status !== 200 && status !== 401)
    throw new Error(`${url} responds with ${status}`)
  return status === 200
}

// Your table of customers. It needs one column more.
await pool.query(`CREATE TABLE IF NOT EXISTS customers
  (id text PRIMARY KEY, vault_id text NOT NULL)`)

/** Creates the vault of a customer who signs up. */
export async function signUp(customer: string) {
  const creator = createCaller({
    id: 'sign-up',
    vaults: {},
    createVaults: true,
  })
  const { id } = await service.createVault(creator, { name: customer })
  await pool.query('INSERT INTO customers VALUES ($1, $2)', [customer, id])
}

/** Returns the id of the vault of a customer, undefined if there is none. */
export async function findVault(customer: string): Promise<string | undefined> {
  const query = 'SELECT vault_id AS id FROM customers WHERE id = $1'
  return (await pool.query(query, [customer])).rows[0]?.id
}

/** Waits for calls in progress, and ends the connections. */
export async function close() {
  await service.close()
  await store.close()
  await pool.end()
}
