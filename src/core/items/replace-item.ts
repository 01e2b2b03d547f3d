/** Replaces everything of an item that a client can set. */

import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { NewItemDraft, ParsedItem } from '../../schema/item.js'
import { defineOperation, type InputBody } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { type ItemUpdate, updateItem } from '../records/update-item.js'
import { createDraws } from './draws.js'
import { applyReplacement, parseItemBody, withVault } from './item-changes.js'

/** Input of `replaceItem`. */
export interface ReplaceItemInput {
  readonly vaultId: string
  readonly itemId: string
  readonly item: NewItemDraft
  /** Replaces only this version. */
  readonly ifVersion?: number | undefined
}

const itemBody: InputBody<'item', ParsedItem> = {
  name: 'item',
  parse: (context, body, { vaultId = '', itemId = '' }) =>
    parseItemBody(context, withVault(body, vaultId), { vaultId, itemId }),
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
  input: ifVersionInputSchema,
  returns: 'item',
  run(call, { item: draft, ...ref }) {
    const { context } = call
    const draws = createDraws(context.randomBytes)
    const update: ItemUpdate = (item) => applyReplacement(context, item, draft, draws)
    return updateItem(call, ref, update, { draft, replacesUnreadable: true })
  },
})
