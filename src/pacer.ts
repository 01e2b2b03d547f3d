/** Divides long work into short stretches, between which the event loop gets a turn. */

/** Records of so many bytes are decrypted, parsed and validated in some 10 ms. */
const stretchBytes = 262_144

/** Read once, so that timers which a test replaces later do not stop a list. */
const immediate: unknown = Reflect.get(globalThis, 'setImmediate')
const schedule = typeof immediate === 'function' ? immediate : setTimeout

/** Resolves after the event loop has had a turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void schedule(resolve))
}

/**
 * Called before work on so many bytes: returns undefined if the work can begin at once, else a promise of a turn of the
 * event loop, which has to be awaited first. A stretch of work covers at most 262,144 bytes, or a single longer piece.
 */
export function createPacer(): (bytes: number) => Promise<void> | undefined {
  let spent = 0
  return (bytes) => {
    spent += bytes
    if (spent <= stretchBytes) return undefined
    spent = bytes
    return turn()
  }
}
