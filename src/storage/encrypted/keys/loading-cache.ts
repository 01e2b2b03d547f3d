/** Rings that were read, for as long as they may be believed. */

import type { LoadedRing } from './key-store.js'

/** How long, in milliseconds, a change of a ring by another process may go unseen. */
const maxAgeMs = 60_000
/** How many scopes' keys are kept unwrapped; the one that was not used for longest goes first. */
const maxEntries = 4096

/** Reads a ring, and answers `before` if nothing has changed; undefined if there is none. */
export type ReadRing = (
  scope: string,
  before: LoadedRing | undefined,
) => Promise<LoadedRing | undefined>

/**
 * Rings by scope. A ring that is not there, or cannot be read, is looked for again every time; the one that was read
 * before is not used meanwhile, but is still `before` for the next read.
 */
export interface RingCache {
  /** The ring, if it is known. */
  held(scope: string): LoadedRing | undefined
  /** The ring, read if it is not known. */
  find(scope: string): Promise<LoadedRing | undefined>
  /** The ring, read now. */
  load(scope: string): Promise<LoadedRing | undefined>
}

interface Entry {
  /** The last ring that could be read, which may be too old to be used; its unwrapped keys are kept with it. */
  last: LoadedRing | undefined
  /** The ring that this entry is about; undefined until it was read. */
  ring: LoadedRing | undefined
  /** Undefined after it failed. */
  reading: Promise<LoadedRing | undefined> | undefined
  /** By `performance.now()`, which nobody can set back. */
  readonly since: number
}

/** An empty cache. */
export function createRingCache(read: ReadRing): RingCache {
  const entries = new Map<string, Entry>()

  const fresh = (scope: string): Entry | undefined => {
    const entry = entries.get(scope)
    if (!entry?.reading || performance.now() - entry.since >= maxAgeMs) return undefined
    entries.delete(scope)
    entries.set(scope, entry)
    return entry
  }
  const load: RingCache['load'] = (scope) => {
    const last = entries.get(scope)?.last
    const reading = read(scope, last)
    const entry: Entry = { last, ring: undefined, reading, since: performance.now() }
    entries.delete(scope)
    entries.set(scope, entry)
    const oldest = entries.keys().next()
    if (entries.size > maxEntries && !oldest.done) entries.delete(oldest.value)
    const forget = (): void => {
      entry.reading = undefined
      if (entry.last === undefined && entries.get(scope) === entry) entries.delete(scope)
    }
    reading.then((ring) => {
      entry.ring = ring
      if (ring === undefined) forget()
      else entry.last = ring
    }, forget)
    return reading
  }
  return {
    held: (scope) => fresh(scope)?.ring,
    find: (scope) => fresh(scope)?.reading ?? load(scope),
    load,
  }
}
