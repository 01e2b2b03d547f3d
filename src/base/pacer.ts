/** Divides long work into short stretches and yields to the event loop between them. */

/** Records of this many bytes are decrypted, parsed and validated in about 10 ms. */
const stretchBytes = 262_144

/** Captured at load time, so that fake timers installed later cannot stall a list. */
const immediate: unknown = Reflect.get(globalThis, 'setImmediate')
const schedule = typeof immediate === 'function' ? immediate : setTimeout

/** Resolves in a later turn of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void schedule(resolve))
}

/**
 * Creates a function to be called before each piece of work with the size of that piece in bytes.
 * It returns undefined if the work can begin at once. Otherwise it returns a promise that must be
 * awaited first, and that resolves in a later turn of the event loop. A stretch of work covers at
 * most 262,144 bytes, or another number of bytes, or a single larger piece.
 */
export function createPacer(
  maxStretchBytes = stretchBytes,
): (bytes: number) => Promise<void> | undefined {
  let spent = 0
  return (bytes) => {
    spent += bytes
    if (spent <= maxStretchBytes) return undefined
    spent = bytes
    return yieldToEventLoop()
  }
}
