/** Creates an item in a vault. */

import type { ItemPlace } from '../../dialects/dialect.js'
import { ConflictError, NotFoundError } from '../../errors.js'
import type { ItemDraft } from '../../schema/item.js'
import type { StoredRecord } from '../../store.js'
import { permit } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { headOf, itemKey } from '../records/item-record.js'
import type { FoundItem } from '../records/load-item.js'
import { removeAnyItem } from '../records/remove-item.js'
import { putItem, stamped } from '../records/update-item.js'
import { isSameVault, requireVault } from '../records/vault-record.js'
import { deedOf, witnessed } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { checkSize } from '../runtime/limits.js'
import { newId } from '../runtime/random.js'
import { buildItem, type KeptItem } from './build-item.js'
import { readDraft } from './parse-draft.js'

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
  const vault = await requireVault(context, vaultId)
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
  const text = JSON.stringify(item)
  checkSize(text, context.limits)
  const { collection, id } = itemKey({ vaultId, itemId: item.id })
  // In the item's queue: whoever sees the item before its put is acknowledged can change it, but only after that.
  const created = await context.queue(`${collection}/${id}`, () =>
    witnessed(context, deedOf('item.created', item), () =>
      putItem(context, { item, head: headOf(item, {}), text }),
    ),
  )
  if (created === undefined) throw new ConflictError(`item ${item.id} already exists`)
  await keepInVault(context, { vaultId, itemId: item.id }, vault)
  return created
}

/**
 * Looks at the vault again: if it has been deleted since it was found, also if there is another of its id by now,
 * `deleteVault` may not have seen the item, which is removed here. @throws NotFoundError then.
 */
async function keepInVault(
  context: Context,
  place: Required<ItemPlace>,
  before: StoredRecord,
): Promise<void> {
  const { vaultId } = place
  try {
    const now = await requireVault(context, vaultId)
    if (!isSameVault(vaultId, before, now)) throw new NotFoundError('vault', vaultId)
  } catch (error) {
    if (error instanceof NotFoundError) await removeAnyItem(context, place)
    throw error
  }
}
