/** The changes that writers make, chosen at random. */

import { createCaller, type VaultService } from 'cofferkit'
import type { SeededRandom } from '../support/seeded-random.js'
import { createContent, type Intent } from './journal.js'

const caller = createCaller({ id: 'writer', vaults: '*' })

/** Chooses the next change: a new item, or a change of one of these items. */
export function chooseChange(
  random: SeededRandom,
  token: string,
  items: readonly string[],
): Intent {
  if (items.length === 0 || random.percent(40)) return { token, kind: 'create' }
  return { token, kind: random.percent(70) ? 'patch' : 'attach', itemId: random.pick(items) }
}

/**
 * Makes the change. Resolves with the item and its version after it; 0 for a file, because
 * `attachFile` does not return the version.
 */
export async function makeChange(
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
    await attachFile(caller, { vaultId, itemId, name: token, content: createContent(token) })
    return { itemId, version: 0 }
  }
  const patch = [
    { op: 'add', path: '/tags/-', value: token },
    { op: 'replace', path: '/fields/password/value', value: token },
  ] as const
  const { version } = await patchItem(caller, { vaultId, itemId, patch })
  return { itemId, version }
}
