/** Answers which versions of an item there are. */

import type { ItemVersion } from '../../schema/item.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { loadItem } from '../records/load-item.js'
import { readVersions } from '../records/version-records.js'
import type { Context } from '../runtime/context.js'

/** What `listVersions` is told. */
export interface ListVersionsInput {
  readonly vaultId: string
  readonly itemId: string
}

/** The operation `listVersions` of the service: the item's own version first, then those that were kept. */
export async function listVersions(
  context: Context,
  caller: Caller | undefined,
  input: ListVersionsInput,
): Promise<readonly ItemVersion[]> {
  const ref = { vaultId: input.vaultId, itemId: input.itemId }
  await authorize(caller, ref, 'read')
  const { item } = await loadItem(context, ref)
  const found = new Map([[item.version, versionOf(item)]])
  for await (const kept of readVersions(context, ref))
    found.set(kept.item.version, versionOf(kept.item))
  return [...found.values()].sort((one, other) => other.version - one.version)
}

function versionOf({ version, updatedAt, lastEditedBy }: ItemVersion): ItemVersion {
  return { version, updatedAt, lastEditedBy }
}
