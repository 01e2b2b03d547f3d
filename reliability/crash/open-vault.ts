/** Opens the vault that crashes, in a file, in one of the forms that are tried. */

import { createVaultService, type VaultService, type VaultStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'

/** As it is, encrypted, or broken: acknowledging what it has only in memory. */
export type Form = 'plain' | 'encrypted' | 'broken'

/** A service and the way to close its file. */
export interface OpenVault {
  readonly service: VaultService
  close(): Promise<void>
}

/** The vault in the file at `path`. `ahead` is by how many milliseconds its clock goes ahead. */
export async function openVault(path: string, form: Form, ahead = 0): Promise<OpenVault> {
  const { close, ...plain } = await openSqliteStore(path)
  const service = createVaultService({
    store: formed(plain, form),
    limits: { tags: 1_000_000 },
    now: () => new Date(Date.now() + ahead),
  })
  return { service, close }
}

function formed(store: VaultStore, form: Form): VaultStore {
  if (form === 'broken') return acknowledgeEarly(store)
  if (form === 'plain') return store
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  return createEncryptedStore(store, { keys })
}

/** Compares at once, and writes some milliseconds later. */
function acknowledgeEarly({ records, blobs }: VaultStore): VaultStore {
  return {
    blobs,
    records: {
      ...records,
      async put(key, record, seen) {
        if (((await records.get(key))?.version ?? 0) !== seen) return false
        setTimeout(() => records.put(key, record, seen).catch(() => false), 10)
        return true
      },
    },
  }
}
