/** Replaces everything of an item that a client can set. */

import { PreconditionFailedError } from '../../errors.js'
import { replaceItemInputSchema } from '../../schema/inputs.js'
import type { Item, ItemDraft, ParsedItem } from '../../schema/item.js'
import { defineOperation, type InputBody } from '../define-operation.js'
import { generateErrors } from '../operation-errors.js'
import { type ItemUpdate, updateItem } from '../records/update-item.js'
import { createDraws } from './draws.js'
import { applyReplacement, parseItemBody } from './item-changes.js'

/** Input of `replaceItem`. */
export interface ReplaceItemInput {
  readonly vaultId: string
  readonly itemId: string
  readonly item: ItemDraft
  /** Replaces only this version. */
  readonly ifVersion?: number | undefined
  /**
   * Replaces only an item that is marked as deleted, which is active afterwards. Only in process.
   */
  readonly ifState?: 'DELETED' | undefined
}

const itemBody: InputBody<'item', ParsedItem> = {
  name: 'item',
  parse: (context, body, { vaultId = '', itemId = '' }) =>
    parseItemBody(context, body, { vaultId, itemId }),
}

/** Replaces everything of an item that a client can set. What the vault sets is kept. */
export const replaceItem = defineOperation({
  name: 'replaceItem',
  summary: 'Replaces everything of an item that a client can set',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  body: itemBody,
  input: replaceItemInputSchema,
  returns: 'item',
  run(call, { item: draft, ifState, ...ref }) {
    const { context } = call
    const draws = createDraws(context.randomBytes)
    const update: ItemUpdate = (item) => {
      const before = ifState === undefined ? item : withoutDeletedState(item)
      return applyReplacement(context, before, draft, draws)
    }
    return updateItem(call, ref, update, {
      draft,
      includeDeleted: ifState !== undefined,
      replacesUnreadable: ifState === undefined,
    })
  },
})

/** Returns the item as an active one. @throws PreconditionFailedError if it is not deleted. */
function withoutDeletedState({ state, ...item }: Item): Item {
  if (state === 'DELETED') return item
  throw new PreconditionFailedError(item.id)
}
