/** A process of the check `tenant-keys`: reads the records of tenants, and moves key rings. */

import { setTimeout as pause } from 'node:timers/promises'
import type { RecordStore, VaultStore } from 'cofferkit'
import { createEncryptedStore, type EncryptedStore } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
import { handleRequests } from '../support/worker-process.js'
import { createKmsProvider } from './kms.js'

/** Where a process finds the data, the key rings and the service. */
export interface TenantStores {
  readonly path: string
  /** Undefined if the key rings are stored with the data. */
  readonly ringPath: string | undefined
  readonly kmsUrl: string
  /** Undefined if keys have no age. */
  readonly maxKeyAgeMs: number | undefined
  /** Drops all keys at this interval: the broken variant that does not ask ahead. */
  readonly forgetEveryMs?: number
}

/** Request to this process. */
export type TenantRequest = TenantStores & {
  readonly vaultIds: readonly string[]
  readonly records: number
} & (
    | { readonly task: 'read'; readonly forMs: number }
    | { readonly task: 'open all' }
    | {
        readonly task: 'move'
        /** The process kills itself before write `killAt / 2` of a store, or after it if that is odd. */
        readonly killAt: number
      }
  )

/** A call that was made for a vault. */
export interface TenantRead {
  readonly vaultId: string
  /** When the call began. */
  readonly at: number
  readonly isOpen: boolean
}

/** By the path of the data, so that a process keeps the keys that it has. */
const opened = new Map<string, EncryptedStore>()

handleRequests<TenantRequest, readonly TenantRead[]>(async (request) => {
  const store = opened.get(request.path) ?? (await openTenantStore(request))
  opened.set(request.path, store)
  const { vaultIds, records } = request
  const reads: TenantRead[] = []
  const read = async (vaultId: string, id: string): Promise<void> => {
    const at = Date.now()
    const isOpen = await store.records.get({ collection: `items/${vaultId}`, id }).then(
      (record) => record !== undefined,
      () => false,
    )
    reads.push({ vaultId, at, isOpen })
  }
  if (request.task === 'read') {
    for (const end = Date.now() + request.forMs; Date.now() < end; await pause(20))
      await Promise.all(vaultIds.map((vaultId) => read(vaultId, '0')))
  } else if (request.task === 'open all') {
    for (const vaultId of vaultIds)
      for (let id = 0; id < records; id++) await read(vaultId, String(id))
  } else await store.moveKeyRings()
  return reads
})

/** Opens the stores as the request says. */
async function openTenantStore(stores: TenantRequest): Promise<EncryptedStore> {
  const { path, ringPath, kmsUrl, maxKeyAgeMs, forgetEveryMs } = stores
  const inner: VaultStore = await openSqliteStore(path)
  const rings = ringPath === undefined ? undefined : (await openSqliteStore(ringPath)).records
  const kill = 'killAt' in stores ? killAtWrite(stores.killAt) : (records: RecordStore) => records
  const store = createEncryptedStore(
    { ...inner, records: kill(inner.records) },
    {
      keys: createKmsProvider(kmsUrl),
      ...(rings && { keyRings: kill(rings) }),
      ...(maxKeyAgeMs !== undefined && { maxKeyAgeMs }),
    },
  )
  if (forgetEveryMs !== undefined) setInterval(() => void store.forgetKeys(), forgetEveryMs)
  return store
}

/** Wraps the stores of a process that kills itself (SIGKILL). */
function killAtWrite(killAt: number): (records: RecordStore) => RecordStore {
  let moments = 0
  const pass = (): void => {
    if (moments++ === killAt) process.kill(process.pid, 'SIGKILL')
  }
  const around = async (write: () => Promise<boolean>): Promise<boolean> => {
    pass()
    const isDone = await write()
    pass()
    return isDone
  }
  return (records) => ({
    ...records,
    put: (key, record, version) => around(() => records.put(key, record, version)),
    delete: (key, version) => around(() => records.delete(key, version)),
  })
}
