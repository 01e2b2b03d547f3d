/** Counts the bytes that a process allocates. */

/** Collects garbage, and returns the bytes in use. Needs `--expose-gc`. */
export function startCountingBytes(): number {
  if (globalThis.gc === undefined) throw new Error('Node was started without --expose-gc')
  // The first collection frees buffers after it has returned; the second one waits for that.
  globalThis.gc()
  globalThis.gc()
  return bytesInUse()
}

/** The bytes in use, on and off the heap. */
export function bytesInUse(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
