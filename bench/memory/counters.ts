/** Requests to a process that counts what its operations allocate and run. */

import { bytesInUse, startCountingBytes } from './count-bytes.js'

/** The requests. */
export type CounterRequests = {
  /** Resolves with the bytes in use after a garbage collection. Needs `countingFlags`. */
  readonly startBytes: () => number
  /** Resolves with the bytes in use. */
  readonly bytesInUse: () => number
  /** Resolves with the blocks of code that ran since the last call. Needs `steadyFlags`. */
  readonly takeBlocks: () => Promise<number>
}

/** The handlers of the requests. */
export const counters: CounterRequests = {
  startBytes: startCountingBytes,
  bytesInUse,
  takeBlocks: async () => (await import('./count-blocks.js')).takeBlocks(),
}

/**
 * Flags of Node for a process that counts bytes. The new space is so large that no garbage is
 * collected while operations are counted, so the bytes in use only grow.
 */
export const countingFlags = [
  '--expose-gc',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
]

/**
 * Flags of Node for counts that are the same in each run: they turn optimized code off and count
 * blocks. Optimized code leaves out objects that it can prove unused. Which ones depends on the
 * moment when it was compiled, and changes the bytes by up to a tenth.
 */
export const steadyFlags = [
  ...countingFlags,
  '--no-opt',
  '--no-maglev',
  '--import',
  new URL('count-blocks.ts', import.meta.url).href,
]
