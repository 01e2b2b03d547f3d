/**
 * A process that writes to the vault until it is killed. It says on its standard output what it is about to do, and
 * what was acknowledged: in single writes to a pipe, which are whole or not there.
 */

import { writeSync } from 'node:fs'
import { grant, type VaultService } from 'cofferkit'
import { createDice, type Dice } from '../support/dice.js'
import { contentOf, type Intent, type Report } from './ledger.js'
import { type Form, openVault } from './open-vault.js'

/** What a writer is told, as JSON in its first argument. */
export interface WriterOrders {
  readonly path: string
  readonly form: Form
  readonly vaultId: string
  /** Items that all writers change. */
  readonly shared: readonly string[]
  /** Unlike any other writer's: what its tokens begin with. */
  readonly name: string
  readonly seed: number
}

const orders: WriterOrders = JSON.parse(process.argv[2] ?? '')
const caller = grant('writer', '*')
const { vaultId } = orders
const callers = 3

const { service } = await openVault(orders.path, orders.form)
say('ready')
for (let index = 0; index < callers; index++)
  void writeForever(createDice(orders.seed + index), `${orders.name}${'abc'[index]}`)

async function writeForever(dice: Dice, name: string): Promise<void> {
  const items = [...orders.shared]
  for (let count = 1; ; count++) {
    const intent = choose(dice, `${name}-${count}`, items)
    say({ about: intent })
    try {
      const { itemId, version } = await carryOut(service, intent)
      say({ done: intent.token, itemId, version })
      if (intent.kind === 'create') items.push(itemId)
    } catch {
      // Not acknowledged, for whatever reason: it may be there or not.
    }
  }
}

function choose(dice: Dice, token: string, items: readonly string[]): Intent {
  if (items.length === 0 || dice.percent(40)) return { token, kind: 'create' }
  return { token, kind: dice.percent(70) ? 'patch' : 'attach', itemId: dice.pick(items) }
}

/** The item and its version when the change was acknowledged; for a file 0, because its version is not told. */
async function carryOut(
  { createItem, patchItem, attachFile }: VaultService,
  { token, kind, itemId = '' }: Intent,
): Promise<{ readonly itemId: string; readonly version: number }> {
  if (kind === 'create') {
    const fields = [{ id: 'password', type: 'CONCEALED' as const, value: token }]
    const item = { category: 'LOGIN' as const, vault: { id: vaultId }, title: token, fields }
    const { id, version } = await createItem(caller, { vaultId, item })
    return { itemId: id, version }
  }
  if (kind === 'patch') {
    const patch = [
      { op: 'add', path: '/tags/-', value: token },
      { op: 'replace', path: '/fields/password/value', value: token },
    ] as const
    const { version } = await patchItem(caller, { vaultId, itemId, patch })
    return { itemId, version }
  }
  await attachFile(caller, { vaultId, itemId, name: token, content: contentOf(token) })
  return { itemId, version: 0 }
}

function say(report: Report): void {
  writeSync(1, `${JSON.stringify(report)}\n`)
}
