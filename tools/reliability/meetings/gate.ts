/** The way of one process to the disk, on which it can fail, stop or be killed at any store call. */

import type { RecordStore, VaultStore } from 'cofferkit'
import { mapTransactions } from '../../../src/base/map-store.js'

/** An interruption of a step at one of its store calls. */
export interface Interruption {
  /** `fail`: the call rejects; `kill`: the process ends; `pause`: it stops until it is resumed. */
  readonly kind: 'fail' | 'kill' | 'pause'
  /** The number of the call in the step, from 1. */
  readonly call: number
  /** `after` if the store has carried out the call by then. */
  readonly side: 'before' | 'after'
}

/** The error of a call that fails. */
export class DiskFailure extends Error {}

/** How the calls of a process pass. One step runs in a process at a time. */
export interface Gate {
  readonly wrapStore: (store: VaultStore) => VaultStore
  readonly wrapRecords: (records: RecordStore) => RecordStore
  /**
   * Begins a step.
   * @returns A promise that resolves if the process is stopped or killed by the interruption, once
   * the calls that it had made at the same time have ended.
   */
  begin(interruption: Interruption | undefined): Promise<'paused' | 'killed'>
  /** Ends the step: what was planned for it and did not happen is forgotten. */
  end(): void
  /** Ends the pause of the step. */
  resume(): void
  /** Ends the process: none of its calls reaches the disk any more, and none returns. */
  kill(): void
  /** The number of store calls since the step began. */
  readonly calls: number
}

/** Creates the gate of a new process. */
export function createGate(): Gate {
  let calls = 0
  let isDead = false
  let interruption: Interruption | undefined
  let stop: (how: 'paused' | 'killed') => void = () => {}
  let paused: PromiseWithResolvers<void> | undefined
  /** The calls that the disk is carrying out. */
  const running = new Set<Promise<unknown>>()

  const interrupt = async ({ kind }: Interruption): Promise<void> => {
    interruption = undefined
    if (kind === 'fail') throw new DiskFailure('the disk has failed')
    if (kind === 'kill') isDead = true
    else paused = Promise.withResolvers()
    await Promise.allSettled(running)
    stop(kind === 'kill' ? 'killed' : 'paused')
    await paused?.promise
  }
  const never = new Promise<never>(() => {})
  const pass = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (paused !== undefined) await paused.promise
    if (isDead) return never
    calls++
    const planned = interruption?.call === calls ? interruption : undefined
    if (planned?.side === 'before') await interrupt(planned)
    if (isDead) return never
    const called = call()
    running.add(called)
    const result = await called.finally(() => running.delete(called))
    if (planned?.side === 'after') await interrupt(planned)
    return isDead ? never : result
  }
  const wrapRecords = (records: RecordStore): RecordStore => ({
    ...records,
    get: (key) => pass(() => records.get(key)),
    put: (key, record, version) => pass(() => records.put(key, record, version)),
    delete: (key, version) => pass(() => records.delete(key, version)),
    list: (collection, query) => pass(() => records.list(collection, query)),
    ...mapTransactions(records, wrapRecords),
  })
  return {
    wrapRecords,
    wrapStore: ({ records, blobs }) => ({
      records: wrapRecords(records),
      blobs: {
        read: (id) => pass(() => blobs.read(id)),
        write: (id, content) => pass(() => blobs.write(id, content)),
        delete: (id) => pass(() => blobs.delete(id)),
      },
    }),
    begin(planned) {
      calls = 0
      interruption = planned
      return new Promise((resolve) => {
        stop = resolve
      })
    },
    end() {
      interruption = undefined
    },
    resume() {
      paused?.resolve()
      paused = undefined
    },
    kill() {
      isDead = true
    },
    get calls() {
      return calls
    },
  }
}
