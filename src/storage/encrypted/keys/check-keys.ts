/** Checks that the provider still opens key rings. */

import { gatherBatches, settleAll } from '../../../base/batches.js'
import { StorageError, StorageUnavailableError } from '../../../errors.js'
import type { ListedRecord } from '../../../store.js'
import type { KeyProvider } from '../providers/key-provider.js'
import { decodeUndamaged, type KeyRing, nameKeys } from './key-ring.js'
import type { KeyStore } from './key-store.js'
import { wipeOpened } from './opened-keys.js'
import type { ListedRing, RingOpener } from './ring-opener.js'
import type { RingStore } from './ring-store.js'

/** How long the result of a health check is valid, in milliseconds. */
const maxHealthAgeMs = 10_000
/** The number of rings that are opened at the same time. */
const maxOpening = 8
/** The number of rings that are named in an error. */
const maxNamed = 10

/**
 * Creates a function that opens a ring with the provider, even if its keys are in memory. For 10 s,
 * it returns the result of the last call instead.
 */
export function createHealthCheck({
  opener,
  clock,
}: Pick<KeyStore, 'opener' | 'clock'>): (scope: string, ring: KeyRing) => Promise<void> {
  let last = { at: clock.read(), result: undefined as Promise<void> | undefined }
  return (scope, ring) => {
    if (last.result === undefined || clock.ageOf(last.at) >= maxHealthAgeMs)
      last = { at: clock.read(), result: opener.open(scope, ring).then(wipeOpened) }
    return last.result ?? Promise.resolve()
  }
}

/** Returns the first ring that has a KEK of this provider itself, not one of a tenant's. */
export async function findOwnRing(
  rings: RingStore,
  { kekIds }: KeyProvider,
): Promise<ListedRing | undefined> {
  for await (const { id: scope, ...record } of rings.list()) {
    const ring = decodeUndamaged(record, rings.use)
    if (ring !== undefined && kekIds.includes(ring.kekId)) return { scope, ring }
  }
  return undefined
}

/**
 * Opens every ring. Once the provider has failed for a KEK, it is not called for that KEK again.
 * @returns The number of rings that were opened. Rings whose keys were erased do not count.
 * @throws StorageError that names each ring that cannot be opened, up to ten: 503 if the provider
 * has failed, otherwise `STORAGE_FAILED` (500).
 */
export async function checkRings(rings: RingStore, opener: RingOpener): Promise<number> {
  const failedKeks = new Set<string>()
  let opened = 0
  const check = async ({
    id: scope,
    ...record
  }: ListedRecord): Promise<readonly StorageError[]> => {
    const ring = decodeUndamaged(record, rings.use)
    if (ring === undefined) return [new StorageError(`${nameKeys(rings.use, scope)} are damaged`)]
    if (ring.keys.length === 0 || failedKeks.has(ring.kekId)) return []
    try {
      wipeOpened(await opener.open(scope, ring))
      opened++
      return []
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error instanceof StorageUnavailableError) {
        // Another ring that was being opened may have said so.
        if (failedKeks.has(ring.kekId)) return []
        failedKeks.add(ring.kekId)
      }
      return [error]
    }
  }
  const errors: StorageError[] = []
  for await (const batch of gatherBatches(rings.list(), maxOpening))
    errors.push(...(await settleAll(batch.map(check))).flat())
  if (errors.length > 0) throw checkError(errors)
  return opened
}

function checkError(errors: readonly StorageError[]): StorageError {
  const outage = errors.find((error) => error instanceof StorageUnavailableError)
  const cause = outage ?? errors[0]
  const named = errors.slice(0, maxNamed).map(({ message }) => message)
  const more = errors.length - named.length
  const message = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  return outage === undefined
    ? new StorageError(message, { cause })
    : new StorageUnavailableError(message, { cause })
}
