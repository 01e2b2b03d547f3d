/** Opens the vault whose database crashes, as it is or encrypted. */

import { createVaultService, type VaultService } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createPostgresStore } from 'cofferkit/postgres'
import pg from 'pg'

/** The two forms of the store that must hold. */
export type Form = 'plain' | 'encrypted'

/** A service on connections of its own. */
export interface OpenVault {
  readonly service: VaultService
  readonly pool: pg.Pool
  close(): Promise<void>
}

const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })

/** The vault on the server at `url`. `ahead` is by how many milliseconds its clock goes ahead. */
export function openVault(url: string, form: Form, ahead = 0): OpenVault {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  pool.on('error', () => {})
  const plain = createPostgresStore(pool, { prepare: true })
  const service = createVaultService({
    store: form === 'plain' ? plain : createEncryptedStore(plain, { keys }),
    limits: { tags: 1_000_000 },
    now: () => new Date(Date.now() + ahead),
  })
  return { service, pool, close: () => pool.end() }
}
