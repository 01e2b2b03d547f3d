/**
 * A process that writes to the vault until it is killed. It reports on its standard output what it
 * is about to do, and what was acknowledged. Each report is a single write to a pipe, which arrives
 * completely or not at all.
 */

import { writeSync } from 'node:fs'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import { chooseChange, makeChange } from './change-vault.js'
import type { Report } from './journal.js'
import { openVault, type VaultFile } from './open-vault.js'

/** Options of a writer, passed as JSON in its first argument. */
export interface WriterOptions extends VaultFile {
  readonly vaultId: string
  /** Items that all writers change. */
  readonly shared: readonly string[]
  /** Unique prefix of this writer's tokens. */
  readonly name: string
  readonly seed: number
}

const options: WriterOptions = JSON.parse(process.argv[2] ?? '')
const { vaultId } = options
const callers = 3

const { service } = await openVault(options)
report('ready')
for (let index = 0; index < callers; index++)
  void writeForever(createSeededRandom(options.seed + index), `${options.name}${'abc'[index]}`)

async function writeForever(random: SeededRandom, name: string): Promise<void> {
  const items = [...options.shared]
  for (let count = 1; ; count++) {
    const intent = chooseChange(random, `${name}-${count}`, items)
    report({ about: intent })
    try {
      const { itemId, version } = await makeChange(service, vaultId, intent)
      report({ done: intent.token, itemId, version })
      if (intent.kind === 'create') items.push(itemId)
    } catch {
      // Unacknowledged, for whatever reason: the change may be present or not.
    }
  }
}

function report(content: Report): void {
  writeSync(1, `${JSON.stringify(content)}\n`)
}
