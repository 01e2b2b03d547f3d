/** Runs fail-overs on a cluster of their own, and sums them up. */

import type { SeededRandom } from '../support/seeded-random.js'
import { print } from '../support/table.js'
import { startCluster } from './cluster.js'
import { type ClusterVault, createClusterVault, type FailOver, failOver } from './fail-over.js'
import type { Member } from './member.js'
import type { Driver } from './open-store.js'

/** The conditions of a run. */
export interface FailOverRun {
  /** Without synchronous replication, the replicas also lag when the primary is killed. */
  readonly isSynchronous: boolean
  readonly driver: Driver
  readonly cycles: number
  readonly random: SeededRandom
}

/** A row of figures, and everything that breaks a promise. */
export interface FailOverResult {
  readonly row: Readonly<Record<string, string | number>>
  readonly outcome: Readonly<Record<'lost' | 'torn' | 'duplicated', readonly string[]>>
  /** Kills that did not happen, and outages that were too long. */
  readonly failures: readonly string[]
}

/** The service must answer within this time after the kill. Patroni's `ttl` is 10 s of it. */
const maxOutageMs = 60_000
const cyclesPerVault = 10

/** Ends after the first fail-over in which something was lost. */
export async function runFailOvers(run: FailOverRun): Promise<FailOverResult> {
  const start = performance.now()
  const cluster = await startCluster(run.isSynchronous)
  const vaults: ClusterVault[] = []
  const done: FailOver[] = []
  try {
    for (let isIntact = true; isIntact && done.length < run.cycles; ) {
      if (done.length % cyclesPerVault === 0)
        vaults.push(await createClusterVault(cluster, run.driver))
      const vault = vaults.at(-1)
      if (vault === undefined) break
      const one = await failOver(
        vault,
        run.random,
        done.length,
        run.isSynchronous ? undefined : lag,
      )
      done.push(one)
      isIntact =
        one.findings.lost.size + one.findings.torn.size + one.findings.duplicated.size === 0
      const [before, after] = one.timelines
      const outage = `${Math.round(one.outageMs)} ms`
      print(`${done.length}: ${one.from} to ${one.to}, timeline ${before} to ${after}, ${outage}`)
    }
  } finally {
    for (const vault of vaults) await vault.close()
    await cluster.stop()
  }
  return summarize(run, vaults, done, Math.round((performance.now() - start) / 1000))
}

/** Pauses the replicas' reception of the log until the primary is killed. */
function lag(replicas: readonly Member[]): () => void {
  const resume = replicas.map((replica) => replica.pauseReceiver())
  return () => {
    for (const each of resume) each()
  }
}

function summarize(
  { isSynchronous, driver }: FailOverRun,
  vaults: readonly ClusterVault[],
  done: readonly FailOver[],
  seconds: number,
): FailOverResult {
  const list = (kind: 'lost' | 'torn' | 'duplicated'): string[] =>
    done.flatMap(({ findings }) => [...findings[kind]])
  const outcome = { lost: list('lost'), torn: list('torn'), duplicated: list('duplicated') }
  const sum = (count: (vault: ClusterVault) => number): number =>
    vaults.reduce((total, vault) => total + count(vault), 0)
  const acknowledged = sum(({ journal }) => journal.acknowledged.size)
  const outages = done.map(({ outageMs }) => outageMs).sort((left, right) => left - right)
  const median = outages[Math.floor(outages.length / 2)] ?? Number.NaN
  const failed = done.filter(
    ({ from, to, timelines: [before, after] }) => from === to || after <= before,
  )
  return {
    row: {
      replication: isSynchronous ? 'synchronous' : 'asynchronous, lagging',
      driver,
      'fail-overs': done.length,
      acknowledged,
      unknown: sum(({ journal }) => journal.intents.size) - acknowledged,
      lost: outcome.lost.length,
      torn: outcome.torn.length,
      duplicated: outcome.duplicated.length,
      'outage, median ms': Math.round(median),
      'outage, largest ms': Math.round(outages.at(-1) ?? Number.NaN),
      seconds,
    },
    outcome,
    failures: [
      ...failed.map(({ from }) => `no fail-over: ${from} was killed, and no timeline began`),
      ...outages
        .filter((outage) => outage > maxOutageMs)
        .map((outage) => `an outage of ${Math.round(outage)} ms, more than ${maxOutageMs}`),
    ],
  }
}
