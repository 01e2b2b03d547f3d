/**
 * A process that writes to the vault until it is killed. It says on its standard output what it is about to do, and
 * what was acknowledged: in single writes to a pipe, which are whole or not there.
 */

import { writeSync } from 'node:fs'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import { makeChange, choose } from './change-vault.js'
import type { Report } from './journal.js'
import { type Form, openVault } from './open-vault.js'

/** What a writer is told, as JSON in its first argument. */
export interface WriterOptions {
  readonly path: string
  readonly form: Form
  readonly vaultId: string
  /** Items that all writers change. */
  readonly shared: readonly string[]
  /** Unlike any other writer's: what its tokens begin with. */
  readonly name: string
  readonly seed: number
}

const options: WriterOptions = JSON.parse(process.argv[2] ?? '')
const { vaultId } = options
const callers = 3

const { service } = await openVault(options.path, options.form)
say('ready')
for (let index = 0; index < callers; index++)
  void writeForever(createSeededRandom(options.seed + index), `${options.name}${'abc'[index]}`)

async function writeForever(random: SeededRandom, name: string): Promise<void> {
  const items = [...options.shared]
  for (let count = 1; ; count++) {
    const intent = choose(random, `${name}-${count}`, items)
    say({ about: intent })
    try {
      const { itemId, version } = await makeChange(service, vaultId, intent)
      say({ done: intent.token, itemId, version })
      if (intent.kind === 'create') items.push(itemId)
    } catch {
      // Not acknowledged, for whatever reason: it may be there or not.
    }
  }
}

function say(report: Report): void {
  writeSync(1, `${JSON.stringify(report)}\n`)
}
