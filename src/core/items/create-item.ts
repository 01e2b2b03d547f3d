/** Creates an item in a vault. */

import { ConflictError, NotFoundError } from '../../errors.js'
import type { ItemDraft, VaultReference } from '../../schema/item.js'
import { defineOperation } from '../define-operation.js'
import { type Call, makeChange } from '../operation/call.js'
import { readErrors } from '../operation-errors.js'
import { deleteItemIfPresent } from '../records/delete-item-record.js'
import {
  type ChosenId,
  formatHeader,
  isItemRecord,
  itemKey,
  parseHeader,
  type StoredItem,
  toItem,
} from '../records/item-record.js'
import { checkItemRule } from '../records/item-rule.js'
import { toNextVersion, writeItem } from '../records/update-item.js'
import {
  findVaultRecord,
  isSameVault,
  isVaultRecord,
  parseGeneration,
  requireVaultRecord,
  type StoredVaultRecord,
} from '../records/vault-record.js'
import { itemChange } from '../runtime/change.js'
import type { Context } from '../runtime/context.js'
import { checkSize, checkStringsOf } from '../runtime/limits.js'
import { runInTurn } from '../runtime/optimistic-retry.js'
import { newId } from '../runtime/random.js'
import { buildItem, itemBody, type ManagedItemFields } from './build-item.js'

/**
 * Input of `createItem`: `vaultId` or `item.vault` can be absent, as one implies the other.
 *
 * `itemId` is the id of the new item: 26 characters of a-z and 0-9 that do not begin with 0, 1, 8 or
 * 9, because ids that begin so are made by the vault and never used again. By default, the vault makes
 * the id. A chosen id can be that of an item that was deleted, even with its vault. The versions then
 * continue, and nothing of the deleted item appears in the new one. Over HTTP it cannot be chosen.
 */
export type CreateItemInput =
  | {
      readonly vaultId: string
      readonly itemId?: string | undefined
      readonly item: NewItemDraft
    }
  | {
      readonly vaultId?: undefined
      readonly itemId?: string | undefined
      readonly item: ItemDraft
    }

/** An item as a client sends it to `createItem`. */
export interface NewItemDraft extends Omit<ItemDraft, 'vault'> {
  /** Must be the vault of the operation; that vault if absent. */
  readonly vault?: VaultReference | undefined
}

/** The id of the draft is ignored, also beside `itemId`. */
const newItemBody: typeof itemBody = {
  name: 'item',
  parse: (context, body, { itemId: _, ...ids }) => itemBody.parse(context, body, ids),
}

/** Creates an item in a vault, under a random id or one that the caller chooses. */
export const createItem = defineOperation({
  name: 'createItem',
  summary: 'Creates an item in a vault',
  target: 'newItem',
  permissions: ['write'],
  activity: ['CREATE', 'ITEM'],
  errors: [...readErrors, 'CONFLICT', 'GENERATION_FAILED'],
  body: newItemBody,
  toPublic: toItem,
  completeInput,
  async run(call, { vaultId, itemId, item: draft }) {
    const { context, caller } = call
    const vault = await requireVaultRecord(context, vaultId)
    const createdAt = context.now().toISOString()
    const generated = new Map<string, string>()
    const build = (id: string, lastVersion: number, chosenId?: ChosenId): StoredItem => {
      const emptyItem: ManagedItemFields = {
        id,
        vault: { id: vaultId },
        version: lastVersion,
        createdAt,
        updatedAt: createdAt,
        lastEditedBy: caller.id,
        fields: [],
        files: [],
      }
      const item = toNextVersion(buildItem(context, draft, emptyItem, generated), caller, createdAt)
      const text = JSON.stringify(item)
      checkSize(text, context.limits)
      checkStringsOf(draft, text, context.limits)
      if (context.validateItem !== undefined) checkItemRule(context, text, undefined, caller)
      return { item, header: formatHeader(item, {}, chosenId), text }
    }
    const write = (created: StoredItem): Promise<boolean> =>
      makeChange(call, itemChange('item.created', created.item), () => writeItem(context, created))
    const created =
      itemId === undefined
        ? await createWithRandomId(context, build(newId(context.randomBytes), 0), write)
        : await context.retry(itemKey({ vaultId, itemId }), 'item', async () => {
            const earlier = await context.store.records.get(itemKey({ vaultId, itemId }))
            const lastVersion = earlier?.version ?? 0
            const chosenId = {
              firstVersion: lastVersion + 1,
              generation: parseGeneration(vault, vaultId),
            }
            const next = build(itemId, lastVersion, chosenId)
            if (isItemRecord(earlier)) throw existsError(itemId)
            return (await write(next)) ? next : undefined
          })
    const vaultNow = await findVaultRecord(context, vaultId)
    if (vaultNow?.version !== vault.version)
      await undoIfVaultDeleted(call, created, vault, vaultNow)
    return created
  },
})

/** Writes an item that no other call knows yet. @throws ConflictError if its id is taken. */
async function createWithRandomId(
  context: Context,
  created: StoredItem,
  write: (created: StoredItem) => Promise<boolean>,
): Promise<StoredItem> {
  const { id, vault } = created.item
  const key = itemKey({ vaultId: vault.id, itemId: id })
  // The item can be listed before its creation is acknowledged. A change of it waits for that.
  if (await runInTurn(context.queue, key, () => write(created))) return created
  throw existsError(id)
}

function existsError(itemId: string): ConflictError {
  return new ConflictError(`item ${itemId} already exists`, 'exists')
}

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
 * the same id: `deleteVault` may not have seen the item. In a new vault, a chosen id can belong to
 * another item by now, which is kept. @throws NotFoundError then.
 */
async function undoIfVaultDeleted(
  call: Call,
  created: StoredItem,
  before: StoredVaultRecord,
  now: StoredVaultRecord | undefined,
): Promise<void> {
  const { id: itemId, vault } = created.item
  const { id: vaultId } = vault
  const isSame = now && isVaultRecord(now, vaultId) && isSameVault(vaultId, before, now)
  if (isSame) return
  const generationOf = (stored: StoredItem) => parseHeader(stored).chosenId?.generation
  const isMatch = (stored: StoredItem): boolean => generationOf(stored) === generationOf(created)
  await deleteItemIfPresent(call, { vaultId, itemId }, { isMatch })
  throw new NotFoundError('vault', vaultId)
}
