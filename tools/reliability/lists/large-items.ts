/** Vaults of items of one megabyte, and the most expensive filter. */

import { createCaller, type ItemDraft, type VaultService } from 'cofferkit'

/** A caller with all permissions. */
export const caller = createCaller('checker', '*')

/** A megabyte in 1,000 fields, which a summary does not contain. */
export function createWideItem(vaultId: string): ItemDraft {
  const value = 'The quick brown fox jumps over the lazy dog. '.repeat(22)
  const fields = Array.from({ length: 1000 }, (_, index) => ({ id: `field-${index}`, value }))
  return { category: 'SECURE_NOTE', vault: { id: vaultId }, title: 'wide', tags: ['large'], fields }
}

/** A megabyte in 100 tags, which `worstFilter` must compare to their ends. */
export function createTaggedItem(vaultId: string): ItemDraft {
  const tags = Array.from({ length: 100 }, () => 'ab'.repeat(5000))
  return { category: 'SECURE_NOTE', vault: { id: vaultId }, title: 'tagged', tags }
}

/** 64 comparisons that match no tag and almost match at every offset. */
export const worstFilter = Array.from({ length: 64 }, (_, index) => {
  const start = 'ab'.repeat(index % 16)
  return `tag co "${start}${String.fromCodePoint(0x63 + index)}"`.replace('"""', '"-"')
}).join(' or ')

/** Creates `count` items in a new vault. Resolves with the id of the vault. */
export async function fillVault(
  service: VaultService,
  count: number,
  createDraft: (vaultId: string) => ItemDraft,
): Promise<string> {
  const { id: vaultId } = await service.createVault(caller, { name: 'Large items' })
  for (let index = 0; index < count; index++)
    await service.createItem(caller, { vaultId, item: createDraft(vaultId) })
  return vaultId
}
