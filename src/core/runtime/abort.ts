/** Lets a signal abort a call of an operation until the call has begun to write. */

import { toStream } from '../../base/blob-content.js'
import type { Context } from './context.js'

/**
 * The methods that are waited for once they have begun: those that write, and `beforeWrite`, so
 * that the entry of a failure follows the entry of its change.
 */
const isWaitedFor = /^(?:put|delete|write|beforeWrite)$/

/**
 * Calls `run` and settles as it does, or rejects with the reason of the signal if it is aborted
 * before a write has begun. All that `run` then does in the background is rejected with the reason,
 * too: it can call the store no more, and record no change. A write that the store refused counts
 * as not begun.
 * @param run - Receives the context to use. Not called if the signal is already aborted.
 */
export function runWithSignal<Result>(
  signal: AbortSignal,
  context: Context,
  run: (context: Context) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // Writes and entries in flight, and writes that are done or of unknown outcome.
    let writes = 0
    const isAborted = (): boolean => {
      const isAborted = writes === 0 && signal.aborted
      if (isAborted) reject(signal.reason)
      return isAborted
    }
    const wrap = <Calls extends object>(calls: Calls): Calls => {
      const wrapped = Object.entries(calls).map(([name, call]) => [
        name,
        async (...args: unknown[]): Promise<unknown> => {
          if (isAborted()) throw signal.reason
          if (isWaitedFor.test(name)) writes++
          const outcome: unknown = await call(...args)
          // An entry changes nothing of the vault, and neither does a write that was refused.
          if (outcome === false || name === 'beforeWrite') {
            writes--
            isAborted()
          }
          return outcome
        },
      ])
      return Object.fromEntries(wrapped)
    }
    if (isAborted()) return
    signal.addEventListener('abort', isAborted, { once: true })
    const { beforeWrite, store } = context
    const { records, blobs } = store
    run({
      ...context,
      signal,
      store: { ...store, records: wrap(records), blobs: wrap(blobs) },
      ...(beforeWrite && wrap({ beforeWrite })),
    })
      .finally(() => signal.removeEventListener('abort', isAborted))
      .then(resolve, reject)
  })
}

/**
 * Returns the stream, which fails with the reason of the signal as soon as that is aborted. The
 * source is cancelled then, even while it is read: not every runtime's `pipeThrough` does that.
 */
export function withSignal(
  content: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = content.getReader()
  const abort = (): void => void reader.cancel(signal.reason).catch(() => {})
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  reader.closed.catch(() => {}).finally(() => signal.removeEventListener('abort', abort))
  return toStream(chunksUntilAborted(reader, signal), (reason) => reader.cancel(reason))
}

async function* chunksUntilAborted(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  while (true) {
    const { done, value } = await reader.read()
    signal.throwIfAborted()
    if (done) return
    yield value
  }
}
