/** Creates an item in a vault. */

import { ConflictError } from '../../errors.js'
import type { NewItemDraft, ParsedItem } from '../../schema/item.js'
import type { Call } from '../operation/call.js'
import { defineOperation, type InputBody } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { itemKey, type StoredItem } from '../records/item-record.js'
import { requireVaultRecord } from '../records/vault-record.js'
import { runInTurn } from '../runtime/optimistic-retry.js'
import { createDraws } from './draws.js'
import { parseItemBody, withVault } from './item-changes.js'
import { buildNewItem, putItem, undoIfVaultDeleted, writeNewItem } from './put-item.js'

/** Input of `createItem`. */
export interface CreateItemInput {
  readonly vaultId: string
  /**
   * The id of the new item: 26 characters of a-z and 0-9 that do not begin with 0, 1, 8 or 9,
   * because only ids that the vault makes begin so, and those are never used again. You can choose
   * the id of a deleted item, even if its vault was deleted. The version numbers then continue, and
   * nothing of the deleted item appears in the new one. Clients cannot choose the id over HTTP. By
   * default the vault makes the id.
   */
  readonly itemId?: string | undefined
  readonly item: NewItemDraft
}

/** The id of the draft is ignored, even if there is an `itemId`. */
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
    if (itemId === undefined) return createWithRandomId(call, vaultId, draft)
    const ref = { vaultId, itemId }
    const created = await putItem(call, ref, (stored) => {
      if (stored === undefined) return draft
      // Rejects an invalid item before the caller learns that the id is taken.
      buildNewItem(call, ref, draft)
      return undefined
    })
    if (created === undefined) throw existsError(itemId)
    return created
  },
})

/** Writes an item that no other call knows yet. @throws ConflictError if its id is taken. */
async function createWithRandomId(
  call: Call,
  vaultId: string,
  draft: ParsedItem,
): Promise<StoredItem> {
  const { context } = call
  const vault = await requireVaultRecord(context, vaultId)
  const draws = createDraws(context.randomBytes)
  const ref = { vaultId, itemId: draws.id('item') }
  const created = buildNewItem(call, ref, draft, { draws })
  // The item can be listed before its creation is acknowledged. Changes to it wait until then.
  const write = () => writeNewItem(call, created)
  if (!(await runInTurn(context.queue, itemKey(ref), write))) throw existsError(ref.itemId)
  await undoIfVaultDeleted(call, created, vault)
  return created
}

function existsError(itemId: string): ConflictError {
  return new ConflictError(`item ${itemId} already exists`, { reason: 'exists' })
}
