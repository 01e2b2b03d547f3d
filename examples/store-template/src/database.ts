/** The commands that the store needs from a database, and a toy that has them. */

/**
 * A database of keys and values. Keys are ASCII text. A value that was passed in or returned is
 * not shared: both sides can modify their copy.
 */
export interface Database {
  /** Returns the value that is stored under `key`, or undefined. */
  get(key: string): Promise<Uint8Array | undefined>

  /**
   * Iterates over the keys between `after` and `before`, without these two, in the order of their
   * bytes. Ends early if the loop does.
   */
  scan(
    after: string,
    before: string,
  ): AsyncIterable<readonly [key: string, value: Uint8Array]>

  /**
   * Makes all of the changes in one step if the value under `key` is `expected`, and none of them
   * otherwise. No other change of `key` comes between comparing and writing.
   *
   * @param expected The bytes of the value; undefined if no value is stored.
   * @returns Whether the changes were made, and only after they would survive a crash.
   */
  change(
    key: string,
    expected: Uint8Array | undefined,
    changes: readonly Change[],
  ): Promise<boolean>
}

/** A key and its new value; undefined removes the key. Later changes of a key win. */
export type Change = readonly [key: string, value: Uint8Array | undefined]

/** Replace this toy with your database. It is a Map, and loses everything when the process ends. */
export function createToyDatabase(): Database {
  const values = new Map<string, Uint8Array>()
  return {
    async get(key) {
      return values.get(key)?.slice()
    },
    async *scan(after, before) {
      const keys = [...values.keys()].filter(
        (key) => key > after && key < before,
      )
      for (const key of keys.sort()) {
        const value = values.get(key)
        if (value !== undefined) yield [key, value.slice()]
      }
    },
    // Without an await between comparing and writing, nothing comes between them.
    async change(key, expected, changes) {
      if (!isSameValue(values.get(key), expected)) return false
      for (const [changed, value] of changes) {
        if (value === undefined) values.delete(changed)
        else values.set(changed, value.slice())
      }
      return true
    },
  }
}

/** Compares two values. */
export function isSameValue(
  left: Uint8Array | undefined,
  right: Uint8Array | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right
  return (
    left.length === right.length &&
    left.every((byte, index) => byte === right[index])
  )
}
