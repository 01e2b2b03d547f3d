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
 * const sealed = tokens.row(7).seal('sk_live_…')
 * await pool.query('UPDATE integrations SET token = $1 WHERE id = $2', [sealed, 7])
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
import { setNewest } from './base/set-newest.js'
import { maxTimerMs } from './base/with-timeout.js'
import { DecryptionError } from './errors.js'
import { createBox, type LegacyFormat, type SealedBox } from './seal/create-box.js'
import type { Place } from './seal/place.js'
import type { Sealed } from './seal/sealed-text.js'
import { checkRings, createHealthCheck, findOwnRing } from './storage/encrypted/keys/check-keys.js'
import { newestKey, sealRings } from './storage/encrypted/keys/key-ring.js'
import { createKeyStore } from './storage/encrypted/keys/key-store.js'
import { createRingStore } from './storage/encrypted/keys/ring-store.js'
import { addDataKeys, rewrapRing } from './storage/encrypted/keys/rotate.js'
import { countScopes, parseScopes, scopeList } from './storage/encrypted/list-scopes.js'
import { type KeyProvider, keyProvider } from './storage/encrypted/providers/key-provider.js'
import type { RecordStore } from './store.js'

export type { LegacyFormat, SealedBox, SealedColumn, SealedRow } from './seal/create-box.js'
export type { Place, RowPart } from './seal/place.js'
export type { Sealed } from './seal/sealed-text.js'

/** Options of `createSealer`. */
export interface SealerOptions {
  /**
   * Wraps the secrets of key rings, which encrypt the data keys. You can use the same provider as
   * for an encrypted store.
   */
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
   * scope are in memory, nothing is read, unless they were read more than an hour ago, so that a
   * process which was idle learns of keys that others have made. Otherwise the key ring is read or
   * created, and its keys are unwrapped by one call to the key provider.
   *
   * Call it before a transaction begins. If the rings are in the same database, it would otherwise
   * wait for the connection that the transaction holds.
   *
   * Rejects with the store's error, or with
   * - StorageUnavailableError (503) if the key provider fails
   * - DecryptionError (500) that names the KEK if the ring does not open with it. It is tried again
   *   after a second
   * - StorageError (`STORAGE_FAILED`, 500) if the keys were erased, or could still be rolled back,
   *   or if the scope has no keys yet, and the KEK opens none of the rings that exist
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
   * Adds a data key to each scope, and gives its ring a new secret. The new key seals values only after the next rotation, when
   * every process has read it. Until then, the key that the previous rotation added seals values. A
   * scope whose newest key is less than an hour old is skipped, unless `leaked` is set.
   * @returns The number of scopes that got a key. Rejects with a RangeError if a listed scope has
   * no keys. If a scope fails, the others are still processed, and the first error is thrown at the
   * end.
   */
  rotateDataKeys(options?: SealRotationOptions): Promise<number>
  /**
   * Gives each ring a new secret that is wrapped with the provider's current KEK, unless that KEK
   * already wraps the present one. The other KEKs are then no longer needed. Data keys and sealed
   * values do not change.
   * @returns The number of scopes whose secret is new. Rejects like `rotateDataKeys`.
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
   * Reads every ring and opens it, which takes one call to the key provider for each scope. Call it
   * when your service starts, and before you delete a KEK. Once the provider has failed for a KEK,
   * it is not asked for that KEK again.
   * @returns The number of rings that were opened. If it is 0, nothing was proven. Rejects with the
   * store's error, or with a StorageError that names the scopes and KEKs that fail, up to ten. Its
   * code is `STORAGE_UNAVAILABLE` (503) if the provider fails, otherwise `STORAGE_FAILED` (500).
   */
  check(): Promise<number>
  /**
   * Opens one ring with a KEK of the key provider itself, even if its keys are in memory. Call it in
   * the health check of your service. The provider is asked at most once in 10 s, and in between its
   * last answer counts. KEKs that `ofScope` returns are not used, so no tenant can make it fail.
   * Resolves if there is no such ring yet. Rejects like `box`.
   */
  checkHealth(): Promise<void>
  /**
   * Makes all later calls fail with a StorageUnavailableError (503), including those of boxes,
   * waits for the calls in progress, and overwrites the keys. The store and the key provider are not
   * closed.
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
/** How long `box` rejects a ring that does not open without reading it again. */
const minAttemptIntervalMs = 1000

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
  const { keys: provider, maxKeyAgeMs, legacy, now } = sealerOptions.read(options)
  const ringStore = createRingStore(sealRings, rings)
  const keys = createKeyStore(ringStore, provider, maxKeyAgeMs, () => now().getTime())
  const { cache, opener } = keys
  const checkRing = createHealthCheck(keys)
  const boxes = new Map<string, SealedBox>()
  const calls: OpenCalls = { owner: sealRings.owner, count: 0 }

  const findBox = (scope: string): SealedBox => {
    const found = boxes.get(scope) ?? createBox(scope, cache, legacy)
    setNewest(boxes, scope, found, maxBoxes)
    return found
  }
  const rotate = (scope: string, isLeaked: boolean): Promise<boolean> =>
    keys.updateRing(scope, async (ring) => {
      const time = keys.readKeyTime()
      // The clock that made the last key may have been ahead.
      const age = Math.abs(time - newestKey(ring).made)
      if (!isLeaked && age < minRotationIntervalMs) return undefined
      return addDataKeys(opener, scope, ring, isLeaked ? 2 : 1, time)
    })
  const rewrap = (scope: string): Promise<boolean> => rewrapRing(keys, provider, scope)
  const erase = async (scope: string): Promise<boolean> =>
    (await keys.eraseRing(scope, async () => {})) ?? false

  const listScopes = (scopes: Iterable<string> | undefined): AsyncIterable<string> =>
    scopes ? parseScopes(scopes) : ringStore.listScopes()

  const box: Sealer['box'] = async (scope) => {
    scopeKind(scope, 'scope')
    const { isOpen, ageMs, attemptAgeMs, failure } = cache.readingsOf(scope)
    // Two rotations make the values of other processes unknown, and take an hour.
    if (isOpen && ageMs < minRotationIntervalMs) return findBox(scope)
    // Otherwise each of the tenant's requests would read such a ring again.
    if (failure instanceof DecryptionError && attemptAgeMs < minAttemptIntervalMs) throw failure
    try {
      await keys.ensureRing(scope)
    } catch (error) {
      if (!cache.readingsOf(scope).isOpen) throw error
    }
    return findBox(scope)
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
    check: () => checkRings(ringStore, opener),
    async checkHealth() {
      const found = await findOwnRing(ringStore, provider)
      if (found !== undefined) await checkRing(found.scope, found.ring)
    },
  }
  return {
    ...countEach(calls, methods),
    ...toClosable(() => closeCalls(calls).then(keys.wipe)),
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
