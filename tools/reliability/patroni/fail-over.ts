/** Kills the primary of a cluster under its writers again and again, and checks what was lost. */

import { setTimeout as pause } from 'node:timers/promises'
import { createCaller, createVaultService, type VaultService } from 'cofferkit'
import { chooseChange, makeChange } from '../crash/change-vault.js'
import { checkVault, type Findings } from '../crash/check-vault.js'
import { addReport, createJournal, type Journal } from '../crash/journal.js'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import { type Cluster, readTimeline } from './cluster.js'
import type { Member } from './member.js'
import { type Driver, openStore } from './open-store.js'

/** A vault on the cluster, and what its writers have reported. */
export interface ClusterVault {
  readonly cluster: Cluster
  readonly service: VaultService
  readonly vaultId: string
  readonly journal: Journal
  close(): Promise<void>
}

/** The outcome of one fail-over. */
export interface FailOver {
  readonly from: string
  readonly to: string
  /** The timeline before and after it. */
  readonly timelines: readonly [before: number, after: number]
  /** Milliseconds from the kill to the first acknowledged change that began after it. */
  readonly outageMs: number
  readonly findings: Findings
}

const caller = createCaller('checker', '*')
const writers = 12
const maxOutageMs = 120_000

/** Creates a vault with a service of its own. */
export async function createClusterVault(cluster: Cluster, driver: Driver): Promise<ClusterVault> {
  const { store, close } = await openStore(driver, cluster.members)
  const service = createVaultService({ store, limits: { tags: 1_000_000 } })
  const { id: vaultId } = await service.createVault(caller, { name: 'Failing over' })
  return { cluster, service, vaultId, journal: createJournal(), close }
}

/**
 * Kills the primary while twelve writers work, and resolves when all members are part of the
 * cluster again. Before the killed one is restarted, everything is read from the new primary.
 * @param beforeKill - Is called with the members that are not killed, before the last second of
 * writes. Returns a function that is called right after the kill.
 */
export async function failOver(
  vault: ClusterVault,
  random: SeededRandom,
  number: number,
  beforeKill: (replicas: readonly Member[]) => () => void = () => () => {},
): Promise<FailOver> {
  const { cluster } = vault
  const from = await cluster.whole()
  const before = await readTimeline(from)
  const run: Run = { isWriting: true, killedAt: undefined, firstAfterKill: undefined }
  const writing = Array.from({ length: writers }, (_, index) =>
    keepWriting(vault, run, createSeededRandom(random.below(2 ** 31)), `${number}.${index}`),
  )
  await pause(500 + random.below(1_000))
  const afterKill = beforeKill(cluster.members.filter((member) => member !== from))
  await pause(random.below(1_000))
  run.killedAt = performance.now()
  if (!(await from.kill())) throw new Error(`${from.name} was not running`)
  afterKill()
  const outageMs = await untilAcknowledged(run, run.killedAt)
  await pause(500)
  run.isWriting = false
  await Promise.all(writing)
  const to = await findPrimary(cluster.members.filter((member) => member !== from))
  const findings = await checkVault(vault.service, vault.vaultId, vault.journal)
  const after = await readTimeline(to)
  from.start()
  await cluster.whole()
  return { from: from.name, to: to.name, timelines: [before, after], outageMs, findings }
}

interface Run {
  isWriting: boolean
  killedAt: number | undefined
  firstAfterKill: number | undefined
}

/** Makes changes until the run ends. The outcome of a change that fails is unknown. */
async function keepWriting(
  { service, vaultId, journal }: ClusterVault,
  run: Run,
  random: SeededRandom,
  name: string,
): Promise<void> {
  const items = [...journal.acknowledged.values()].slice(-4).map(({ itemId }) => itemId)
  for (let count = 0; run.isWriting; count++) {
    const intent = chooseChange(random, `${name}-${count}`, items)
    addReport(journal, { about: intent })
    const isAfterKill = run.killedAt !== undefined
    const done = await makeChange(service, vaultId, intent).catch(() => undefined)
    if (done === undefined) {
      await pause(100)
      continue
    }
    addReport(journal, { done: intent.token, ...done })
    if (intent.kind === 'create') items.push(done.itemId)
    if (isAfterKill) run.firstAfterKill ??= performance.now()
  }
}

async function untilAcknowledged(run: Run, killedAt: number): Promise<number> {
  while (run.firstAfterKill === undefined) {
    if (performance.now() - killedAt > maxOutageMs)
      throw new Error(`no change was acknowledged for ${maxOutageMs} ms`)
    await pause(5)
  }
  return run.firstAfterKill - killedAt
}

async function findPrimary(members: readonly Member[]): Promise<Member> {
  for (const member of members) if (await member.has('primary')) return member
  throw new Error('no other member has become the primary')
}
