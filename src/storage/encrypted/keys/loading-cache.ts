/** Caches values that are loaded by key, for a limited time. */

/** Limits of a cache. */
export interface LoadingCacheOptions<Value> {
  /** Milliseconds after which a value is loaded again. */
  readonly maxAgeMs: number
  /** The maximum number of keys. The least recently used one is removed first. */
  readonly maxEntries: number
  /** Called with the last value of a key that is removed because there are too many. */
  onEvict(value: Value): void
}

/** Values that are loaded when they are needed. */
export interface LoadingCache<Value> {
  /** Returns the cached value, or undefined if it is not loaded or too old. Loads nothing. */
  peek(key: string): Value | undefined
  /** Returns the cached value, and loads it if it is not cached. Concurrent calls share a load. */
  get(key: string): Promise<Value | undefined>
  /** Loads the value now, and caches it. */
  load(key: string): Promise<Value | undefined>
  /** Removes the value, and returns it: that of the last successful load, however old it is. */
  delete(key: string): Value | undefined
  /** Removes every value, and returns the last value of each key. */
  clear(): Value[]
}

interface Entry<Value> {
  /** The value of the last successful load, which can be too old to be returned. */
  previous: Value | undefined
  /** The value of this load. Undefined until it has resolved. */
  value: Value | undefined
  /** Undefined after the load has failed. */
  loading: Promise<Value | undefined> | undefined
  /** A time of `performance.now()`, which is not affected by the system clock. */
  readonly since: number
}

/**
 * Creates an empty cache. If `load` resolves with undefined or rejects, nothing is cached, and the
 * next `get` loads again.
 *
 * @param load Returns the value for a key, or undefined if it does not exist. `previous` is the
 * value of the last successful load, even if it is too old to be returned.
 */
export function createLoadingCache<Value>(
  load: (key: string, previous: Value | undefined) => Promise<Value | undefined>,
  { maxAgeMs, maxEntries, onEvict }: LoadingCacheOptions<Value>,
): LoadingCache<Value> {
  const entries = new Map<string, Entry<Value>>()

  const findFresh = (key: string): Entry<Value> | undefined => {
    const entry = entries.get(key)
    if (!entry?.loading || performance.now() - entry.since >= maxAgeMs) return undefined
    entries.delete(key)
    entries.set(key, entry)
    return entry
  }
  const evictOldest = (): void => {
    for (const [key, { previous }] of entries) {
      entries.delete(key)
      if (previous !== undefined) onEvict(previous)
      return
    }
  }
  const loadNow: LoadingCache<Value>['load'] = (key) => {
    const previous = entries.get(key)?.previous
    const loading = load(key, previous)
    const entry: Entry<Value> = { previous, value: undefined, loading, since: performance.now() }
    entries.delete(key)
    entries.set(key, entry)
    if (entries.size > maxEntries) evictOldest()
    const invalidate = (): void => {
      entry.loading = undefined
      if (entry.previous === undefined && entries.get(key) === entry) entries.delete(key)
    }
    loading.then((value) => {
      entry.value = value
      if (value === undefined) invalidate()
      else entry.previous = value
    }, invalidate)
    return loading
  }
  return {
    peek: (key) => findFresh(key)?.value,
    get: (key) => findFresh(key)?.loading ?? loadNow(key),
    load: loadNow,
    delete(key) {
      const previous = entries.get(key)?.previous
      entries.delete(key)
      return previous
    },
    clear() {
      const values = [...entries.values()].flatMap(({ previous }) =>
        previous === undefined ? [] : [previous],
      )
      entries.clear()
      return values
    },
  }
}
