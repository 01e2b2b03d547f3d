/** Kills the writers of one file again and again, and checks the file after each kill. */

import { createCaller } from 'cofferkit'
import { createSeededRandom } from '../support/seeded-random.js'
import { loadDriver } from '../support/sqlite-drivers.js'
import { checkVault, type Findings } from './check-vault.js'
import { type CrashOutcome, collectVault } from './crash-outcome.js'
import { createJournal, type Journal } from './journal.js'
import { killWriters } from './kill-writers.js'
import { openVault, type VaultFile } from './open-vault.js'

/** The run of one file. */
export interface Run extends VaultFile {
  /** Path of the bundled program of a writer. */
  readonly program: string
  readonly cycles: number
  readonly writers: number
  readonly seed: number
}

const caller = createCaller({ id: 'checker', vaults: '*' })
const twoHoursMs = 7_200_000

/** Ends after the first cycle in which a failure is found. */
export async function runFile(run: Run): Promise<CrashOutcome> {
  const journal = createJournal()
  const random = createSeededRandom(run.seed)
  const vaultId = await createVault(run)
  let findings: Findings | undefined
  for (let cycle = 0; cycle < run.cycles; cycle++) {
    const shared = [...journal.acknowledged.values()].slice(-4).map(({ itemId }) => itemId)
    const options = Array.from({ length: run.writers }, (_, index) => ({
      ...run,
      vaultId,
      shared,
      name: `${cycle}.${index}`,
      seed: random.below(2 ** 31),
    }))
    const from = random.percent(90) ? 'ready' : 'start'
    await killWriters(run.program, options, journal, { after: random.below(200), from })
    findings = await checkFile(run, vaultId, journal)
    if (findings.lost.size + findings.torn.size + findings.duplicated.size > 0) break
  }
  const { lost = [], torn = [], duplicated = [], unacknowledged = 0 } = findings ?? {}
  const acknowledged = journal.acknowledged.size
  return {
    acknowledged,
    present: unacknowledged,
    absent: journal.intents.size - acknowledged - unacknowledged,
    lost: [...lost],
    torn: [...torn],
    duplicated: [...duplicated],
    ...(await collect(run, vaultId)),
  }
}

async function createVault(run: Run): Promise<string> {
  const form = run.form === 'broken' ? 'plain' : run.form
  const { service, close } = await openVault({ ...run, form })
  const { id } = await service.createVault(caller, { name: 'Crashing' })
  await close()
  return id
}

async function checkFile(run: Run, vaultId: string, journal: Journal): Promise<Findings> {
  const damage = findDamage(run)
  const { service, close } = await openVault(run)
  const findings = await checkVault(service, vaultId, journal)
  await close()
  return damage === undefined
    ? findings
    : { ...findings, torn: new Set([...findings.torn, damage]) }
}

/** The first error that SQLite's own integrity check reports; undefined if the file is intact. */
function findDamage(run: Run): string | undefined {
  const result = String(
    readFirst(run, 'select integrity_check as first from pragma_integrity_check'),
  )
  return result === 'ok' ? undefined : result
}

/**
 * Returns the column `first` of the first row. Uses the driver of the run, because two SQLite
 * libraries in one process do not see each other's locks.
 */
function readFirst({ path, driver }: Run, sql: string): unknown {
  const database = new (loadDriver(driver))(path)
  const row = database.prepare(sql).get()
  database.close()
  return Object(row).first
}

async function collect(
  run: Run,
  vaultId: string,
): Promise<Pick<CrashOutcome, 'collected' | 'orphans'>> {
  const { service, close } = await openVault(run, twoHoursMs)
  const { collected, referenced } = await collectVault(service, caller, vaultId)
  await close()
  const stored = readFirst(run, 'select count(*) as first from cofferkit_blobs')
  return { collected, orphans: Number(stored) - referenced }
}
