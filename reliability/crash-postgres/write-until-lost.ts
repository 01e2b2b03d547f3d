/** Writes to a vault until its database is gone, and enters what was meant and what was acknowledged. */

import type { VaultService } from 'cofferkit'
import { makeChange, choose } from '../crash/change-vault.js'
import { addReport, type Journal } from '../crash/journal.js'
import type { SeededRandom } from '../support/seeded-random.js'

/** Where a writer writes, and what its tokens begin with: unlike any other writer's. */
export interface WritingPlace {
  readonly service: VaultService
  readonly vaultId: string
  readonly journal: Journal
  readonly name: string
}

/**
 * One change after the other, to items of its own and to `shared` ones, until one of them fails, which is then open.
 * Resolves with how many were acknowledged.
 */
export async function writeUntilLost(
  { service, vaultId, journal, name }: WritingPlace,
  random: SeededRandom,
  shared: readonly string[],
): Promise<number> {
  const items = [...shared]
  for (let count = 0; ; count++) {
    const intent = choose(random, `${name}-${count}`, items)
    addReport(journal, { about: intent })
    const done = await makeChange(service, vaultId, intent).catch(() => undefined)
    if (done === undefined) return count
    addReport(journal, { done: intent.token, ...done })
    if (intent.kind === 'create') items.push(done.itemId)
  }
}
