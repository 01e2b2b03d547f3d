/** Kills a server under its writers again and again, and looks at the vaults after each recovery. */

import { setTimeout as pause } from 'node:timers/promises'
import { createCaller, NotFoundError } from 'cofferkit'
import { migratePostgres } from 'cofferkit/postgres'
import { checkVault, type Findings } from '../crash/check-vault.js'
import { emptyLedger, type Ledger } from '../crash/journal.js'
import { type Outcome, sweepVault } from '../crash/outcome.js'
import {
  type PostgresServer,
  type PostgresSettings,
  startPostgres,
} from '../support/postgres-server.js'
import { createDice, type Dice } from '../support/seeded-random.js'
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
  readonly ledger: Ledger
}

interface Crashing extends Run {
  readonly server: PostgresServer
  readonly dice: Dice
}

const nothing: Findings = { lost: new Set(), torn: new Set(), doubled: new Set(), thereAnyway: 0 }
const caller = createCaller('checker', '*')
const writers = 12
const longestLife = 500
const cyclesAVault = 10
const twoHours = 7_200_000

/** Ends after the cycle in which something is found wrong. Every vault is looked at once more in the end. */
export async function crashServer(run: Run): Promise<ServerOutcome> {
  const server = await startPostgres(run.settings)
  const crashing = { ...run, server, dice: createDice(run.seed) }
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
  return { id, ledger: emptyLedger() }
}

async function crashOnce(crashing: Crashing, vault: Vault, cycle: number): Promise<Findings> {
  const { server, form, dice } = crashing
  const { service, close } = openVault(server.url, form)
  const shared = [...vault.ledger.acknowledged.values()].slice(-4).map(({ itemId }) => itemId)
  const writing = Array.from({ length: writers }, (_, index) => {
    const ref = { service, vaultId: vault.id, ledger: vault.ledger, name: `${cycle}.${index}` }
    return writeUntilLost(ref, createDice(dice.below(2 ** 31)), shared)
  })
  await pause(dice.below(longestLife))
  await server.kill()
  await Promise.all(writing)
  await close()
  await server.restart()
  return check(crashing, vault)
}

async function check({ server, form }: Crashing, { id, ledger }: Vault): Promise<Findings> {
  const { service, close } = openVault(server.url, form)
  const findings = await checkVault(service, id, ledger).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error
    return { ...nothing, lost: new Set([`vault ${id}`, ...ledger.acknowledged.keys()]) }
  })
  await close()
  return findings
}

async function lookAgain(crashing: Crashing, vaults: readonly Vault[]): Promise<Outcome> {
  const all: Findings[] = []
  for (const vault of vaults) all.push(await check(crashing, vault))
  const sum = (count: (vault: Vault) => number): number =>
    vaults.reduce((total, vault) => total + count(vault), 0)
  const acknowledged = sum(({ ledger }) => ledger.acknowledged.size)
  const there = all.reduce((total, { thereAnyway }) => total + thereAnyway, 0)
  return {
    acknowledged,
    there,
    absent: sum(({ ledger }) => ledger.intents.size) - acknowledged - there,
    lost: all.flatMap(({ lost }) => [...lost]),
    torn: all.flatMap(({ torn }) => [...torn]),
    doubled: all.flatMap(({ doubled }) => [...doubled]),
    ...(all.every(isClean) ? await sweep(crashing, vaults) : { swept: 0, orphans: 0 }),
  }
}

async function sweep(
  { server, form }: Crashing,
  vaults: readonly Vault[],
): Promise<Pick<Outcome, 'swept' | 'orphans'>> {
  const { service, pool, close } = openVault(server.url, form, twoHours)
  let swept = 0
  let named = 0
  for (const { id: vaultId } of vaults) {
    const found = await sweepVault(service, caller, vaultId)
    swept += found.swept
    named += found.named
  }
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int4 AS count FROM cofferkit_blobs',
  )
  await close()
  return { swept, orphans: (rows[0]?.count ?? 0) - named }
}

function isClean({ lost, torn, doubled }: Findings): boolean {
  return lost.size + torn.size + doubled.size === 0
}
