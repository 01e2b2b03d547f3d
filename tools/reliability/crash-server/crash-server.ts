/** Kills a server under its writers again and again, and checks the vaults after each recovery. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createCaller, NotFoundError } from 'cofferkit'
import { checkVault, type Findings } from '../crash/check-vault.js'
import { type CrashOutcome, collectVault } from '../crash/crash-outcome.js'
import { createJournal, type Journal } from '../crash/journal.js'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import { type CrashableServer, type Form, openVault, type ServerKind } from './open-vault.js'
import { writeUntilLost } from './write-until-lost.js'

/** The run of one server. */
export interface Run {
  readonly kind: ServerKind
  readonly form: Form
  readonly settings?: Readonly<Record<string, string>>
  readonly cycles: number
  readonly seed: number
}

/** The outcome of a run. */
export interface ServerOutcome extends CrashOutcome {
  readonly kills: number
}

interface Vault {
  readonly id: string
  readonly journal: Journal
}

interface RunningServer extends Run {
  readonly server: CrashableServer
  readonly random: SeededRandom
}

const noFindings: Findings = {
  lost: new Set(),
  torn: new Set(),
  duplicated: new Set(),
  unacknowledged: 0,
}
const caller = createCaller({ id: 'checker', vaults: '*' })
const writers = 12
const maxLifeMs = 500
const cyclesPerVault = 10
const twoHoursMs = 7_200_000

/** Ends after the first cycle in which a failure is found. Every vault is checked again at the end. */
export async function crashServer(run: Run): Promise<ServerOutcome> {
  const server = await run.kind.start(run.settings)
  const running = { ...run, server, random: createSeededRandom(run.seed) }
  try {
    const vaults: Vault[] = []
    let kills = 0
    for (let isIntact = true; isIntact && kills < run.cycles; kills++) {
      if (kills % cyclesPerVault === 0) vaults.push(await createVault(running))
      const vault = vaults.at(-1)
      if (vault !== undefined) isIntact = isClean(await crashOnce(running, vault, kills))
    }
    return { kills, ...(await checkAll(running, vaults)) }
  } finally {
    await server.stop()
  }
}

async function createVault({ kind, server, form }: RunningServer): Promise<Vault> {
  const { service, migrate, close } = openVault(kind.connect(server.url), form)
  await migrate()
  const { id } = await service.createVault(caller, { name: 'Crashing' })
  await close()
  return { id, journal: createJournal() }
}

async function crashOnce(running: RunningServer, vault: Vault, cycle: number): Promise<Findings> {
  const { kind, server, form, random } = running
  const { service, close } = openVault(kind.connect(server.url), form)
  const shared = [...vault.journal.acknowledged.values()].slice(-4).map(({ itemId }) => itemId)
  const writing = Array.from({ length: writers }, (_, index) => {
    const writer = {
      service,
      vaultId: vault.id,
      journal: vault.journal,
      name: `${cycle}.${index}`,
    }
    return writeUntilLost(writer, createSeededRandom(random.below(2 ** 31)), shared)
  })
  await sleep(random.below(maxLifeMs))
  await server.kill()
  await Promise.all(writing)
  await close()
  await server.restart()
  return check(running, vault)
}

async function check(
  { kind, server, form }: RunningServer,
  { id, journal }: Vault,
): Promise<Findings> {
  const { service, close } = openVault(kind.connect(server.url), form)
  const findings = await checkVault(service, id, journal).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error
    return { ...noFindings, lost: new Set([`vault ${id}`, ...journal.acknowledged.keys()]) }
  })
  await close()
  return findings
}

async function checkAll(running: RunningServer, vaults: readonly Vault[]): Promise<CrashOutcome> {
  const findings: Findings[] = []
  for (const vault of vaults) findings.push(await check(running, vault))
  const sum = (count: (vault: Vault) => number): number =>
    vaults.reduce((total, vault) => total + count(vault), 0)
  const acknowledged = sum(({ journal }) => journal.acknowledged.size)
  const present = findings.reduce((total, { unacknowledged }) => total + unacknowledged, 0)
  return {
    acknowledged,
    present,
    absent: sum(({ journal }) => journal.intents.size) - acknowledged - present,
    lost: findings.flatMap(({ lost }) => [...lost]),
    torn: findings.flatMap(({ torn }) => [...torn]),
    duplicated: findings.flatMap(({ duplicated }) => [...duplicated]),
    ...(findings.every(isClean) ? await collect(running, vaults) : { collected: 0, orphans: 0 }),
  }
}

async function collect(
  { kind, server, form }: RunningServer,
  vaults: readonly Vault[],
): Promise<Pick<CrashOutcome, 'collected' | 'orphans'>> {
  const { service, countBlobs, close } = openVault(kind.connect(server.url), form, twoHoursMs)
  let [collected, referenced] = [0, 0]
  for (const { id: vaultId } of vaults) {
    const vault = await collectVault(service, caller, vaultId)
    collected += vault.collected
    referenced += vault.referenced
  }
  const orphans = (await countBlobs()) - referenced
  await close()
  return { collected, orphans }
}

function isClean({ lost, torn, duplicated }: Findings): boolean {
  return lost.size + torn.size + duplicated.size === 0
}
