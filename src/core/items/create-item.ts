/** Creates an item in a vault. */

import { ConflictError, NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { ItemDraft, VaultReference } from '../../schema/item.js'
import type { StoredRecord } from '../../store.js'
import { defineOperation } from '../define-operation.js'
import { readErrors } from '../operation-errors.js'
import { deleteItemIfPresent } from '../records/delete-item-record.js'
import { formatHeader, itemKey, toItem } from '../records/item-record.js'
import { checkItemRule } from '../records/item-rule.js'
import { toNextVersion, writeItem } from '../records/update-item.js'
import {
  isSameVault,
  isVaultRecord,
  requireVaultRecord,
  vaultKey,
} from '../records/vault-record.js'
import { itemChange, withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { checkSize, checkStringsOf } from '../runtime/limits.js'
import { runInTurn } from '../runtime/optimistic-retry.js'
import { newId } from '../runtime/random.js'
import { buildItem, itemBody, type ManagedItemFields } from './build-item.js'

/** Input of `createItem`: `vaultId` or `item.vault` can be absent, as one implies the other. */
export type CreateItemInput =
  | { readonly vaultId: string; readonly item: NewItemDraft }
  | { readonly vaultId?: undefined; readonly item: ItemDraft }

/** An item as a client sends it to `createItem`. */
export interface NewItemDraft extends Omit<ItemDraft, 'vault'> {
  /** Must be the vault of the operation; that vault if absent. */
  readonly vault?: VaultReference | undefined
}

/** Creates an item in a vault, under a random id. */
export const createItem = defineOperation({
  name: 'createItem',
  summary: 'Creates an item in a vault',
  target: 'vault',
  permissions: ['write'],
  activity: ['CREATE', 'ITEM'],
  errors: [...readErrors, 'CONFLICT', 'GENERATION_FAILED'],
  body: itemBody,
  toPublic: toItem,
  completeInput,
  async run({ context, caller }, { vaultId, item: draft }) {
    const vault = await requireVaultRecord(context, vaultId)
    const createdAt = context.now().toISOString()
    const emptyItem: ManagedItemFields = {
      id: newId(context.randomBytes),
      vault: { id: vaultId },
      version: 0,
      createdAt,
      updatedAt: createdAt,
      lastEditedBy: caller.id,
      fields: [],
      files: [],
    }
    const item = toNextVersion(buildItem(context, draft, emptyItem), caller, createdAt)
    const text = JSON.stringify(item)
    checkSize(text, context.limits)
    checkStringsOf(draft, text, context.limits)
    if (context.validateItem !== undefined) checkItemRule(context, text, undefined, caller)
    const created = { item, header: formatHeader(item, {}), text }
    const ref = { vaultId, itemId: item.id }
    // The item can be listed before its creation is acknowledged. A change of it waits for that.
    const isWritten = await runInTurn(context.queue, itemKey(ref), () =>
      withChangeHooks(context, itemChange('item.created', item), () => writeItem(context, created)),
    )
    if (!isWritten) throw new ConflictError(`item ${item.id} already exists`)
    const vaultNow = await context.store.records.get(vaultKey(vaultId))
    if (vaultNow?.version !== vault.version) await undoIfVaultDeleted(context, ref, vault, vaultNow)
    return created
  },
})

/** Returns the input with the vault of its item as its vault, or the other way round. */
function completeInput(input: unknown): unknown {
  const { vaultId, item } = Object(input)
  const { vault } = Object(item)
  const { id } = Object(vault)
  if (vaultId === undefined) return id === undefined ? input : { ...Object(input), vaultId: id }
  const isComplete = vault !== undefined || Object(item) !== item || Array.isArray(item)
  if (isComplete) return input
  // Attributes that the item inherits, as from a class, are kept.
  const whole = { __proto__: Object.getPrototypeOf(item), ...item, vault: { id: vaultId } }
  return { ...Object(input), item: whole }
}

/**
 * Deletes the item again if its vault has been deleted since it was loaded, even if a new vault has
 * the same id: `deleteVault` may not have seen the item. @throws NotFoundError then.
 */
async function undoIfVaultDeleted(
  context: Context,
  ref: ItemRef,
  before: StoredRecord,
  now: StoredRecord | undefined,
): Promise<void> {
  const { vaultId } = ref
  if (now !== undefined && isVaultRecord(now, vaultId) && isSameVault(vaultId, before, now)) return
  await deleteItemIfPresent(context, ref)
  throw new NotFoundError('vault', vaultId)
}
