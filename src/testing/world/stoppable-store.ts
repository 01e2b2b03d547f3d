/** A store whose calls can be stopped, like those of a killed process. */

import { mapStore } from '../../base/map-store.js'
import { StorageUnavailableError, type VaultStore } from '../../index.js'
import { interceptStore, type StoreCall } from '../store-calls.js'

/** A store whose calls can be stopped. */
export interface StoppableStore extends VaultStore {
  /**
   * Makes calls in progress and all later ones reject with StorageUnavailableError. A write of
   * chunks in progress writes nothing.
   */
  stop(): void
  /**
   * Stops before or after the first call that `at` chooses. If `at` throws, stops before the call.
   * @param onStop Called when the store stops, before any call in progress rejects.
   * @returns A promise that resolves when the store has stopped, or rejects with the error of `at`.
   */
  stopAt(at: (call: StoreCall) => 'before' | 'after' | undefined, onStop: () => void): Promise<void>
}

/** Wraps a store. Calls succeed until it is stopped. */
export function createStoppableStore(store: VaultStore): StoppableStore {
  let inner = store
  let isStopped = false
  const inProgress = new Set<(error: unknown) => void>()
  const stop = (): void => {
    isStopped = true
    for (const reject of inProgress) reject(stoppedError())
    inProgress.clear()
  }
  const run = <Result>(call: () => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (isStopped) return reject(stoppedError())
      inProgress.add(reject)
      const settle = (): void => void inProgress.delete(reject)
      call().then(resolve, reject).finally(settle)
    })
  const current: VaultStore = {
    get records() {
      return inner.records
    },
    get blobs() {
      return inner.blobs
    },
  }
  const { records, blobs } = mapStore(current, run)
  return {
    records,
    blobs: {
      ...blobs,
      write: (id, content) =>
        blobs.write(
          id,
          content instanceof Uint8Array ? content : failWhen(content, () => isStopped),
        ),
    },
    stop,
    stopAt: (at, onStop) =>
      new Promise((resolve, reject) => {
        const stopNow = (): void => {
          resolve()
          onStop()
          stop()
        }
        inner = interceptStore(store, async (call, make) => {
          let moment: 'before' | 'after' | undefined
          try {
            moment = at(call)
          } catch (error) {
            reject(error)
            moment = 'before'
          }
          if (moment === 'before') stopNow()
          if (isStopped) throw stoppedError()
          const result = await make()
          if (moment === 'after') stopNow()
          return result
        })
      }),
  }
}

/** Passes chunks on. When `isStopped` returns true, fails at the next chunk or at the end. */
async function* failWhen(
  content: AsyncIterable<Uint8Array>,
  isStopped: () => boolean,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    if (isStopped()) throw stoppedError()
    yield chunk
  }
  if (isStopped()) throw stoppedError()
}

function stoppedError(): StorageUnavailableError {
  return new StorageUnavailableError('the process was stopped')
}
