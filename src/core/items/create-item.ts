/** Creates an item in a vault. */

import { isObject } from '../../base/is-object.js'
import { ConflictError, NotFoundError } from '../../errors.js'
import type { ItemDraft, ParsedItem, VaultReference } from '../../schema/item.js'
import { defineOperation, type InputBody } from '../define-operation.js'
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
} from '../records/item-record.js'
import { checkItemRule } from '../records/item-rule.js'
import { writeItem } from '../records/update-item.js'
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
import { runInTurn } from '../runtime/optimistic-retry.js'
import { createDraws } from './draws.js'
import { applyNewItem, parseItemBody } from './item-changes.js'

/** Input of `createItem`. */
export interface CreateItemInput {
  readonly vaultId: string
  /**
   * The id of the new item: 26 characters of a-z and 0-9 that do not begin with 0, 1, 8 or 9, because
   * ids that begin so are made by the vault and never used again. By default, the vault makes the id.
   * A chosen id can be that of an item that was deleted, even with its vault. The versions then
   * continue, and nothing of the deleted item appears in the new one. Over HTTP it cannot be chosen.
   */
  readonly itemId?: string | undefined
  readonly item: NewItemDraft
}

/** An item as a client sends it to `createItem`. */
export interface NewItemDraft extends Omit<ItemDraft, 'vault'> {
  /** Must be the vault of the operation; that vault if absent. */
  readonly vault?: VaultReference | undefined
}

/** The id of the draft is ignored, also beside `itemId`. */
const newItemBody: InputBody<'item', ParsedItem> = {
  name: 'item',
  parse: (context, body, { vaultId = '' }) =>
    parseItemBody(context, withVault(body, vaultId), { vaultId }),
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
  returns: 'item',
  async run(call, { vaultId, itemId, item: draft }) {
    const { context, caller } = call
    const vault = await requireVaultRecord(context, vaultId)
    const createdAt = context.now().toISOString()
    const draws = createDraws(context.randomBytes)
    const build = (id: string, lastVersion: number, chosenId?: ChosenId): StoredItem => {
      const origin = { id, vaultId, lastVersion, createdAt, caller }
      const { item, text } = applyNewItem(context, origin, draft, draws)
      if (context.validateItem !== undefined) checkItemRule(context, text, undefined, caller)
      return { item, header: formatHeader(item, {}, chosenId), text }
    }
    const write = (created: StoredItem): Promise<boolean> =>
      makeChange(call, itemChange('item.created', created.item), () => writeItem(context, created))
    const created =
      itemId === undefined
        ? await createWithRandomId(context, build(draws.id('item'), 0), write)
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

/** Returns the body with the vault of the operation if it is an object without a vault. */
function withVault(body: unknown, vaultId: string): unknown {
  if (!isObject(body) || body['vault'] !== undefined) return body
  // Attributes that the item inherits, as from a class, are kept.
  return { __proto__: Object.getPrototypeOf(body), ...body, vault: { id: vaultId } }
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
