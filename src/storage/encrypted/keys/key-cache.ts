/**
 * The keys of all scopes that this process has in memory, for encrypted stores and sealers. No
 * other module keeps unwrapped keys. Keys leave memory as soon as they were dropped and no
 * operation uses them. They are dropped when they are forgotten, are erased, are replaced by newer
 * ones or reach their maximum age, when 4,096 other scopes have been used since, and when the store
 * is closed.
 */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { yieldToEventLoop } from '../../../base/pacer.js'
import { setNewest } from '../../../base/set-newest.js'
import { DecryptionError, StorageError, StorageUnavailableError } from '../../../errors.js'
import type { StoredRecord } from '../../../store.js'
import { type Clock, type Instant, longAgo } from './clock.js'
import {
  decodeRing,
  erasedKeysError,
  isErased,
  type KeyRing,
  maxRingBytes,
  missingKeysError,
  type RingContent,
} from './key-ring.js'
import { authenticateRing, verifyRing } from './key-ring-mac.js'
import {
  droppedKeysError,
  type MaybePromise,
  type OpenedKeys,
  type OpenedRing,
  toOpenedKeys,
  type UnwrappedKey,
  wipeOpened,
} from './opened-keys.js'
import type { RingOpener } from './ring-opener.js'
import { createRingReader, type FetchedRing, sha256 } from './ring-reader.js'
import type { RingStore } from './ring-store.js'

/**
 * How long it may take until this process sees another process's change of a ring, in milliseconds.
 */
const maxRingAgeMs = 60_000
/** The shortest time between two reads in the background. */
const minReadingIntervalMs = 1000
/** How long a rejected ring is remembered, in milliseconds. */
const maxRejectionAgeMs = 5_000
/** The maximum number of scopes. The least recently used one is dropped first. */
const maxScopes = 4096

/** A ring that was verified, and its keys, which may have been dropped since. */
export interface OpenRing extends KeyRing {
  /** The bytes of the record. */
  readonly body: Uint8Array
  readonly opened: HeldKeys
}

/** Keys in memory. Only the cache changes them. */
interface HeldKeys extends OpenedKeys {
  /** When the provider was last asked for them. */
  askedAt: Instant
  /** True if a call has used a key since then. */
  isUsed: boolean
  /** The number of operations that use the keys. */
  users: number
  /** True if the keys are overwritten as soon as no operation uses them. */
  isDropped: boolean
  isWiped: boolean
}

/** A ring that is about to be stored over another one, or as the first one of its scope. */
export interface RingChange {
  readonly content: RingContent
  /** The bytes of its keys, if they are other keys than before. */
  readonly material?: Uint8Array
}

/** A ring that was stored by this process, with the bytes of its keys. */
export interface StoredRing {
  readonly ring: KeyRing & { readonly body: Uint8Array }
  readonly opened: OpenedRing
}

/** A scope whose ring is being changed. */
interface Visit {
  /** Reads the ring now. Returns undefined if it does not exist. */
  read(): Promise<OpenRing | undefined>
  /**
   * Stores a ring over this one. If its keys are new, they are used from now on, and the provider
   * is not asked for them.
   * @returns false if another process has changed the ring.
   */
  replace(ring: OpenRing, change: RingChange): Promise<boolean>
}

/**
 * The keys of all scopes in memory. Methods that read a ring reject with
 * - the error of the store, unchanged
 * - a StorageError (`STORAGE_UNAVAILABLE`, 503) if the provider fails, or if the keys are closed
 * - a DecryptionError if the ring is not authentic
 * - a StorageError (`STORAGE_FAILED`, 500) if the ring was deleted or erased, is older than one
 *   that this process has verified, or can still be rolled back
 */
export interface KeyCache {
  /** Returns the ring if it is open and was read in the last minute. Reads nothing. */
  peek(scope: string): OpenRing | undefined
  /**
   * Returns the ring, at most a minute old, or undefined if it does not exist. Calls share a read.
   */
  find(scope: string): MaybePromise<OpenRing | undefined>
  /** Reads the ring now. Returns undefined if it does not exist. */
  read(scope: string): Promise<OpenRing | undefined>
  /** Returns the ring, at most a minute old. If there is none, keeps the one that `create` stores. */
  ensure(scope: string, create: () => Promise<StoredRing | undefined>): MaybePromise<OpenRing>
  /**
   * Returns the newest ring that is open, however old it is. If it was read more than a minute ago,
   * reads it again in the background. A new ring replaces it only when it is open.
   * @throws StorageUnavailableError (503) if the keys are not in memory, or the cache is closed.
   * @throws StorageError (500) if they were erased, or could not be opened.
   */
  newest(scope: string): OpenRing
  /** Reads the ring in the background, at most once a second. */
  readInBackground(scope: string): void
  /** Returns how the scope was read so far. */
  readingsOf(scope: string): Readings
  /**
   * Returns a key of the ring, or undefined if the ring does not have it.
   * @throws StorageUnavailableError (503) if the keys were overwritten since the ring was returned.
   */
  keyOf(ring: OpenRing, keyId: number): UnwrappedKey | undefined
  /** Returns the result of `work`, and keeps the keys of the ring from being overwritten until then. */
  use<Result>(ring: OpenRing, work: () => Promise<Result>): Promise<Result>
  /**
   * Changes the ring of a scope. If its keys were not in memory, they are dropped afterwards, so
   * that maintenance of many scopes pushes out no others.
   */
  visit<Result>(scope: string, work: (visit: Visit) => Promise<Result>): Promise<Result>
  /**
   * Reads from the store, even if the ring is in memory, whether the keys of the scope were erased.
   * If so, drops them.
   * @throws StorageError (`STORAGE_FAILED`) if they were erased.
   */
  assertNotErased(scope: string): Promise<void>
  /**
   * Drops the keys, because they were erased. This process never uses the scope again, even if its
   * ring comes back from a backup.
   */
  markErased(scope: string): void
  /** Drops the keys of the scope, and forgets that its ring was rejected. */
  drop(scope: string): void
  /** Does that for every scope. */
  dropAll(): void
  /** Drops and overwrites everything immediately. After that, no ring can be read. */
  close(): void
}

/** How the ring of a scope was read. */
interface Readings {
  /** True if its keys are in memory. */
  readonly isOpen: boolean
  /** How many reads have begun. */
  readonly begun: number
  /** The number of the last one that has succeeded, or 0. */
  readonly succeeded: number
  /** The milliseconds since that one has begun, or Infinity. */
  readonly ageMs: number
  /** Why the last read has failed, if so. */
  readonly failure: unknown
  /** The milliseconds since the last read has begun, or Infinity. */
  readonly attemptAgeMs: number
}

/** A timer that does not keep a process alive. */
type Timer = ReturnType<typeof setTimeout>

/** What this process knows of one scope. */
interface Entry {
  readonly scope: string
  /** The newest ring that is open. */
  ring: OpenRing | undefined
  /** The read that began last, until it has settled. */
  reading: Promise<OpenRing | undefined> | undefined
  /** The creation of the ring, until it has settled. */
  creating: Promise<OpenRing> | undefined
  begun: number
  succeeded: number
  /** When the last successful read began, and the last one of all. */
  readAt: Instant
  triedAt: Instant
  /** True if the next call must read the ring, because the last read has failed. */
  mustRead: boolean
  failure: unknown
  /** The record that was rejected last. Its bytes are not opened again for 5 s. */
  rejection: Rejection | undefined
  /** When the provider was last asked to renew the keys. */
  renewedAt: Instant
  isRenewing: boolean
  /** True if nothing may be kept here any more. The next call makes a new entry. */
  isDropped: boolean
  /** Drops the keys when they reach their maximum age. */
  dropTimer: Timer | undefined
  /** Renews the keys before that. */
  renewTimer: Timer | undefined
}

interface Rejection {
  readonly version: number
  /** SHA-256 of the body. */
  readonly digest: Uint8Array
  readonly at: Instant
  readonly error: DecryptionError
}

/**
 * Creates the keys in memory. After half of `maxKeyAgeMs`, the keys of a scope are renewed, which
 * is retried after every twentieth of it until that succeeds. The old keys are used meanwhile. A
 * timer begins that, or the next use, because timers are late after the machine was suspended. Keys
 * that no call has used since the last renewal are not renewed.
 * @param maxKeyAgeMs The age at which keys are dropped, or Infinity.
 */
export function createKeyCache(
  rings: RingStore,
  opener: RingOpener,
  clock: Clock,
  maxKeyAgeMs: number,
): KeyCache {
  /** All entries that are not dropped, the least recently used one first. */
  const entries = new Map<string, Entry>()
  const reader = createRingReader(rings)
  let isClosed = false

  const closedError = (): StorageUnavailableError =>
    new StorageUnavailableError(`${rings.use.owner} is closed`)

  const hasMaxAge = maxKeyAgeMs !== Number.POSITIVE_INFINITY
  const isExpired = ({ ring }: Pick<Entry, 'ring'>): boolean =>
    hasMaxAge && ring !== undefined && clock.ageOf(ring.opened.askedAt) >= maxKeyAgeMs

  /** Returns an entry that is not dropped. Drops it if its keys are too old. */
  const findEntry = (scope: string): Entry | undefined => {
    const entry = entries.get(scope)
    if (entry !== undefined && isExpired(entry)) drop(entry)
    return entry?.isDropped ? undefined : entry
  }
  const findOrAddEntry = (scope: string): Entry => {
    const found = findEntry(scope)
    if (found !== undefined) return found
    const entry = createEntry(scope)
    entries.set(scope, entry)
    return entry
  }
  /** Makes an entry the most recently used one. */
  const touch = (entry: Entry): void => {
    if (entries.get(entry.scope) !== entry) return
    const leastRecentlyUsed = setNewest(entries, entry.scope, entry, maxScopes)
    if (leastRecentlyUsed !== undefined) drop(leastRecentlyUsed)
  }

  const peek: KeyCache['peek'] = (scope) => {
    const entry = findEntry(scope)
    if (entry?.ring === undefined) return undefined
    renewIfDue(entry)
    if (entry.mustRead || clock.ageOf(entry.readAt) >= maxRingAgeMs) return undefined
    touch(entry)
    return entry.ring
  }
  const read: KeyCache['read'] = (scope) =>
    isClosed ? Promise.reject(closedError()) : readEntry(findOrAddEntry(scope))

  const readEntry = (entry: Entry): Promise<OpenRing | undefined> => {
    const reading = readInto(entry).finally(() => {
      if (entry.reading === reading) entry.reading = undefined
      dropIfEmpty(entry)
    })
    entry.reading = reading
    return reading
  }
  const readSoon = (entry: Entry): void => {
    if (entry.reading === undefined && clock.ageOf(entry.triedAt) >= minReadingIntervalMs)
      readEntry(entry).catch(() => {})
  }
  /** Drops the entry of a scope without a ring, so that such scopes push out no others. */
  const dropIfEmpty = (entry: Entry): void => {
    const { ring, reading, creating, failure } = entry
    if ([ring, reading, creating, failure].every((part) => part === undefined)) drop(entry)
  }
  const readInto = async (entry: Entry): Promise<OpenRing | undefined> => {
    const number = ++entry.begun
    const at = clock.read()
    entry.triedAt = at
    try {
      const ring = await load(entry, false)
      succeed(entry, number, at)
      return ring
    } catch (error) {
      entry.mustRead = true
      entry.failure = error
      touch(entry)
      throw error
    }
  }
  const succeed = (entry: Entry, number: number, at: Instant): void => {
    entry.mustRead = false
    entry.failure = undefined
    if (number < entry.succeeded) return
    entry.succeeded = number
    entry.readAt = at
  }

  /**
   * Reads the ring, and opens it if its keys are not in memory, or if `mustAsk` is set. The keys in
   * memory are not overwritten meanwhile, so that nothing is verified with a key of zeros.
   */
  const load = async (entry: Entry, mustAsk: boolean): Promise<OpenRing | undefined> => {
    const { ring: known } = entry
    const askedAt = clock.read()
    const loading = () => loadOver(entry, known, mustAsk, askedAt)
    return known === undefined ? loading() : use(known, loading)
  }
  const loadOver = async (
    entry: Entry,
    known: OpenRing | undefined,
    mustAsk: boolean,
    askedAt: Instant,
  ): Promise<OpenRing | undefined> => {
    const fetched = await reader.fetch(entry.scope)
    if (fetched === undefined) return undefined
    const { version, body } = fetched.stored
    const { ring: current } = entry
    const isSame = current?.version === version && areBytesEqual(current.body, body)
    if (isSame && !mustAsk) return current
    // Check this before remembering anything of the ring, because after a rollback the ring never
    // existed.
    await rings.assertCommitted()
    await assertNotRejected(entry, fetched.stored)
    try {
      return await openOver(entry, known, fetched, mustAsk, askedAt)
    } catch (error) {
      if (error instanceof DecryptionError) await reject(entry, fetched.stored, error)
      throw error
    }
  }
  const openOver = async (
    entry: Entry,
    known: OpenRing | undefined,
    fetched: FetchedRing,
    mustAsk: boolean,
    askedAt: Instant,
  ): Promise<OpenRing> => {
    const { scope } = entry
    const { stored } = fetched
    const ring = { ...decodeRing(stored, rings.use), body: stored.body }
    if (ring.keys.length === 0) {
      if (known && (await isAuthentic(known.opened.ringKey, scope, ring))) reader.markErased(scope)
      releaseKeys(entry)
      throw erasedKeysError(rings.use, scope)
    }
    if (known !== undefined) {
      await verifyRing(known.opened.ringKey, scope, ring)
      await reader.remember(scope, ring, known.opened.ringKey, fetched)
      // The keys may have been dropped or replaced meanwhile.
      const { ring: current } = entry
      if (!mustAsk && current !== undefined && hasSameKeys(current, ring))
        return keep(entry, ring, current.opened)
    }
    const opened = await opener.open(scope, ring)
    try {
      await reader.remember(scope, ring, opened.ringKey, fetched)
    } catch (error) {
      wipeOpened(opened)
      throw error
    }
    return keepOpened(entry, ring, opened, askedAt)
  }

  /** Keeps keys that have just been opened. */
  const keepOpened = (
    entry: Entry,
    ring: StoredRing['ring'],
    opened: OpenedRing,
    askedAt: Instant,
  ): OpenRing => {
    if (isClosed) {
      wipeOpened(opened)
      throw closedError()
    }
    const { ring: current } = entry
    if (current !== undefined && hasSameKeys(current, ring) && !entry.isDropped) {
      wipeOpened(opened)
      if (clock.ageOf(askedAt) < clock.ageOf(current.opened.askedAt)) {
        current.opened.askedAt = askedAt
        current.opened.isUsed = false
      }
      return keep(entry, ring, current.opened)
    }
    const held = { askedAt, isUsed: false, users: 0, isDropped: false, isWiped: false }
    return keep(entry, ring, { ...toOpenedKeys(ring, opened), ...held })
  }
  /** Keeps a ring, unless a newer one is in memory. */
  const keep = (entry: Entry, ring: StoredRing['ring'], opened: HeldKeys): OpenRing => {
    const next = { ...ring, opened }
    const { ring: current } = entry
    const isNewest = !entry.isDropped && ring.version >= (current?.version ?? 0)
    const replaced = isNewest ? current?.opened : opened
    if (isNewest) {
      entry.ring = next
      entry.rejection = undefined
      touch(entry)
      startAging(entry, opened)
    }
    if (replaced !== undefined && replaced !== entry.ring?.opened) release(replaced)
    return next
  }
  /** Keeps a ring that this process has stored. */
  const adopt = async (
    entry: Entry,
    { ring, opened }: StoredRing,
    askedAt: Instant,
  ): Promise<OpenRing> => {
    try {
      await reader.remember(entry.scope, ring, opened.ringKey)
    } catch (error) {
      wipeOpened(opened)
      throw error
    }
    succeed(entry, ++entry.begun, clock.read())
    return keepOpened(entry, ring, opened, askedAt)
  }

  const createInto = async (
    entry: Entry,
    create: () => Promise<StoredRing | undefined>,
  ): Promise<OpenRing> => {
    const found = await (entry.reading ?? readEntry(entry))
    if (found !== undefined) return found
    const askedAt = clock.read()
    const stored = await create()
    if (stored !== undefined) return adopt(entry, stored, askedAt)
    const others = await readEntry(entry)
    if (others === undefined) throw missingKeysError(rings.use, entry.scope)
    return others
  }

  const startAging = (entry: Entry, { askedAt }: HeldKeys): void => {
    if (!hasMaxAge) return
    const age = clock.ageOf(askedAt)
    clearTimeout(entry.dropTimer)
    clearTimeout(entry.renewTimer)
    entry.dropTimer = startTimer(() => drop(entry), maxKeyAgeMs - age)
    entry.renewTimer = startTimer(() => onRenewTimer(entry), maxKeyAgeMs / 2 - age)
  }
  const onRenewTimer = (entry: Entry): void => {
    entry.renewTimer = startTimer(() => onRenewTimer(entry), maxKeyAgeMs / 20)
    if (entry.ring?.opened.isUsed) renewIfDue(entry)
  }
  /** Opens the ring again after half of the age of its keys. */
  const renewIfDue = (entry: Entry): void => {
    const { ring } = entry
    if (!hasMaxAge || ring === undefined || entry.isRenewing) return
    if (clock.ageOf(ring.opened.askedAt) < maxKeyAgeMs / 2) return
    if (clock.ageOf(entry.renewedAt) < maxKeyAgeMs / 20) return
    entry.isRenewing = true
    entry.renewedAt = clock.read()
    const number = ++entry.begun
    load(entry, true)
      .then(
        () => succeed(entry, number, entry.renewedAt),
        () => {},
      )
      .finally(() => {
        entry.isRenewing = false
      })
  }

  const assertNotRejected = async (
    entry: Entry,
    { version, body }: StoredRecord,
  ): Promise<void> => {
    if (body.length > maxRingBytes) throw undecryptableError()
    const { rejection } = entry
    if (rejection?.version !== version || clock.ageOf(rejection.at) >= maxRejectionAgeMs) return
    if (areBytesEqual(rejection.digest, await sha256(body))) throw rejection.error
  }
  const reject = async (
    entry: Entry,
    { version, body }: StoredRecord,
    error: DecryptionError,
  ): Promise<void> => {
    entry.rejection = { version, digest: await sha256(body), at: clock.read(), error }
  }

  const use: KeyCache['use'] = async ({ opened }, work) => {
    opened.users++
    try {
      return await work()
    } finally {
      opened.users--
      if (opened.isDropped) void wipeUnlessUsed(opened)
    }
  }
  /** Overwrites keys. If an operation uses them, that operation does it later. */
  const release = (opened: HeldKeys): void => {
    opened.isDropped = true
    void wipeUnlessUsed(opened)
  }
  const releaseKeys = (entry: Entry): void => {
    const { ring } = entry
    entry.ring = undefined
    clearTimeout(entry.dropTimer)
    clearTimeout(entry.renewTimer)
    if (ring !== undefined) release(ring.opened)
  }
  const drop = (entry: Entry): void => {
    entry.isDropped = true
    if (entries.get(entry.scope) === entry) entries.delete(entry.scope)
    releaseKeys(entry)
  }
  const dropScope = (scope: string): void => {
    const entry = entries.get(scope)
    if (entry !== undefined) drop(entry)
  }

  const visit: KeyCache['visit'] = async (scope, work) => {
    if (isClosed) throw closedError()
    const known = findEntry(scope)
    const entry = known ?? createEntry(scope)
    const replace: Visit['replace'] = async (ring, { content, material }) => {
      const { opened } = ring
      if (entry.isDropped || isExpired({ ring })) throw droppedKeysError()
      // A newer ring has replaced it, so storing over it would fail.
      if (opened.isDropped) return false
      const next = await authenticateRing(opened.ringKey, scope, ring.version + 1, content)
      if (!(await rings.put(scope, { body: next.body }, ring.version))) return false
      await rings.assertCommitted()
      const ringKey = new Uint8Array(opened.ringKey)
      // The provider was not asked whether it still unwraps, so the keys become no younger.
      const bytes = new Uint8Array(material ?? opened.material)
      await adopt(entry, { ring: next, opened: { ringKey, material: bytes } }, opened.askedAt)
      return true
    }
    try {
      return await work({ read: () => readEntry(entry), replace })
    } finally {
      if (known === undefined) drop(entry)
    }
  }

  return {
    peek,
    find: (scope) => peek(scope) ?? findEntry(scope)?.reading ?? read(scope),
    read,
    ensure(scope, create) {
      const known = peek(scope)
      if (known !== undefined) return known
      if (isClosed) return Promise.reject(closedError())
      const entry = findOrAddEntry(scope)
      entry.creating ??= createInto(entry, create).finally(() => {
        entry.creating = undefined
        dropIfEmpty(entry)
      })
      return entry.creating
    },
    newest(scope) {
      if (isClosed) throw closedError()
      if (reader.isErased(scope)) throw erasedKeysError(rings.use, scope)
      const entry = findOrAddEntry(scope)
      const { ring, failure } = entry
      if (ring === undefined || clock.ageOf(entry.readAt) >= maxRingAgeMs) readSoon(entry)
      if (ring === undefined) throw isLasting(failure) ? failure : notInMemoryError()
      touch(entry)
      renewIfDue(entry)
      return ring
    },
    readInBackground: (scope) => readSoon(findOrAddEntry(scope)),
    readingsOf(scope) {
      const { ring, begun, succeeded, failure, ...times } = findEntry(scope) ?? createEntry(scope)
      const [ageMs, attemptAgeMs] = [clock.ageOf(times.readAt), clock.ageOf(times.triedAt)]
      return { isOpen: ring !== undefined, begun, succeeded, failure, ageMs, attemptAgeMs }
    },
    keyOf({ opened }, keyId) {
      if (opened.isWiped) throw droppedKeysError()
      opened.isUsed = true
      return opened.byId.get(keyId)
    },
    use,
    visit,
    async assertNotErased(scope) {
      const fetched = await reader.fetch(scope)
      if (fetched === undefined || !isErased(fetched.stored, rings.use)) return
      dropScope(scope)
      throw erasedKeysError(rings.use, scope)
    },
    markErased(scope) {
      reader.markErased(scope)
      dropScope(scope)
    },
    drop: dropScope,
    dropAll() {
      for (const entry of entries.values()) drop(entry)
    },
    close() {
      isClosed = true
      for (const entry of entries.values()) {
        const { ring } = entry
        drop(entry)
        if (ring !== undefined) wipe(ring.opened)
      }
    },
  }
}

function createEntry(scope: string): Entry {
  return {
    scope,
    ring: undefined,
    reading: undefined,
    creating: undefined,
    begun: 0,
    succeeded: 0,
    readAt: longAgo,
    triedAt: longAgo,
    mustRead: false,
    failure: undefined,
    rejection: undefined,
    renewedAt: longAgo,
    isRenewing: false,
    isDropped: false,
    dropTimer: undefined,
    renewTimer: undefined,
  }
}

/** Returns true if the keys of two rings of a scope are the same. */
function hasSameKeys(one: KeyRing, other: KeyRing): boolean {
  return one.secret === other.secret && one.sealed === other.sealed
}

async function isAuthentic(ringKey: Uint8Array, scope: string, ring: KeyRing): Promise<boolean> {
  return verifyRing(ringKey, scope, ring).then(
    () => true,
    () => false,
  )
}

async function wipeUnlessUsed(opened: HeldKeys): Promise<void> {
  // A call may use a key that it just got until the turn of the event loop ends.
  await yieldToEventLoop()
  if (opened.users === 0) wipe(opened)
}

function wipe(opened: HeldKeys): void {
  opened.isWiped = true
  opened.wipe()
}

/** Starts a timer that does not keep the process alive, if the runtime has such timers. */
function startTimer(onTimer: () => void, ms: number): Timer {
  const timer = setTimeout(onTimer, Math.max(ms, 0))
  if (typeof timer === 'object') timer.unref?.()
  return timer
}

/** Returns true for an error that lasts until the ring changes. */
function isLasting(error: unknown): error is StorageError {
  return error instanceof StorageError && error.code !== 'STORAGE_UNAVAILABLE'
}

function notInMemoryError(): StorageUnavailableError {
  return new StorageUnavailableError('the keys of the scope are not in memory: get its box again')
}
