/** The part of a service that is in the application's transaction. */

import { mapStore } from '../../base/map-store.js'
import {
  ActivityUnavailableError,
  ConflictError,
  StorageError,
  StorageUnavailableError,
} from '../../errors.js'
import type { TransactionClient, VaultStore } from '../../store.js'
import type { RecordTransaction } from './activity-log.js'
import { type GuardedStore, guardStore, type StoreGuard } from './guard-store.js'
import { isUnreadableError } from './report-unreadable.js'

/** The application's transaction. */
export interface ServiceTransaction extends RecordTransaction {
  /** The store of the service. Its records are in the transaction, its files are not. */
  readonly store: GuardedStore
  /**
   * Makes a call, and settles as it does. Once a record could not be read or written, every call
   * rejects, even one that ignored the failure, because the database rolls everything back.
   */
  run<Result>(call: () => Promise<Result>): Promise<Result>
}

/**
 * Takes part in the transaction of a client.
 * @throws TypeError if the store cannot do that, or `client` cannot be the client of a transaction.
 */
export function joinTransaction(
  { records, blobs }: VaultStore,
  guard: StoreGuard,
  client: TransactionClient,
): ServiceTransaction {
  if (records.inTransaction === undefined)
    throw new TypeError('the store cannot take part in transactions of the application')
  const joined = guardStore({ records: records.inTransaction(client), blobs }, guard)
  let failure: unknown
  const assertIntact = (): void => {
    if (failure === undefined) return
    const message = 'an earlier call in the transaction has failed: roll it back'
    throw new StorageError(message, { cause: failure })
  }
  const watched = mapStore(joined, async (run) => {
    assertIntact()
    try {
      return await run()
    } catch (error) {
      // A conflict here was found by the database.
      if (error instanceof ConflictError || isFailure(error)) failure ??= error
      throw error
    }
  })
  return {
    store: { ...joined, records: watched.records },
    outside: records,
    async run(call) {
      assertIntact()
      const result = await call().catch((error: unknown) => {
        const isOutside = failure === undefined
        if (isFailure(error)) failure ??= error
        throw isOutside ? explainTimeout(error) : error
      })
      if (failure !== undefined) throw failure
      return result
    },
  }
}

/** Returns true for the error of a store, unless a single record is damaged. */
function isFailure(error: unknown): boolean {
  return error instanceof StorageError && !isUnreadableError(error)
}

/** Adds to an error of the service's pool why it may have failed. */
function explainTimeout(error: unknown): unknown {
  if (!(error instanceof StorageError) || error.status !== 503) return error
  const isOfLog = error instanceof ActivityUnavailableError
  const Unavailable = isOfLog ? ActivityUnavailableError : StorageUnavailableError
  const reason = 'no transaction may be taken from the pool of its service'
  return new Unavailable(`${error.message}: ${reason}`, { cause: error })
}

/** @throws TypeError with this message, in the application's transaction. */
export function assertOutside(
  { transaction }: { readonly transaction?: ServiceTransaction },
  message: string,
): void {
  if (transaction !== undefined) throw new TypeError(`in a transaction, ${message}`)
}
