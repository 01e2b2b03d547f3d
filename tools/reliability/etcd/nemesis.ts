/** Causes one fault after the other while something else runs. */

import { setTimeout as pause } from 'node:timers/promises'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import type { Cluster } from './cluster.js'
import { causeFault, type FaultKind } from './faults.js'

/** Numbers of the faults that were shown. */
export interface FaultCounts {
  kills: number
  partitions: number
  pauses: number
  clockSkews: number
  /** Faults after which another member led in a later term. */
  newLeaders: number
}

/** Causes faults. */
export interface Nemesis {
  readonly counts: FaultCounts
  /** The time of all faults together, from their start until the cluster is healthy again. */
  readonly faultyMs: () => number
  /**
   * Runs `work` while faults happen, at least one. Resolves when the cluster is healthy again.
   * @throws Error if a fault could not be shown.
   */
  during<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Kills of single members are as frequent as each other kind. */
const kinds: readonly FaultKind[] = ['kill', 'partition', 'pause', 'clock skew']

/** Creates the nemesis of a cluster. The order of its faults depends on the seed. */
export function createNemesis(cluster: Cluster, seed: number): Nemesis {
  const random = createSeededRandom(seed)
  const counts: FaultCounts = { kills: 0, partitions: 0, pauses: 0, clockSkews: 0, newLeaders: 0 }
  let faultyMs = 0
  let round = random.below(kinds.length)

  const causeNext = async (): Promise<void> => {
    const start = performance.now()
    const kind = chooseKind(random, round++)
    const holdMs = 300 + random.below(1500)
    const { hasNewLeader } = await causeFault(kind, { cluster, random, holdMs })
    if (kind === 'kill') counts.kills++
    if (kind === 'kill all') counts.kills += cluster.members.length
    if (kind === 'partition') counts.partitions++
    if (kind === 'pause') counts.pauses++
    if (kind === 'clock skew') counts.clockSkews++
    if (hasNewLeader) counts.newLeaders++
    faultyMs += performance.now() - start
  }
  return {
    counts,
    faultyMs: () => faultyMs,
    async during(work) {
      let isDone = false
      const faults = (async () => {
        do {
          await pause(random.below(400))
          await causeNext()
        } while (!isDone)
      })()
      // A fault that cannot be shown is reported when the work has ended.
      faults.catch(() => {})
      try {
        return await work()
      } finally {
        isDone = true
        await faults
      }
    },
  }
}

/** The kinds in turn. Of five kills, one is of all members. */
function chooseKind(random: SeededRandom, round: number): FaultKind {
  const kind = kinds[round % kinds.length] ?? 'kill'
  return kind === 'kill' && random.percent(20) ? 'kill all' : kind
}
