/** The vaults of all tenants: in a schema of their own, encrypted, with every access recorded. */

import { createCaller, createVaultService } from 'cofferkit'
import { createCallbackActivityLog } from 'cofferkit/activity'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import { recordAccess } from './audit.ts'
import { pool } from './db.ts'
import { options } from './rules.ts'
import type { User } from './users.ts'

await migratePostgres(pool, { schema: 'vaults' })
const records = createPostgresStore(pool, { schema: 'vaults', prepare: true })
const keys = createLocalKeyProvider({ key: await readKeyFile('vault.key') })
const store = createEncryptedStore(records, { keys })

export const service = createVaultService({
  ...options,
  store,
  activity: createCallbackActivityLog(recordAccess),
})

/** Rejects with a DecryptionError if the key is not the one that the vaults were encrypted with. */
export async function checkKey(): Promise<void> {
  await service.listVaults(createCaller('start', '*'), { limit: 1 })
}

/** Creates the vault of a tenant. Does nothing if it exists. */
export async function createTenantVault(user: User): Promise<void> {
  if (user.vaultId !== null) return
  const creator = createCaller(user.id, {}, { createVaults: true })
  const { id } = await service.createVault(creator, { name: user.tenantName })
  await pool.query(
    'UPDATE tenants SET vault_id = coalesce(vault_id, $1) WHERE id = $2',
    [id, user.tenantId],
  )
}

/** Waits for the calls in progress, and overwrites the cached keys. */
export async function closeVaults(): Promise<void> {
  await service.close()
  await store.close()
}
