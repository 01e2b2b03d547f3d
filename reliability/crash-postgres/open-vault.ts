/** Opens the vault of the crash check on PostgreSQL. */

import { createVaultService, type VaultService } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createPostgresStore } from 'cofferkit/postgres'
import pg from 'pg'

/** The plain store, or the encrypted one. */
export type Form = 'plain' | 'encrypted'

/** A service with connections of its own. */
export interface OpenVault {
  readonly service: VaultService
  readonly pool: pg.Pool
  close(): Promise<void>
}

const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })

/** Opens the vault on the server at `url`. Its clock is ahead by `aheadMs` milliseconds. */
export function openVault(url: string, form: Form, aheadMs = 0): OpenVault {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  pool.on('error', () => {})
  const plain = createPostgresStore(pool, { prepare: true })
  const service = createVaultService({
    store: form === 'plain' ? plain : createEncryptedStore(plain, { keys }),
    limits: { tags: 1_000_000 },
    now: () => new Date(Date.now() + aheadMs),
  })
  return { service, pool, close: () => pool.end() }
}
