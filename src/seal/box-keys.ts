/**
 * The keys of one scope in the memory of a sealer. Boxes use them synchronously, and they are read
 * again in the background.
 */

import { areBytesEqual } from '../base/are-bytes-equal.js'
import { batchesOf } from '../base/batches.js'
import { DecryptionError, type StorageError, StorageUnavailableError } from '../errors.js'
import type { DataKey } from '../storage/encrypted/envelope/record-envelope.js'
import {
  currentKey,
  erasedKeysError,
  sealRings,
  type WrappedKey,
} from '../storage/encrypted/keys/key-ring.js'
import type { FetchedRing, RingReader } from '../storage/encrypted/keys/ring-reader.js'
import { unwrapKeyOfRing, wipeOpened } from '../storage/encrypted/keys/unwrapped-key.js'
import { dataKeyLength } from '../storage/encrypted/keys/wrap-key.js'
import { findProvider, type KeyProvider } from '../storage/encrypted/providers/key-provider.js'
import type { Clock, Instant } from './clock.js'

/** If the keys were read longer ago than this, the next use of a key reads them again. */
const maxReadingAgeMs = 60_000
/** The shortest time between two background reads. */
const minReadingIntervalMs = 1000
/**
 * How many unknown key ids are remembered. There is a limit because an attacker's rows can contain
 * any id.
 */
const maxUnknownIds = 16
/** The number of keys that are unwrapped at the same time. */
const maxUnwrapping = 8

/** The keys of a scope. A key is used only if it has been in memory for less than `maxKeyAgeMs`. */
export interface BoxKeys {
  /**
   * Returns the key that seals.
   * @throws StorageUnavailableError (503) if no keys are in memory.
   * @throws StorageError if they were erased.
   */
  current(): DataKey
  /**
   * Returns the key with this id.
   * @throws StorageUnavailableError (503) if the id is unknown, but may be another process's new
   * key.
   * @throws DecryptionError if the key does not exist or cannot be unwrapped, and the errors of
   * `current`.
   */
  find(keyId: number): DataKey
  /**
   * Returns true for the id of the sealing key, and for later ids. @throws the errors of `current`
   */
  isCurrent(keyId: number): boolean
  /**
   * Resolves when the keys are in memory. Creates the ring if it does not exist. Rejects with a
   * DecryptionError if the ring cannot be opened. For a second after that, it rejects without
   * reading the ring again.
   */
  load(): Promise<void>
  /** Reads the ring now. If a read is in progress, waits for it and then reads again. */
  read(): Promise<void>
  /** Overwrites the keys. From now on, every use of them throws this error. */
  end(error: StorageError): void
}

/** Everything that is needed to read the keys of a scope. */
export interface BoxKeysContext {
  readonly reader: RingReader
  readonly provider: KeyProvider
  readonly clock: Clock
  readonly maxKeyAgeMs: number
  /** Rejects if a ring that was just read can still be rolled back. */
  assertCommitted(): Promise<void>
  /** Returns true if the sealer is closed. */
  isClosed(): boolean
  /** Creates the ring of a scope that has none. */
  createRing(scope: string): Promise<void>
}

/** An unwrapped key, or the reason why it could not be unwrapped. */
interface BoxKey {
  readonly wrapped: WrappedKey
  readonly key: DataKey | undefined
  readonly error?: unknown
}

interface LoadedKeys {
  readonly version: number
  readonly body: Uint8Array
  readonly ringKey: Uint8Array
  readonly currentId: number
  readonly byId: ReadonlyMap<number, BoxKey>
  /** When the provider was asked for the keys. */
  readonly askedAt: Instant
}

/** A key id that is not in the ring. */
interface UnknownId {
  /** How many reads had begun when the id was first seen. */
  readonly metAfter: number
  /** True once a later read did not find it. */
  readonly isAbsent: boolean
}

/** Creates the keys of a scope. None of them is in memory yet. */
export function createBoxKeys(scope: string, context: BoxKeysContext): BoxKeys {
  const { reader, provider, clock, maxKeyAgeMs } = context
  const readingAgeMs = Math.min(maxReadingAgeMs, maxKeyAgeMs / 2)
  const unknownIds = new Map<number, UnknownId>()
  let loaded: LoadedKeys | undefined
  let ending: StorageError | undefined
  let reading: Promise<void> | undefined
  /** Why the last ring that was read cannot be opened, if so. */
  let rejection: DecryptionError | undefined
  let readings = 0
  /** When the last read began, and when the last successful read began. */
  let begunAt = clock.read()
  let readAt = begunAt

  /** Returns the keys in memory, and refreshes them in the background when that is due. */
  const use = (): LoadedKeys => {
    // The sealer has dropped this box and no longer knows it, but someone still uses it.
    if (reader.isErased(scope)) end(erasedKeysError(sealRings, scope))
    if (context.isClosed()) end(closedError())
    if (ending !== undefined) throw ending
    if (loaded !== undefined && clock.ageOf(loaded.askedAt) >= maxKeyAgeMs) replace(undefined)
    if (loaded === undefined || clock.ageOf(readAt) >= readingAgeMs) readInBackground()
    if (loaded === undefined)
      throw new StorageUnavailableError(
        'the keys of the scope are not in memory: get its box again',
      )
    return loaded
  }
  const readInBackground = (): void => {
    if (reading === undefined && clock.ageOf(begunAt) >= minReadingIntervalMs)
      startReading().catch(() => {})
  }
  const startReading = (): Promise<void> => {
    reading ??= readRing()
      .catch((error: unknown) => {
        if (error instanceof DecryptionError) rejection = error
        throw error
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const readRing = async (): Promise<void> => {
    const number = ++readings
    const at = clock.read()
    begunAt = at
    rejection = undefined
    const fetched = await fetchRing()
    const mustAsk = loaded === undefined || clock.ageOf(loaded.askedAt) >= maxKeyAgeMs / 2
    const known = mustAsk ? undefined : loaded
    if (known === undefined || !isSame(known, fetched)) {
      const next = await loadKeys(fetched, known, at)
      if (ending === undefined) replace(next)
      else wipe(next)
    }
    readAt = at
    for (const [id, { metAfter }] of unknownIds)
      unknownIds.set(id, { metAfter, isAbsent: metAfter < number })
  }
  const fetchRing = async (): Promise<FetchedRing> => {
    const found = await reader.fetch(scope)
    if (found !== undefined) return found
    await context.createRing(scope)
    return fetchRing()
  }
  /** Unwraps the keys of a ring that are not known yet. */
  const loadKeys = async (
    fetched: FetchedRing,
    known: LoadedKeys | undefined,
    askedAt: Instant,
  ): Promise<LoadedKeys> => {
    // Check this before remembering anything of the ring, because after a rollback the ring never
    // existed.
    await context.assertCommitted()
    const { ring, opened } = await reader.verify(scope, fetched, known?.ringKey)
    if (ring.keys.length === 0) {
      end(erasedKeysError(sealRings, scope))
      throw erasedKeysError(sealRings, scope)
    }
    const ringKey = known?.ringKey ?? new Uint8Array(dataKeyLength)
    if (opened !== undefined) {
      ringKey.set(opened.ringKey)
      wipeOpened(opened)
    }
    const currentId = currentKey(ring).id
    const own = await findProvider(provider, scope)
    const unwrap = async (wrapped: WrappedKey): Promise<BoxKey> => {
      const same = known?.byId.get(wrapped.id)
      if (same?.key !== undefined && same.wrapped.wrapped === wrapped.wrapped) return same
      try {
        const material = await unwrapKeyOfRing(own, scope, { ringKey }, wrapped)
        const bytes = material.slice(0, dataKeyLength)
        material.fill(0)
        return { wrapped, key: { id: wrapped.id, bytes } }
      } catch (error) {
        if (wrapped.id === currentId) throw error
        return { wrapped, key: undefined, error }
      }
    }
    const byId = new Map<number, BoxKey>()
    for (const batch of batchesOf(ring.keys.toReversed(), maxUnwrapping))
      for (const key of await Promise.all(batch.map(unwrap))) byId.set(key.wrapped.id, key)
    const { version, body } = fetched.stored
    return { version, body, ringKey, currentId, byId, askedAt: known?.askedAt ?? askedAt }
  }
  /** Replaces the keys in memory, and overwrites those that are no longer needed. */
  const replace = (next: LoadedKeys | undefined): void => {
    const previous = loaded
    if (next?.version !== previous?.version) unknownIds.clear()
    loaded = next
    if (previous !== undefined) wipe(previous, next)
  }
  const end: BoxKeys['end'] = (error) => {
    ending = error
    replace(undefined)
  }

  const find = (keyId: number): DataKey => {
    const found = use().byId.get(keyId)
    if (found === undefined) throw meetUnknownId(keyId)
    if (found.key === undefined) throw found.error
    return found.key
  }
  /** Remembers an id that is not in the ring, and reads the ring again in the background. */
  const meetUnknownId = (keyId: number): StorageError => {
    const known = unknownIds.get(keyId)
    const isRemembered = known !== undefined || unknownIds.size < maxUnknownIds
    if (known === undefined && isRemembered)
      unknownIds.set(keyId, { metAfter: readings, isAbsent: false })
    readInBackground()
    if (!isRemembered || known?.isAbsent)
      return new DecryptionError('the value was sealed with a key that does not exist')
    return new StorageUnavailableError(
      'the value was sealed with a key that is not in memory yet: try again',
    )
  }

  return {
    current: () => find(use().currentId),
    find,
    isCurrent: (keyId) => keyId >= use().currentId,
    async load() {
      if (ending !== undefined) throw ending
      const isLoaded = loaded !== undefined && clock.ageOf(loaded.askedAt) < maxKeyAgeMs
      if (isLoaded) return
      // Otherwise each of the tenant's requests would read such a ring again, and call the
      // provider.
      if (rejection !== undefined && clock.ageOf(begunAt) < minReadingIntervalMs) throw rejection
      await startReading()
    },
    async read() {
      await Promise.allSettled([reading])
      await startReading()
    },
    end,
  }
}

/** Returns true if the ring has not changed and every key of it was unwrapped. */
function isSame({ version, body, byId }: LoadedKeys, { stored }: FetchedRing): boolean {
  const isComplete = [...byId.values()].every(({ key }) => key !== undefined)
  return isComplete && stored.version === version && areBytesEqual(stored.body, body)
}

/** Overwrites keys, except those that `next` has as well. */
function wipe(keys: LoadedKeys, next?: LoadedKeys): void {
  if (next?.ringKey !== keys.ringKey) keys.ringKey.fill(0)
  for (const [id, boxKey] of keys.byId) if (next?.byId.get(id) !== boxKey) boxKey.key?.bytes.fill(0)
}

/** Returns the error of a closed sealer. */
export function closedError(): StorageUnavailableError {
  return new StorageUnavailableError('the sealer is closed')
}
