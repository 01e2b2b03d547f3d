/**
 * Seals values in your own tables: encrypts each value with its tenant's key, and binds it to its
 * row. You need no vault for this.
 *
 * @example
 * ```ts
 * import { createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
 * import { createPostgresStore } from 'cofferkit/postgres'
 * import { createSealer } from 'cofferkit/seal'
 *
 * const keys = createLocalKeyProvider({ key: await readKeyFile('app.key') })
 * const sealer = createSealer(createPostgresStore(pool).records, { keys })
 *
 * const tokens = (await sealer.box(tenantId)).column('integrations', 'token')
 * await pool.query('UPDATE integrations SET token = $1 WHERE id = $2', [tokens.row(id).seal(token), id])
 * ```
 * @module cofferkit/seal
 */

import {
  anyFunction,
  anyStore,
  clock,
  flag,
  like,
  list,
  number,
  readArgument,
  text,
} from './base/argument.js'
import { type Closable, toClosable } from './base/closable.js'
import { hintOf as toHint } from './base/hint.js'
import { closeCalls, countEach, type OpenCalls } from './base/open-calls.js'
import { defineOptions, type OptionKinds, optional } from './base/options.js'
import { redactError } from './base/redact-error.js'
import { setNewest } from './base/set-newest.js'
import { maxTimerMs } from './base/with-timeout.js'
import { StorageError, StorageUnavailableError } from './errors.js'
import { type BoxKeys, closedError, createBoxKeys } from './seal/box-keys.js'
import { createClock } from './seal/clock.js'
import { createBox, type LegacyFormat, type SealedBox } from './seal/create-box.js'
import type { Place } from './seal/place.js'
import { toSealProvider } from './seal/seal-provider.js'
import type { Sealed } from './seal/sealed-text.js'
import {
  decodeRing,
  erasedKeysError,
  newestKey,
  sealRings,
  type WrappedKey,
} from './storage/encrypted/keys/key-ring.js'
import { createKeyStore } from './storage/encrypted/keys/key-store.js'
import { createRingReader } from './storage/encrypted/keys/ring-reader.js'
import { createRingStore, listRings } from './storage/encrypted/keys/ring-store.js'
import { addDataKeys, rewrapDataKeys } from './storage/encrypted/keys/rotate.js'
import { unwrapKey } from './storage/encrypted/keys/wrap-key.js'
import { countScopes, parseScopes, scopeList } from './storage/encrypted/list-scopes.js'
import {
  findProvider,
  type KeyProvider,
  keyProvider,
} from './storage/encrypted/providers/key-provider.js'
import type { ListedRecord, RecordStore } from './store.js'

export type { LegacyFormat, SealedBox, SealedColumn, SealedRow } from './seal/create-box.js'
export type { Place, RowPart } from './seal/place.js'
export type { Sealed } from './seal/sealed-text.js'

/** Options of `createSealer`. */
export interface SealerOptions {
  /** Wraps the data keys. You can use the same provider as for an encrypted store. */
  readonly keys: KeyProvider
  /**
   * How long an unwrapped key may be used, in milliseconds, 1,000 to 2,147,483,647. After half that
   * time, a key in use is renewed in the background. By default keys are kept until the process
   * ends.
   */
  readonly maxKeyAgeMs?: number | undefined
  /** Formats of values that you encrypted before. `open` reads them as well. Default: none. */
  readonly legacy?: readonly LegacyFormat[] | undefined
  /** The clock for the age of keys and the hour between two rotations. Default: the system's. */
  readonly now?: (() => Date) | undefined
}

const sealerOptions = defineOptions({
  keys: keyProvider,
  maxKeyAgeMs: optional(number({ min: 1000, max: maxTimerMs }), Number.POSITIVE_INFINITY),
  legacy: optional(
    list<LegacyFormat, LegacyFormat>('a list', like({ matches: anyFunction, open: anyFunction })),
    [],
  ),
  now: optional(clock, () => new Date()),
} satisfies OptionKinds<SealerOptions>)

/** Options that select scopes. */
export interface SealScopeOptions {
  /** The scopes, which must have keys. Default: all. */
  readonly scopes?: Iterable<string> | undefined
}

const scopeOptions = defineOptions({
  scopes: optional(scopeList),
} satisfies OptionKinds<SealScopeOptions>)

/** Options of `rotateDataKeys`. */
export interface SealRotationOptions extends SealScopeOptions {
  /**
   * Set this to true if a data key has leaked. Each process stops sealing with the current keys as
   * soon as it has read the ring again. Until then, its boxes reject with 503 what other processes
   * have sealed since. Default: false.
   */
  readonly leaked?: boolean | undefined
}

const rotationOptions = defineOptions({
  ...scopeOptions.kinds,
  leaked: optional(flag(), false),
} satisfies OptionKinds<SealRotationOptions>)

/** Options of `eraseKeys`. */
export interface SealEraseOptions {
  /** The scopes whose keys are erased. */
  readonly scopes: Iterable<string>
}

const eraseOptions = defineOptions({ scopes: scopeList } satisfies OptionKinds<SealEraseOptions>)

/** Seals values for columns. Each scope has its own keys. */
export interface Sealer extends Closable {
  /**
   * Returns the box of a scope, such as a tenant's id. Call it for each request. If the keys of the
   * scope are in memory, nothing is read. Otherwise the key ring is read or created, and its keys
   * are unwrapped.
   *
   * Call it before a transaction begins. If the rings are in the same database, it would otherwise
   * wait for the connection that the transaction holds.
   *
   * Rejects with the store's error, or with
   * - StorageUnavailableError (503) if the key provider fails
   * - DecryptionError (500) if the ring is not authentic, or its current key cannot be unwrapped.
   *   It is tried again after a second
   * - StorageError (`STORAGE_FAILED`, 500) if the keys were erased, or could still be rolled back
   * @param scope 1 to 128 printable ASCII characters.
   */
  box(scope: string): Promise<SealedBox>
  /**
   * Opens a value and seals it again.
   * @returns The new string to store, or undefined if the value is already sealed with the current
   * key. Write it only if the column still has the old string: `WHERE id = $id AND token = $old`.
   */
  reseal(scope: string, place: Place, sealed: string): Promise<Sealed | undefined>
  /**
   * Adds a data key to each scope. The new key seals values only after the next rotation, when
   * every process has read it. Until then, the key that the previous rotation added seals values. A
   * scope whose newest key is less than an hour old is skipped, unless `leaked` is set.
   * @returns The number of scopes that got a key. Rejects with a RangeError if a listed scope has
   * no keys. If a scope fails, the others are still processed, and the first error is thrown at the
   * end.
   */
  rotateDataKeys(options?: SealRotationOptions): Promise<number>
  /**
   * Wraps every data key with the provider's current KEK, unless it already is. The other KEKs are
   * then no longer needed. Sealed values do not change.
   * @returns The number of scopes with a key that was wrapped again. Rejects like `rotateDataKeys`.
   */
  rewrapKeys(options?: SealScopeOptions): Promise<number>
  /**
   * Erases the keys of scopes permanently. Sealed values of these scopes can never be opened again,
   * except with a backup of the rings. The scopes cannot be used again. Other processes stop using
   * the keys within a minute after their next use of the scope.
   * @returns The number of scopes whose keys were erased by this call. If a scope fails, the others
   * are still processed, and the first error is thrown at the end.
   */
  eraseKeys(options: SealEraseOptions): Promise<number>
  /**
   * Reads every ring, and unwraps one key with each KEK that is in use. Call it when your service
   * starts, and in its health check. Rejects with the store's error, or with a StorageError that
   * names the first KEK that fails. Its code is `STORAGE_UNAVAILABLE` (503) if the provider fails,
   * otherwise `STORAGE_FAILED` (500).
   */
  check(): Promise<void>
  /**
   * Makes all later calls fail with a StorageUnavailableError (503), including those of boxes,
   * waits for the calls in progress, and overwrites the keys. If you kept a box while 4,096 other
   * scopes were requested, its keys are overwritten at its next use. The store and the key provider
   * are not closed.
   */
  close(): Promise<void>
}

const scopeKind = text('1 to 128 printable ASCII characters', /^[\x20-\x7e]{1,128}$/)

/**
 * The maximum number of scopes whose boxes are kept. The least recently requested scope is dropped
 * first.
 */
const maxBoxes = 4096
/** The shortest time between two rotations of a scope. */
const minRotationIntervalMs = 3_600_000

interface KnownBox {
  readonly keys: BoxKeys
  readonly box: SealedBox
}

/**
 * Creates a sealer. `rings` can be the records of any store. The sealer uses their collection
 * `seal`.
 * @throws TypeError if `rings` is not a record store, or an option has the wrong type.
 * @throws RangeError if `maxKeyAgeMs` is out of range, or `keys.kekIds` does not include
 * `keys.currentKekId`.
 * @example
 * ```ts
 * import { createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
 * import { createSealer } from 'cofferkit/seal'
 *
 * const keys = createLocalKeyProvider({ key: await readKeyFile('seal.key') })
 * const sealer = createSealer(store.records, { keys })
 * const box = await sealer.box('tenant-1')
 * const sealed = box.seal(['users', 'token', 7], 'sk_live_…')
 * console.log(box.open(['users', 'token', 7], sealed)) // sk_live_…
 * ```
 */
export function createSealer(rings: RecordStore, options: SealerOptions): Sealer {
  readArgument(like(anyStore.records), { rings, options })
  const { keys, maxKeyAgeMs, legacy, now } = sealerOptions.read(options)
  const provider = toSealProvider(keys)
  const ringStore = createRingStore(rings, rings, sealRings)
  const keyStore = createKeyStore(ringStore, provider, undefined, () => now().getTime())
  const reader = createRingReader(ringStore, provider)
  const context = {
    ...{ reader, provider, maxKeyAgeMs, clock: createClock(now) },
    assertCommitted: ringStore.assertCommitted,
    isClosed: () => calls.closing !== undefined,
    async createRing(scope: string) {
      await keyStore.ensureRing(scope)
      keyStore.forget(scope)
    },
  }
  const boxes = new Map<string, KnownBox>()
  const calls: OpenCalls = { owner: 'the sealer', count: 0 }

  const findBox = (scope: string): KnownBox => {
    let found = boxes.get(scope)
    if (found === undefined) {
      const boxKeys = createBoxKeys(scope, context)
      found = { keys: boxKeys, box: createBox(scope, boxKeys, legacy) }
    }
    setNewest(boxes, scope, found, maxBoxes)
    return found
  }
  const rotate = async (scope: string, isLeaked: boolean): Promise<boolean> => {
    const isRotated = await keyStore
      .updateRing(scope, async (ring) => {
        const time = keyStore.readClock()
        // The clock that made the last key may have been ahead.
        const age = Math.abs(time - newestKey(ring).made)
        if (!isLeaked && age < minRotationIntervalMs) return undefined
        return addDataKeys(provider, scope, ring, isLeaked ? 2 : 1, time)
      })
      .finally(() => keyStore.forget(scope))
    // The keys have been rotated, even if this process cannot read them now.
    if (isRotated)
      await boxes
        .get(scope)
        ?.keys.read()
        .catch(() => {})
    return isRotated
  }
  const rewrap = (scope: string): Promise<boolean> =>
    rewrapDataKeys(keyStore, provider, scope).finally(() => keyStore.forget(scope))
  const erase = async (scope: string): Promise<boolean> => {
    const hadKeys = await keyStore.eraseRing(scope, async () => {})
    if (hadKeys === undefined) return false
    reader.markErased(scope)
    boxes.get(scope)?.keys.end(erasedKeysError(sealRings, scope))
    return hadKeys
  }
  const checkRing = async ({ id: scope, ...record }: ListedRecord, checked: Set<string>) => {
    const own = await findProvider(provider, scope)
    for (const key of decodeRing(record, sealRings).keys) {
      if (checked.has(key.kekId)) continue
      const material = await unwrapKey(own, scope, key).catch((error: unknown) => {
        throw toCheckError(scope, key, error)
      })
      material.fill(0)
      checked.add(key.kekId)
    }
  }

  const listScopes = (scopes: Iterable<string> | undefined): AsyncIterable<string> =>
    scopes ? parseScopes(scopes) : ringStore.listScopes()

  const box: Sealer['box'] = async (scope) => {
    scopeKind(scope, 'scope')
    const found = findBox(scope)
    await found.keys.load()
    return found.box
  }
  const methods = {
    box,
    async reseal(scope: string, place: Place, sealed: string) {
      const own = await box(scope)
      return own.isCurrent(sealed) ? undefined : own.seal(place, own.open(place, sealed))
    },
    async rotateDataKeys(options: SealRotationOptions = {}) {
      const { scopes, leaked } = rotationOptions.read(options)
      return countScopes(listScopes(scopes), (scope) => rotate(scope, leaked))
    },
    async rewrapKeys(options: SealScopeOptions = {}) {
      return countScopes(listScopes(scopeOptions.read(options).scopes), rewrap)
    },
    async eraseKeys(options: SealEraseOptions) {
      return countScopes(parseScopes(eraseOptions.read(options).scopes), erase)
    },
    async check() {
      const checked = new Set<string>()
      for await (const record of listRings(rings, sealRings)) await checkRing(record, checked)
    },
  }
  return {
    ...countEach(calls, methods),
    ...toClosable(async () => {
      await closeCalls(calls)
      for (const known of boxes.values()) known.keys.end(closedError())
      keyStore.wipe()
    }),
  }
}

/**
 * Returns a hint of a value: its last four characters, as in `…WXYZ`. Store or show it beside the
 * sealed value.
 * @returns Undefined if the value has fewer than 16 characters, or if one of the four is neither a
 * letter nor a digit.
 * @throws TypeError if `value` is not a string.
 */
export function hintOf(value: string): string | undefined {
  return toHint(text()(value, 'value'))
}

function toCheckError(scope: string, { kekId }: WrappedKey, cause: unknown): StorageError {
  const shown = kekId.slice(0, 200).replace(/[^\x20-\x7e]/g, '?')
  const message = `the KEK ${shown} does not unwrap the keys of the scope ${scope}`
  return cause instanceof StorageUnavailableError
    ? new StorageUnavailableError(message, { cause })
    : new StorageError(message, { cause: redactError(cause) })
}
