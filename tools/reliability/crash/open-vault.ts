/** Opens the vault of the crash check, in a SQLite file. */

import { createVaultService, type VaultService, type VaultStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
import { loadDriver } from '../support/sqlite-drivers.js'

/** The plain store, the encrypted one, or the negative control, which acknowledges too early. */
export type Form = 'plain' | 'encrypted' | 'broken'

/** A service on a file of its own. */
export interface OpenVault {
  readonly service: VaultService
  close(): Promise<void>
}

/** The file of a vault. */
export interface VaultFile {
  readonly path: string
  /** Name of the driver that opens it. */
  readonly driver: string
  readonly form: Form
}

/** Opens the vault. Its clock is ahead by `aheadMs` milliseconds. */
export async function openVault(
  { path, driver, form }: VaultFile,
  aheadMs = 0,
): Promise<OpenVault> {
  const { close, ...plain } = await openSqliteStore(path, { driver: loadDriver(driver) })
  const service = createVaultService({
    store: wrapStore(plain, form),
    limits: { tags: 1_000_000 },
    now: () => new Date(Date.now() + aheadMs),
  })
  return { service, close }
}

function wrapStore(store: VaultStore, form: Form): VaultStore {
  if (form === 'broken') return acknowledgeEarly(store)
  if (form === 'plain') return store
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  return createEncryptedStore(store, { keys })
}

/** Compares the version immediately, and writes 10 milliseconds later. */
function acknowledgeEarly({ records, blobs }: VaultStore): VaultStore {
  return {
    blobs,
    records: {
      ...records,
      async put(key, record, expectedVersion) {
        if (((await records.get(key))?.version ?? 0) !== expectedVersion) return false
        setTimeout(() => records.put(key, record, expectedVersion).catch(() => false), 10)
        return true
      },
    },
  }
}
