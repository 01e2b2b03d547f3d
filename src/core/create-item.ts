/** Creates an item in a vault. */

import { ConflictError } from '../errors.js'
import type { ItemDraft } from '../schema/item.js'
import { buildItem, type KeptItem } from './build-item.js'
import type { Caller } from './caller.js'
import { putItem, stamped } from './change-item.js'
import type { Context } from './context.js'
import { headOf } from './item-record.js'
import { permit } from './permit.js'
import { newId } from './random.js'
import { readDraft } from './read-draft.js'
import type { FoundItem } from './read-item.js'
import { requireVault } from './read-vault.js'

/** What `createItem` is told. */
export interface CreateItemInput {
  readonly vaultId: string
  readonly item: ItemDraft
}

/** The operation `createItem` of the service. */
export async function createItem(
  context: Context,
  caller: Caller | undefined,
  input: CreateItemInput,
): Promise<FoundItem> {
  const { vaultId } = input
  const creator = await permit(caller, { vaultId }, 'write')
  const draft = readDraft(context, input.item, { vaultId })
  await requireVault(context, vaultId)
  const now = context.now()
  const blank: KeptItem = {
    id: newId(context.randomBytes),
    vault: { id: vaultId },
    version: 0,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    lastEditedBy: creator.id,
    fields: [],
    files: [],
  }
  const item = stamped(buildItem(context, draft, blank), creator, now)
  const created = await putItem(context, item, headOf(item, {}))
  if (created === undefined) throw new ConflictError(`item ${item.id} already exists`)
  return created
}
