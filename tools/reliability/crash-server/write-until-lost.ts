/** Writes to a vault until its database is gone, and keeps the journal. */

import type { VaultService } from 'cofferkit'
import { chooseChange, makeChange } from '../crash/change-vault.js'
import { addReport, type Journal } from '../crash/journal.js'
import type { SeededRandom } from '../support/seeded-random.js'

/** A writer: its vault and journal, and the unique prefix of its tokens. */
export interface Writer {
  readonly service: VaultService
  readonly vaultId: string
  readonly journal: Journal
  readonly name: string
}

/**
 * Makes one change after the other, to items of its own and to `shared` ones, until a change fails.
 * The outcome of that change is unknown. Resolves with the number of acknowledged changes.
 */
export async function writeUntilLost(
  { service, vaultId, journal, name }: Writer,
  random: SeededRandom,
  shared: readonly string[],
): Promise<number> {
  const items = [...shared]
  for (let count = 0; ; count++) {
    const intent = chooseChange(random, `${name}-${count}`, items)
    addReport(journal, { about: intent })
    const done = await makeChange(service, vaultId, intent).catch(() => undefined)
    if (done === undefined) return count
    addReport(journal, { done: intent.token, ...done })
    if (intent.kind === 'create') items.push(done.itemId)
  }
}
