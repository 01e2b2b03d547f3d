/** The vaults of all tenants: encrypted, with every access recorded. */

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

/** Throws a DecryptionError if the vaults were encrypted with another key. */
export async function checkKey(): Promise<void> {
  const caller = createCaller({ id: 'start', vaults: '*' })
  await service.listVaults(caller, { limit: 1 })
}

/** Creates the vault of a tenant, unless the tenant has one. */
export async function createTenantVault(user: User): Promise<void> {
  if (user.vaultId !== null) return
  const creator = createCaller({ id: user.id, vaults: {}, createVaults: true })
  const { id } = await service.createVault(creator, { name: user.tenantName })
  await pool.query(
    'UPDATE tenants SET vault_id = coalesce(vault_id, $1) WHERE id = $2',
    [id, user.tenantId],
  )
}

/** Waits for calls in progress, and overwrites the keys in memory. */
export async function closeVaults(): Promise<void> {
  await service.close()
  await store.close()
}
