/** A process of a program: a service on the shared disk, with caches and a clock of its own. */

import {
  type Caller,
  createCaller,
  createVaultService,
  type ItemRef,
  type RecordStore,
  type VaultService,
  type VaultStore,
} from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { type Credentials, createCredentials } from 'cofferkit/credentials'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type EncryptedStore,
  type KeyProvider,
} from 'cofferkit/encrypted'
import { createTokenKeeper, type TokenKeeper, type VaultGrants, vaultGrants } from 'cofferkit/oauth'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
import type { Disk, DiskTransaction } from './disk.js'
import { createGate, type Gate } from './gate.js'
import type { BrokenPromise } from './model.js'
import { apiOrigin, type Provider } from './provider.js'

/** How the processes of a program are set up. */
export interface Setup {
  /** Undefined without encryption. */
  readonly keyRings: 'with the data' | 'elsewhere' | undefined
  /** The number of archived versions of an item. */
  readonly history: number
  /** True if calls are recorded in the store. */
  readonly hasLog: boolean
}

/** A store as the command opens it. */
export interface CommandStore {
  /** Such as `sqlite:vault.db`. */
  readonly address: string
  readonly keyFile: string
}

/** The key of all processes. */
export const keyBytes: Uint8Array = new Uint8Array(32).fill(7)

/** The surroundings that all processes of a program share. */
export interface Surroundings {
  readonly setup: Setup
  readonly disk: Disk
  /** Where the key rings are, if they are not with the data. */
  readonly rings: RecordStore
  /** How the command opens the stores; undefined if it cannot. */
  readonly commandStore: CommandStore | undefined
  readonly provider: Provider
  /** The first promise that was broken where the library catches errors. */
  broken: BrokenPromise | undefined
  /** Called with each error that a service reports to its operator. */
  onError(error: unknown): void
  /** True while the key service denies every call. */
  isDenied: boolean
  /** Milliseconds that the clock of every process is ahead. */
  elapsedMs: number
  /** True while the statements of the processes are in a transaction of the embedder's. */
  isInTransaction: boolean
  /** The transaction of the embedder's that services take part in. */
  transaction: DiskTransaction | undefined
}

/** A running process. */
export interface Process {
  readonly gate: Gate
  readonly service: VaultService
  readonly credentials: Credentials
  readonly grants: VaultGrants
  readonly keeper: TokenKeeper<ItemRef, Caller | undefined>
  createFetch(caller: Caller): ReturnType<typeof createSecretFetch>
  /** Returns the process with its service in the transaction of the world. */
  inTransaction(): Process
  /** Undefined without encryption. */
  readonly encrypted: EncryptedStore | undefined
}

const startMs = Date.UTC(2026, 0, 1)
const clockSkewMs = 30_000
/** The shortest possible, so that a step waits little for a process that has stopped. */
const leaseMs = 100

/** Starts a process. Its clock is ahead of those with a lower number. */
export function startProcess(world: Surroundings, number: number): Process {
  const { setup, disk, rings } = world
  const gate = createGate()
  const inner = gate.wrapStore(withTransactions(world, disk.store))
  const encrypted =
    setup.keyRings === undefined
      ? undefined
      : createEncryptedStore(inner, {
          keys: createDeniableProvider(world),
          ...(setup.keyRings === 'elsewhere' && { keyRings: gate.wrapRecords(rings) }),
        })
  const store = encrypted ?? inner
  const service = createVaultService({
    store,
    storeTimeoutMs: Number.POSITIVE_INFINITY,
    history: { maxVersions: setup.history },
    onError: (error) => world.onError(error),
    now: () => new Date(startMs + world.elapsedMs + number * clockSkewMs),
    ...(setup.hasLog && {
      activity: createStoredActivityLog(store, { storeTimeoutMs: Number.POSITIVE_INFINITY }),
    }),
  })
  const kinds = { api: { fields: { key: {} }, origins: [apiOrigin] } }
  const grants = vaultGrants(service, createCaller({ id: 'keeper', vaults: '*' }))
  const keeper = createTokenKeeper({
    grants,
    leases: store.records,
    leaseMs,
    now: service.now,
    refresh: async (refreshToken) => world.provider.refresh(refreshToken),
  })
  const createFetch = (caller: Caller) =>
    createSecretFetch(vaultSecrets(service, caller), {
      fetch: (url, init) => world.provider.fetch(new Request(url, init)),
    })
  const process: Process = {
    ...{ gate, service, grants, keeper, createFetch, encrypted },
    credentials: createCredentials(service, kinds),
    inTransaction() {
      const joined = service.inTransaction({
        query: () => Promise.reject(new Error('no database')),
      })
      const credentials = createCredentials(joined, kinds)
      // It has every method of a service. Those that it refuses throw.
      return { ...process, credentials, service: joined as VaultService }
    },
  }
  return process
}

/** Returns a service without encryption on the same disk. */
export function startPlainService({ disk }: Surroundings): VaultService {
  return createVaultService({ store: disk.store })
}

/** Adds what a store says of a transaction of the embedder's in which its statements run. */
function withTransactions(world: Surroundings, { records, blobs }: VaultStore): VaultStore {
  const canRollBack = async (): Promise<boolean> => world.isInTransaction
  const inTransaction = (): RecordStore => world.transaction?.records ?? records
  return { records: { ...records, canRollBack, inTransaction }, blobs }
}

function createDeniableProvider(world: Surroundings): KeyProvider {
  const keys = createLocalKeyProvider({ key: keyBytes })
  const ask = <Result>(call: () => Promise<Result>): Promise<Result> =>
    world.isDenied ? Promise.reject(new Error('the key service denies it')) : call()
  return {
    ...keys,
    wrap: (key, context) => ask(() => keys.wrap(key, context)),
    unwrap: (kekId, wrapped, context) => ask(() => keys.unwrap(kekId, wrapped, context)),
  }
}
