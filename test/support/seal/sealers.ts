/** Sealers in several processes over one store, with clocks that the test owns. */

import { createSealer, type Sealer, type SealerOptions } from '../../../src/seal.js'
import type { KeyProvider } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { RecordStore } from '../../../src/store.js'
import { createKeys } from '../stores/encrypted-stores.js'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** Waits for readings in the background that find an unchanged ring, or fail: they use no thread. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

/** Processes that share a store of rings, KEKs and a clock. */
export interface Deployment {
  readonly records: RecordStore
  readonly keys: KeyProvider
  /** Starts a process whose clock is ahead by `aheadMs`. */
  start(options?: Partial<SealerOptions>, aheadMs?: number): Sealer
  advance(ms: number): void
  /** The calls of the provider. */
  readonly asked: string[]
  /** If it returns an error, the call of the store or of the provider fails with it. */
  fail: (call: string) => Error | undefined
  /** Awaited before each call. */
  before?: (call: string) => Promise<void>
}

/** Creates a deployment without rings. */
export function deploy(inner: KeyProvider = createKeys()): Deployment {
  const { records } = createMemoryStore()
  let time = Date.UTC(2026, 0, 1)
  const asked: string[] = []
  const run = async <Result>(call: string, work: () => Promise<Result>): Promise<Result> => {
    const error = deployment.fail(call)
    if (error !== undefined) throw error
    await deployment.before?.(call)
    return work()
  }
  const keys: KeyProvider = {
    currentKekId: inner.currentKekId,
    kekIds: inner.kekIds,
    wrap: (key, context) => run('wrap', () => inner.wrap(key, context)),
    unwrap(kekId, wrapped, context) {
      asked.push(context.scope)
      return run('unwrap', () => inner.unwrap(kekId, wrapped, context))
    },
  }
  const deployment: Deployment = {
    records: { ...records, get: (key) => run('get', () => records.get(key)) },
    keys,
    start: (options, aheadMs = 0) =>
      createSealer(deployment.records, {
        keys,
        now: () => new Date(time + aheadMs),
        ...options,
      }),
    advance(ms) {
      time += ms
    },
    asked,
    fail: () => undefined,
  }
  return deployment
}
