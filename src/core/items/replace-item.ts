/** Replaces everything of an item that a client can set. */

import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { ItemDraft } from '../../schema/item.js'
import { defineOperation } from '../define-operation.js'
import { generateErrors } from '../operation-errors.js'
import { isReference, resolveFieldReferences } from '../patch/resolve-field-references.js'
import { toItem } from '../records/item-record.js'
import { assertNotArchived, type ItemUpdate, updateItem } from '../records/update-item.js'
import { buildItem, itemBody } from './build-item.js'

/** Input of `replaceItem`. */
export interface ReplaceItemInput {
  readonly vaultId: string
  readonly itemId: string
  readonly item: ItemDraft
  /** Replaces only this version. */
  readonly ifVersion?: number | undefined
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
  toPublic: toItem,
  run({ context, caller }, { item: draft, ...ref }) {
    const { fields: drafts = [], sections = [] } = draft
    const generated = new Map<string, string>()
    const hasReferences = drafts.some(isReference)
    const update: ItemUpdate = (item) => {
      const before = assertNotArchived(item)
      if (!hasReferences) return buildItem(context, draft, before, generated)
      const fields = resolveFieldReferences(drafts, { fields: before.fields, sections })
      return buildItem(context, { ...draft, fields }, before, generated)
    }
    return updateItem(context, caller, ref, update, { draft })
  },
})
