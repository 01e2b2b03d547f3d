/** Crashes the writers of one file again and again, and looks at the file after each crash. */

import { DatabaseSync } from 'node:sqlite'
import { createCaller } from 'cofferkit'
import { createSeededRandom } from '../support/seeded-random.js'
import { checkVault, type Findings } from './check-vault.js'
import { createJournal, type Journal } from './journal.js'
import { killWriters } from './kill-writers.js'
import { type Form, openVault } from './open-vault.js'
import { type Outcome, collectVault } from './crash-outcome.js'

/** What is done to one file. */
export interface Run {
  /** The writer's program, built. */
  readonly program: string
  readonly path: string
  readonly form: Form
  readonly cycles: number
  readonly writers: number
  readonly seed: number
}

const caller = createCaller('checker', '*')
const twoHours = 7_200_000

/** Ends after the cycle in which something is found wrong. */
export async function runFile(run: Run): Promise<Outcome> {
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
    there: unacknowledged,
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
  const damage = damageOf(run.path)
  const { service, close } = await openVault(run.path, run.form)
  const findings = await checkVault(service, vaultId, journal)
  await close()
  return damage === undefined
    ? findings
    : { ...findings, torn: new Set([...findings.torn, damage]) }
}

/** What SQLite's own check of the file complains of. */
function damageOf(path: string): string | undefined {
  const database = new DatabaseSync(path)
  const [first] = database.prepare('pragma integrity_check').all()
  database.close()
  const words = String(first?.['integrity_check'])
  return words === 'ok' ? undefined : words
}

async function collect(
  { path, form }: Run,
  vaultId: string,
): Promise<Pick<Outcome, 'collected' | 'orphans'>> {
  const { service, close } = await openVault(path, form, twoHours)
  const { collected, named } = await collectVault(service, caller, vaultId)
  await close()
  const database = new DatabaseSync(path)
  const row = database.prepare('select count(*) as count from cofferkit_blobs').get()
  database.close()
  return { collected, orphans: Number(row?.['count']) - named }
}
