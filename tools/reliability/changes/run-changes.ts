/** Runs writers, a consumer that is killed, and a cache, and compares what they have received. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { type Change, watchChanges } from 'cofferkit/changes'
import { percentile } from '../race/percentile.js'
import { findEngine } from '../support/stores.js'
import type { ConsumerOptions } from './consumer-process.js'
import { type ChangesVariant, holdNothing } from './variants.js'
import type { Acknowledged, WriterOptions } from './writer-process.js'

/** Options of a run. */
export interface ChangesRun {
  readonly engine: string
  /** Paths of the bundled programs. */
  readonly programs: { readonly writer: string; readonly consumer: string }
  readonly changes: number
  /** Of the writers and of the consumer together. */
  readonly kills: number
  readonly variant: ChangesVariant
  readonly holdMs: number
}

/** The findings. */
export interface ChangesFindings {
  readonly acknowledged: number
  readonly kills: number
  /** Changes that the consumer has received, each once. */
  readonly delivered: number
  readonly twice: number
  /** Acknowledged changes that the consumer, or the watcher of the cache, has not received. */
  readonly lost: number
  /** Entries of the cache that are not what is stored. */
  readonly stale: number
  readonly 'median ms': number
  readonly 'worst ms': number
}

const caller = createCaller('checker', '*')
const aheadMs = [-15_000, -5_000, 5_000, 15_000]
const clocks = { pollMs: 50, windowMs: 35_000 }
/** One kill in this many is one of the consumer. */
const consumerShare = 4
/** The longest time in which nothing more is delivered at the end. */
const quietMs = 1_000
const itemIds = Array.from({ length: 16 }, (_, index) => String(index).padStart(26, 'i'))

/** Resolves when everything was received, or nothing more is. */
export async function runChanges(run: ChangesRun): Promise<ChangesFindings> {
  const location = await findEngine(run.engine).create()
  const { address } = location
  const watch = { ...clocks, holdMs: run.holdMs }
  const connection = await findEngine(run.engine).connect(address)
  const { store } = connection
  const service = createVaultService({ store })
  const { id: vaultId } = await service.createVault(caller, { name: 'Watched' })

  const acknowledged = new Map<string, number>()
  let kills = 0
  let isWriting = true
  const end = new AbortController()
  const hasEnough = (): boolean =>
    end.signal.aborted || (acknowledged.size >= run.changes && kills >= run.kills)
  const children = new Set<ChildProcess>()

  async function runWriter(clockAheadMs: number): Promise<void> {
    while (!hasEnough()) {
      const killAtCall = 5 + Math.floor(Math.random() * 2 * callsPerKill(run))
      const options: WriterOptions = {
        ...{ engine: run.engine, address, vaultId, itemIds, aheadMs: clockAheadMs, killAtCall },
      }
      const child = start(run.programs.writer, options, (line) => {
        const { at, ...change }: Acknowledged = JSON.parse(line)
        acknowledged.set(nameOf(change), at)
        if (hasEnough()) child.kill('SIGKILL')
      })
      const [code] = await once(child, 'close')
      if (code !== null) throw new Error('a writer has failed')
      kills++
    }
  }

  const received = new Map<string, number>()
  let last: Change | undefined
  let lastAt = 0
  async function runConsumer(): Promise<void> {
    for (;;) {
      const { engine, variant } = run
      const options: ConsumerOptions = { ...watch, engine, address, variant, since: last?.id }
      const child = start(run.programs.consumer, options, (line) => {
        const change: Change = JSON.parse(line)
        received.set(nameOf(change), (received.get(nameOf(change)) ?? 0) + 1)
        last = change
        lastAt = Date.now()
      })
      const ended = once(child, 'close')
      const due = Math.ceil(run.kills / consumerShare)
      const lifeMs = Math.max(1000, Math.random() * 4000 * (run.changes / due / 50))
      if (isWriting) await Promise.race([sleep(lifeMs), ended])
      if (isWriting) {
        child.kill('SIGKILL')
        kills++
      }
      const [code] = await ended
      if (code !== null) throw new Error('a consumer has failed')
      if (!isWriting || end.signal.aborted) return
    }
  }

  const cache = new Map<string, Promise<number>>()
  const delays = new Map<string, number>()
  const readVersion = (itemId: string): Promise<number> =>
    service.getItem(caller, { vaultId, itemId }).then(
      ({ version }) => version,
      (error: unknown) => {
        if (isVaultError(error) && error.status === 503) return readVersion(itemId)
        return 0
      },
    )
  async function feedCache(): Promise<void> {
    const items = run.variant === 'holds nothing back' ? holdNothing(store.records) : store.records
    const { signal } = end
    let since: string | undefined
    while (!signal.aborted) {
      try {
        const options = { ...watch, since, log: store, items, caller, signal }
        for await (const change of watchChanges(options)) {
          cache.delete(change.itemId ?? '')
          if (!delays.has(nameOf(change))) delays.set(nameOf(change), Date.now())
          since = change.id
        }
      } catch (error) {
        // SQLite is locked for longer than its timeout when the machine is busy.
        if (!isVaultError(error) || error.status !== 503) throw error
      }
    }
  }
  async function fillCache(): Promise<void> {
    while (!end.signal.aborted) {
      for (const itemId of itemIds) if (!cache.has(itemId)) cache.set(itemId, readVersion(itemId))
      await sleep(5)
    }
  }

  function start(program: string, options: object, onLine: (line: string) => void): ChildProcess {
    const child = spawn(process.execPath, ['--no-warnings', program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.add(child)
    child.once('close', () => children.delete(child))
    createInterface({ input: child.stdout }).on('line', onLine)
    return child
  }

  try {
    const watching = Promise.all([feedCache(), fillCache(), runConsumer()])
    await Promise.race([Promise.all(aheadMs.map(runWriter)), watching])
    isWriting = false
    const isMissing = (name: string): boolean => !received.has(name) || !delays.has(name)
    // Longer than the hold only if something is lost.
    const isQuiet = (): boolean => Date.now() - lastAt > watch.holdMs + quietMs
    while ([...acknowledged.keys()].some(isMissing) && !isQuiet()) await sleep(100)
    await sleep(quietMs)
    const stored = await Promise.all(itemIds.map(readVersion))
    const cached = await Promise.all(itemIds.map((itemId) => cache.get(itemId)))
    end.abort()
    for (const child of children) child.kill('SIGKILL')
    await watching
    const latencies = [...acknowledged].map(([name, at]) => (delays.get(name) ?? 0) - at)
    return {
      acknowledged: acknowledged.size,
      kills,
      delivered: received.size,
      twice: [...received.values()].reduce((sum, count) => sum + count - 1, 0),
      lost: [...acknowledged.keys()].filter(isMissing).length,
      stale: stored.filter((version, index) => version !== cached[index]).length,
      'median ms': Math.max(0, percentile(latencies, 50)),
      'worst ms': Math.max(0, percentile(latencies, 100)),
    }
  } finally {
    end.abort()
    const running = [...children].map((child) => once(child, 'close'))
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(running)
    await connection.close()
    await location.remove()
  }
}

/** The mean number of calls of the store in the life of a writer: about nine for each change. */
function callsPerKill({ changes, kills }: ChangesRun): number {
  return Math.ceil((changes * 9) / Math.max(1, kills * (1 - 1 / consumerShare)))
}

function nameOf({ type, itemId, version }: Pick<Change, 'type' | 'itemId' | 'version'>): string {
  return `${type} ${itemId} ${version}`
}
