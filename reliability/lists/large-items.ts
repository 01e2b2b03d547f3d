/** Vaults of items of one megabyte, and the most expensive filter. */

import { createCaller, type ItemDraft, type VaultService } from 'cofferkit'

/** May do everything. */
export const caller = createCaller('prover', '*')

/** A megabyte in 1,000 fields, of which a summary holds nothing. */
export function wideItem(vaultId: string): ItemDraft {
  const value = 'The quick brown fox jumps over the lazy dog. '.repeat(22)
  const fields = Array.from({ length: 1000 }, (_, index) => ({ id: `field-${index}`, value }))
  return { category: 'SECURE_NOTE', vault: { id: vaultId }, title: 'wide', tags: ['proof'], fields }
}

/** A megabyte in 100 tags, which `worstFilter` has to look at to their ends. */
export function taggedItem(vaultId: string): ItemDraft {
  const tags = Array.from({ length: 100 }, () => 'ab'.repeat(5000))
  return { category: 'SECURE_NOTE', vault: { id: vaultId }, title: 'tagged', tags }
}

/** 64 comparisons that no tag meets and that almost meet at every place. */
export const worstFilter = Array.from({ length: 64 }, (_, index) => {
  const start = 'ab'.repeat(index % 16)
  return `tag co "${start}${String.fromCodePoint(0x63 + index)}"`.replace('"""', '"-"')
}).join(' or ')

/** Creates so many of the items in a new vault. */
export async function fillVault(
  service: VaultService,
  count: number,
  draftFor: (vaultId: string) => ItemDraft,
): Promise<string> {
  const { id: vaultId } = await service.createVault(caller, { name: 'Large items' })
  for (let index = 0; index < count; index++)
    await service.createItem(caller, { vaultId, item: draftFor(vaultId) })
  return vaultId
}
