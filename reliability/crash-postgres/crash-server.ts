/** Kills a server under its writers again and again, and looks at the vaults after each recovery. */

import { setTimeout as pause } from 'node:timers/promises'
import { createCaller, NotFoundError } from 'cofferkit'
import { migratePostgres } from 'cofferkit/postgres'
import { checkVault, type Findings } from '../crash/check-vault.js'
import { createJournal, type Journal } from '../crash/journal.js'
import { type Outcome, collectVault } from '../crash/crash-outcome.js'
import {
  type PostgresServer,
  type PostgresSettings,
  startPostgres,
} from '../support/postgres-server.js'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import { type Form, openVault } from './open-vault.js'
import { writeUntilLost } from './write-until-lost.js'

/** What is done to one server. */
export interface Run {
  readonly form: Form
  readonly settings?: PostgresSettings
  readonly cycles: number
  readonly seed: number
}

/** What came of it. */
export interface ServerOutcome extends Outcome {
  readonly kills: number
}

interface Vault {
  readonly id: string
  readonly journal: Journal
}

interface Crashing extends Run {
  readonly server: PostgresServer
  readonly random: SeededRandom
}

const nothing: Findings = { lost: new Set(), torn: new Set(), duplicated: new Set(), unacknowledged: 0 }
const caller = createCaller('checker', '*')
const writers = 12
const longestLife = 500
const cyclesAVault = 10
const twoHours = 7_200_000

/** Ends after the cycle in which something is found wrong. Every vault is looked at once more in the end. */
export async function crashServer(run: Run): Promise<ServerOutcome> {
  const server = await startPostgres(run.settings)
  const crashing = { ...run, server, random: createSeededRandom(run.seed) }
  try {
    const vaults: Vault[] = []
    let kills = 0
    for (let isSound = true; isSound && kills < run.cycles; kills++) {
      if (kills % cyclesAVault === 0) vaults.push(await createVault(crashing))
      const vault = vaults.at(-1)
      if (vault !== undefined) isSound = isClean(await crashOnce(crashing, vault, kills))
    }
    return { kills, ...(await lookAgain(crashing, vaults)) }
  } finally {
    await server.stop()
  }
}

async function createVault({ server, form }: Crashing): Promise<Vault> {
  const { service, pool, close } = openVault(server.url, form)
  await migratePostgres(pool)
  const { id } = await service.createVault(caller, { name: 'Crashing' })
  await close()
  return { id, journal: createJournal() }
}

async function crashOnce(crashing: Crashing, vault: Vault, cycle: number): Promise<Findings> {
  const { server, form, random } = crashing
  const { service, close } = openVault(server.url, form)
  const shared = [...vault.journal.acknowledged.values()].slice(-4).map(({ itemId }) => itemId)
  const writing = Array.from({ length: writers }, (_, index) => {
    const ref = { service, vaultId: vault.id, journal: vault.journal, name: `${cycle}.${index}` }
    return writeUntilLost(ref, createSeededRandom(random.below(2 ** 31)), shared)
  })
  await pause(random.below(longestLife))
  await server.kill()
  await Promise.all(writing)
  await close()
  await server.restart()
  return check(crashing, vault)
}

async function check({ server, form }: Crashing, { id, journal }: Vault): Promise<Findings> {
  const { service, close } = openVault(server.url, form)
  const findings = await checkVault(service, id, journal).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error
    return { ...nothing, lost: new Set([`vault ${id}`, ...journal.acknowledged.keys()]) }
  })
  await close()
  return findings
}

async function lookAgain(crashing: Crashing, vaults: readonly Vault[]): Promise<Outcome> {
  const all: Findings[] = []
  for (const vault of vaults) all.push(await check(crashing, vault))
  const sum = (count: (vault: Vault) => number): number =>
    vaults.reduce((total, vault) => total + count(vault), 0)
  const acknowledged = sum(({ journal }) => journal.acknowledged.size)
  const there = all.reduce((total, { unacknowledged }) => total + unacknowledged, 0)
  return {
    acknowledged,
    there,
    absent: sum(({ journal }) => journal.intents.size) - acknowledged - there,
    lost: all.flatMap(({ lost }) => [...lost]),
    torn: all.flatMap(({ torn }) => [...torn]),
    duplicated: all.flatMap(({ duplicated }) => [...duplicated]),
    ...(all.every(isClean) ? await collect(crashing, vaults) : { collected: 0, orphans: 0 }),
  }
}

async function collect(
  { server, form }: Crashing,
  vaults: readonly Vault[],
): Promise<Pick<Outcome, 'collected' | 'orphans'>> {
  const { service, pool, close } = openVault(server.url, form, twoHours)
  let collected = 0
  let named = 0
  for (const { id: vaultId } of vaults) {
    const found = await collectVault(service, caller, vaultId)
    collected += found.collected
    named += found.named
  }
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int4 AS count FROM cofferkit_blobs',
  )
  await close()
  return { collected, orphans: (rows[0]?.count ?? 0) - named }
}

function isClean({ lost, torn, duplicated }: Findings): boolean {
  return lost.size + torn.size + duplicated.size === 0
}
