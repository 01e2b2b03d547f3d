/**
 * Shows that a refresh token is used once, however many processes use its grant, and that no grant
 * dies silently. The provider revokes a grant when a refresh token is used twice. Everything runs
 * twice: with grants in items, and in a table whose tokens are sealed and whose writes compare the
 * sealed access token.
 *
 * First, processes call an API 720 times with the tokens of one grant, which expire again and again:
 * also with a process whose clock is an hour ahead, and with an editor who changes the item, or a
 * sweep that seals the token again, during each refresh. Then the process that refreshes is killed (SIGKILL), or stopped for longer than its
 * lease (SIGSTOP), at every step. At last, the store has 4 outages of ten leases each while 4 keepers
 * refresh 12 grants: every call fails, only reads work, calls wait until the end, and writes are made
 * although they fail. Keepers that lack one part of the protocol must be caught.
 *
 * `npm run prove -- oauth [--short] [--stores sqlite,etcd] [--calls 720] [--kills 1000]
 * [--stops 200]`. The short form has 4 processes on SQLite with 120 calls, 24 kills and 18 stops.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { brokenVariants, outageVariant } from './oauth/broken-variants.js'
import { type PlaceKind, placeKinds } from './oauth/grant-place.js'
import { type InterruptRun, interruptHolders } from './oauth/interrupt-holders.js'
import { outageKinds } from './oauth/outage.js'
import { type CallFindings, type CallRun, startCallProcesses } from './oauth/run-calls.js'
import { type OutageRun, runOutages } from './oauth/run-outages.js'
import { filterAvailable } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    calls: { type: 'string' },
    kills: { type: 'string' },
    stops: { type: 'string' },
  },
})
const engines =
  values.stores?.split(',') ??
  (values.short ? ['sqlite'] : filterAvailable(['sqlite', 'postgres', 'etcd']))
const calls = Number(values.calls ?? (values.short ? 120 : 720))
const kills = Number(values.kills ?? (values.short ? 24 : 1000))
const stops = Number(values.stops ?? (values.short ? 18 : 200))
const counts = values.short ? [4] : [4, 8]
const aheadMs = 3_600_000
/** Runs of a negative control at most: what it breaks depends on what else the machine does. */
const maxControlRuns = 5

const failures: string[] = []
// In etcd there are no tables.
for (const engine of engines)
  for (const place of placeKinds)
    if (engine !== 'etcd' || place === 'items') await proveCalls(engine, place)
for (const place of placeKinds) {
  await proveInterrupts(place)
  await proveOutages(place)
}
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

async function proveCalls(engine: string, place: PlaceKind): Promise<void> {
  const rows: Record<string, string | number>[] = []
  const processes = await startCallProcesses(engine, place, Math.max(...counts))
  const run = async (name: string, options: CallRun): Promise<CallFindings> => {
    const { failures: _, ...row } = await processes.run(options).then((found) => {
      const isClean = found['used twice'] === 0 && found.worked === found.calls
      if (options.variant === undefined && !isClean)
        failures.push(`${engine}, ${place}, ${name}: ${[...new Set(found.failures)].join(', ')}`)
      return found
    })
    rows.push({ store: `${engine}, ${place}, ${name}`, ...row })
    return { ...row, failures: [] }
  }
  try {
    for (const count of counts) {
      const found = await run(`${count} processes`, { processes: count, calls })
      if (found.refreshes > found.expiries)
        failures.push(`${engine}, ${place}, ${count} processes: more refreshes than expiries`)
    }
    const [count = 4] = counts
    if (values.short) {
      await run('one clock ahead, edited', { processes: count, calls, aheadMs, isEdited: true })
    } else {
      await run('one clock an hour ahead', { processes: count, calls, aheadMs })
      await run('edited in each refresh', { processes: count, calls, isEdited: true })
    }
    for (const variant of brokenVariants) {
      let reuses = 0
      for (let attempt = 0; reuses === 0 && attempt < maxControlRuns; attempt++) {
        const ahead = variant === 'lease by the wall clock' ? aheadMs : 0
        const common = { processes: count, calls: ahead > 0 ? 80 : 40, aheadMs: ahead, variant }
        const options = { ...common, isEdited: variant === 'fence by version' }
        reuses = (await run(variant, options))['used twice']
      }
      if (reuses === 0) failures.push(`${engine}, ${place}, ${variant}: was not caught`)
    }
  } finally {
    await processes.end()
    printTable(rows)
  }
}

async function proveInterrupts(place: PlaceKind): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-oauth-'))
  const program = join(folder, 'holder.mjs')
  try {
    await build({
      entryPoints: [fileURLToPath(new URL('./oauth/holder-process.ts', import.meta.url))],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
    })
    const path = (name: string): string => join(folder, `${name}.db`)
    const common = { program, place, hasLease: true }
    await interrupt(`${place}, killed`, {
      ...common,
      path: path('killed'),
      count: kills,
      signal: 'SIGKILL',
    })
    await interrupt(`${place}, stopped`, {
      ...{ ...common, path: path('stopped'), count: stops, signal: 'SIGSTOP' },
    })
    const control: InterruptRun = {
      ...{ program, place, path: path('control'), count: 18, signal: 'SIGKILL', hasLease: false },
    }
    const dead = [...(await interruptHolders(control)).values()]
    if (dead.every((found) => found['silently dead'] === 0))
      failures.push(`${place}, killed, no lease: was not caught`)
    else print(`\n${place}, killed, no lease: caught`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function interrupt(name: string, run: InterruptRun): Promise<void> {
  const findings = await interruptHolders(run)
  print('')
  printTable([...findings].map(([step, found]) => ({ [name]: step, ...found })))
  const isStop = run.signal === 'SIGSTOP'
  for (const [step, found] of findings) {
    // A process that is stopped has not released its lease, so nothing is silent about it yet.
    if (!isStop && found['silently dead'] > 0) failures.push(`${name} ${step}: silently dead`)
    if (found['then wrong'] > 0) failures.push(`${name} ${step}: neither alive nor reconnect`)
  }
}

async function proveOutages(place: PlaceKind): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-oauth-'))
  const rows: Record<string, string | number>[] = []
  const run = async (name: string, options: Omit<OutageRun, 'path' | 'place'>): Promise<number> => {
    const findings = await runOutages({ path: join(folder, `${name}.db`), place, ...options })
    rows.push(...findings.map((found) => ({ keeper: name, ...found })))
    return findings.reduce((sum, { lost }) => sum + lost, 0)
  }
  try {
    const lost = await run('complete', { kinds: outageKinds })
    const kinds = outageKinds.slice(0, 1)
    const isCaught = (await run(outageVariant, { kinds, variant: outageVariant })) > 0
    print('')
    printTable(rows)
    print(`\n${place}: grants lost in ${outageKinds.length} outages of ten leases: ${lost}`)
    if (lost > 0) failures.push(`${place}, outages: grants were lost`)
    if (!isCaught) failures.push(`${place}, ${outageVariant}: was not caught`)
    for (const { keeper, outage, issued } of rows)
      if (issued === 0 && keeper === 'complete')
        failures.push(`${place}, outages, ${outage}: no tokens were issued meanwhile`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
