/** Creates an item in a vault. */

import { ConflictError, NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { ItemDraft } from '../../schema/item.js'
import type { StoredRecord } from '../../store.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { formatHeader, itemKey } from '../records/item-record.js'
import type { StoredItem } from '../records/load-item.js'
import { deleteItemIfPresent } from '../records/remove-item.js'
import { nextVersion, writeItem } from '../records/update-item.js'
import { isSameVault, requireVaultRecord } from '../records/vault-record.js'
import { itemChange, withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { checkSize } from '../runtime/limits.js'
import { newId } from '../runtime/random.js'
import { buildItem, type ManagedItemFields } from './build-item.js'
import { parseDraft } from './parse-draft.js'

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
): Promise<StoredItem> {
  const { vaultId } = input
  const creator = await authorize(caller, { vaultId }, 'write')
  const draft = parseDraft(context, input.item, { vaultId })
  const vault = await requireVaultRecord(context, vaultId)
  const now = context.now()
  const emptyItem: ManagedItemFields = {
    id: newId(context.randomBytes),
    vault: { id: vaultId },
    version: 0,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    lastEditedBy: creator.id,
    fields: [],
    files: [],
  }
  const item = nextVersion(buildItem(context, draft, emptyItem), creator, now)
  const text = JSON.stringify(item)
  checkSize(text, context.limits)
  const { collection, id } = itemKey({ vaultId, itemId: item.id })
  // In the item's queue: whoever sees the item before its put is acknowledged can change it, but only after that.
  const created = await context.queue(`${collection}/${id}`, () =>
    withChangeHooks(context, itemChange('item.created', item), () =>
      writeItem(context, { item, header: formatHeader(item, {}), text }),
    ),
  )
  if (created === undefined) throw new ConflictError(`item ${item.id} already exists`)
  await undoIfVaultDeleted(context, { vaultId, itemId: item.id }, vault)
  return created
}

/**
 * Looks at the vault again: if it has been deleted since it was found, also if there is another of its id by now,
 * `deleteVault` may not have seen the item, which is removed here. @throws NotFoundError then.
 */
async function undoIfVaultDeleted(
  context: Context,
  ref: ItemRef,
  before: StoredRecord,
): Promise<void> {
  const { vaultId } = ref
  try {
    const now = await requireVaultRecord(context, vaultId)
    if (!isSameVault(vaultId, before, now)) throw new NotFoundError('vault', vaultId)
  } catch (error) {
    if (error instanceof NotFoundError) await deleteItemIfPresent(context, ref)
    throw error
  }
}
