/** Writes to a vault until its database is gone, and enters what was meant and what was acknowledged. */

import { grant, type VaultService } from 'cofferkit'
import { contentOf, enter, type Intent, type Ledger } from '../crash/ledger.js'
import type { Dice } from '../support/dice.js'

/** Where a writer writes, and what its tokens begin with: unlike any other writer's. */
export interface WritingPlace {
  readonly service: VaultService
  readonly vaultId: string
  readonly ledger: Ledger
  readonly name: string
}

const caller = grant('writer', '*')

/**
 * One change after the other, to items of its own and to `shared` ones, until one of them fails, which is then open.
 * Resolves with how many were acknowledged.
 */
export async function writeUntilLost(
  { service, vaultId, ledger, name }: WritingPlace,
  dice: Dice,
  shared: readonly string[],
): Promise<number> {
  const items = [...shared]
  for (let count = 0; ; count++) {
    const intent = choose(dice, `${name}-${count}`, items)
    enter(ledger, { about: intent })
    const done = await carryOut(service, vaultId, intent).catch(() => undefined)
    if (done === undefined) return count
    enter(ledger, { done: intent.token, ...done })
    if (intent.kind === 'create') items.push(done.itemId)
  }
}

function choose(dice: Dice, token: string, items: readonly string[]): Intent {
  if (items.length === 0 || dice.percent(40)) return { token, kind: 'create' }
  return { token, kind: dice.percent(70) ? 'patch' : 'attach', itemId: dice.pick(items) }
}

/** The item and its version when the change was acknowledged; for a file 0, because its version is not told. */
async function carryOut(
  { createItem, patchItem, attachFile }: VaultService,
  vaultId: string,
  { token, kind, itemId = '' }: Intent,
): Promise<{ readonly itemId: string; readonly version: number }> {
  if (kind === 'create') {
    const fields = [{ id: 'password', type: 'CONCEALED' as const, value: token }]
    const item = { category: 'LOGIN' as const, vault: { id: vaultId }, title: token, fields }
    const { id, version } = await createItem(caller, { vaultId, item })
    return { itemId: id, version }
  }
  if (kind === 'attach') {
    await attachFile(caller, { vaultId, itemId, name: token, content: contentOf(token) })
    return { itemId, version: 0 }
  }
  const patch = [
    { op: 'add', path: '/tags/-', value: token },
    { op: 'replace', path: '/fields/password/value', value: token },
  ] as const
  const { version } = await patchItem(caller, { vaultId, itemId, patch })
  return { itemId, version }
}
