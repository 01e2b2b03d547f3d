/** Kills or stops the process that refreshes a grant, at each step, and looks at what is left. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { isVaultError } from 'cofferkit'
import { createTokenKeeper, type TokenKeeper } from 'cofferkit/oauth'
import { openSqliteStore, type SqliteStore } from 'cofferkit/sqlite'
import { type GrantPlace, openItems, openTable, type PlaceKind } from './grant-place.js'
import { openSqliteTable } from './grant-table.js'
import type { HolderOptions, HolderReport } from './holder-process.js'
import { readLeaseState } from './lease-state.js'
import { createProvider, type Provider } from './provider.js'
import { requestTokens, serveProvider } from './provider-server.js'

/** A run of holders. */
export interface InterruptRun {
  /** Path of the bundled program of a holder. */
  readonly program: string
  /** Path of a new SQLite file. */
  readonly path: string
  readonly place: PlaceKind
  readonly count: number
  readonly signal: HolderOptions['signal']
  /** False for the negative control. */
  readonly hasLease: boolean
}

/** The states of grants whose holder was interrupted at one step. */
export interface StepFindings {
  count: number
  /** The stored refresh token works, and no call of the provider was in progress. */
  alive: number
  /** A call of the provider may have been made. */
  uncertain: number
  reconnect: number
  /** Nothing shows that the stored refresh token does not work. */
  'silently dead': number
  /** Of all: after the next call, the tokens work. */
  'then alive': number
  /** Of all: the next call, or the one after it, demanded a new consent. */
  'then reconnect': number
  /** Of all: neither. */
  'then wrong': number
}

interface World {
  readonly run: InterruptRun
  readonly url: string
  readonly provider: Provider
  readonly store: SqliteStore
  readonly place: GrantPlace
  readonly keeper: TokenKeeper<string>
}

type GrantState = 'alive' | 'uncertain' | 'reconnect' | 'silently dead'

/**
 * A holder that is killed does not end its lease, so this process need not wait for long. One that
 * is stopped must have the same lease as this process.
 */
const leasesMs = { SIGKILL: 400, SIGSTOP: 1500 }
const holderLeasesMs = { SIGKILL: 5000, SIGSTOP: leasesMs.SIGSTOP }
/** The number of holders at a time. */
const concurrency = 3

/** Returns the findings by step. */
export async function interruptHolders(
  run: InterruptRun,
): Promise<ReadonlyMap<string, StepFindings>> {
  const provider = createProvider({ expiresInSeconds: 3600, acceptedMs: 3_600_000 })
  const server = await serveProvider(provider, 0)
  const store = await openSqliteStore(run.path)
  const table = run.place === 'table' ? await openSqliteTable(`${run.path}.table`) : undefined
  const place = table === undefined ? openItems(store) : await openTable(table, store)
  const keeper = createTokenKeeper({
    grants: place.grants,
    leases: store.records,
    refresh: (token) => requestTokens(server.url, token),
    leaseMs: leasesMs[run.signal],
  })
  const world = { run, url: server.url, provider, store, place, keeper }
  const findings = new Map<string, StepFindings>()
  try {
    const steps = await countSteps(world)
    const indices = Array.from({ length: run.count }, (_, index) => index).values()
    const interruptAll = async (): Promise<void> => {
      for (const index of indices) await interruptHolder(world, index, index % steps, findings)
    }
    await Promise.all(Array.from({ length: concurrency }, interruptAll))
  } finally {
    await table?.close()
    await store.close()
    await server.close()
  }
  return findings
}

/** Runs a holder to its end. */
async function countSteps(world: World): Promise<number> {
  const ref = await saveGrant(world, 'uninterrupted')
  const report = await nextReport(startHolder(world, ref, Number.MAX_SAFE_INTEGER))
  if (report === undefined || !('steps' in report) || report.token === undefined)
    throw new Error('the holder has not refreshed the grant')
  return report.steps.length
}

async function interruptHolder(
  world: World,
  index: number,
  step: number,
  findings: Map<string, StepFindings>,
): Promise<void> {
  const { run } = world
  const ref = await saveGrant(world, `grant ${index}`)
  const holder = startHolder(world, ref, step)
  const ended = once(holder.process, 'exit')
  const report = await nextReport(holder)
  if (report === undefined || !('at' in report)) throw new Error('the holder was not interrupted')
  if (run.signal === 'SIGKILL') await ended
  else await isStopped(holder.process)
  const found = findings.get(report.at) ?? {
    ...{ count: 0, alive: 0, uncertain: 0, reconnect: 0, 'silently dead': 0 },
    ...{ 'then alive': 0, 'then reconnect': 0, 'then wrong': 0 },
  }
  findings.set(report.at, found)
  found.count++
  found[await readState(world, ref)]++
  let outcome = await useGrant(world, ref)
  if (run.signal === 'SIGSTOP') {
    holder.process.kill('SIGCONT')
    await ended
    // The late write can be one of tokens that do not work. The call after it must show that.
    const { accessToken } = await world.place.readGrant(ref)
    const rejected = world.provider.call(accessToken) ? undefined : accessToken
    outcome = await useGrant(world, ref, rejected)
  }
  const isDead = (await readState(world, ref)) === 'silently dead'
  found[isDead ? 'then wrong' : outcome]++
}

/** Saves a grant whose access token has expired. */
function saveGrant({ provider, place }: World, name: string): Promise<string> {
  return place.save(name, { ...provider.connect(), expiresInSeconds: 0 })
}

async function useGrant(
  world: World,
  ref: string,
  rejected?: string,
): Promise<'then alive' | 'then reconnect' | 'then wrong'> {
  const { keeper, provider } = world
  try {
    const token = await keeper.accessToken(ref, undefined, { rejected })
    return provider.call(token) ? 'then alive' : 'then wrong'
  } catch (error) {
    if (!isVaultError(error)) throw error
    // The call has taken too long: a later one can succeed.
    if (error.code === 'STORAGE_UNAVAILABLE') return useGrant(world, ref, rejected)
    return error.code === 'RECONNECT_REQUIRED' ? 'then reconnect' : 'then wrong'
  }
}

async function readState(world: World, ref: string): Promise<GrantState> {
  const { refreshToken, status } = await world.place.readGrant(ref)
  if (status === 'reconnect') return 'reconnect'
  const key = { collection: 'leases', id: world.place.grants.key(ref) }
  const lease = readLeaseState((await world.store.records.get(key))?.body)
  if (status === 'uncertain' || ['calling', 'retrying', 'uncertain'].includes(lease))
    return 'uncertain'
  return world.provider.isLive(refreshToken) ? 'alive' : 'silently dead'
}

interface Holder {
  readonly process: ChildProcess
  readonly lines: AsyncIterator<string>
}

function startHolder({ run, url }: World, ref: string, step: number): Holder {
  const { program, path, place, signal, hasLease } = run
  const leaseMs = holderLeasesMs[signal]
  const options: HolderOptions = { path, url, place, ref, step, signal, leaseMs, hasLease }
  const child = spawn(process.execPath, ['--no-warnings', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  return { process: child, lines: lines[Symbol.asyncIterator]() }
}

async function nextReport({ lines }: Holder): Promise<HolderReport | undefined> {
  const { value } = await lines.next()
  return value === undefined ? undefined : JSON.parse(value)
}

/** Resolves when the process has the state `T` (proc(5)). */
async function isStopped({ pid }: ChildProcess): Promise<void> {
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await sleep(5)
}
