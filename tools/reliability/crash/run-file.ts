/** Kills the writers of one file again and again, and checks the file after each kill. */

import { DatabaseSync } from 'node:sqlite'
import { createCaller } from 'cofferkit'
import { createSeededRandom } from '../support/seeded-random.js'
import { checkVault, type Findings } from './check-vault.js'
import { type CrashOutcome, collectVault } from './crash-outcome.js'
import { createJournal, type Journal } from './journal.js'
import { killWriters } from './kill-writers.js'
import { type Form, openVault } from './open-vault.js'

/** The run of one file. */
export interface Run {
  /** Path of the bundled program of a writer. */
  readonly program: string
  readonly path: string
  readonly form: Form
  readonly cycles: number
  readonly writers: number
  readonly seed: number
}

const caller = createCaller('checker', '*')
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

async function createVault({ path, form }: Run): Promise<string> {
  const { service, close } = await openVault(path, form === 'broken' ? 'plain' : form)
  const { id } = await service.createVault(caller, { name: 'Crashing' })
  await close()
  return id
}

async function checkFile(run: Run, vaultId: string, journal: Journal): Promise<Findings> {
  const damage = findDamage(run.path)
  const { service, close } = await openVault(run.path, run.form)
  const findings = await checkVault(service, vaultId, journal)
  await close()
  return damage === undefined
    ? findings
    : { ...findings, torn: new Set([...findings.torn, damage]) }
}

/** The first error that SQLite's own integrity check reports; undefined if the file is intact. */
function findDamage(path: string): string | undefined {
  const database = new DatabaseSync(path)
  const [first] = database.prepare('pragma integrity_check').all()
  database.close()
  const result = String(first?.['integrity_check'])
  return result === 'ok' ? undefined : result
}

async function collect(
  { path, form }: Run,
  vaultId: string,
): Promise<Pick<CrashOutcome, 'collected' | 'orphans'>> {
  const { service, close } = await openVault(path, form, twoHoursMs)
  const { collected, referenced } = await collectVault(service, caller, vaultId)
  await close()
  const database = new DatabaseSync(path)
  const row = database.prepare('select count(*) as count from cofferkit_blobs').get()
  database.close()
  return { collected, orphans: Number(row?.['count']) - referenced }
}
