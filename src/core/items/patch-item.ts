/** Changes a part of an item. */

import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { PatchOperation } from '../../schema/patch.js'
import { defineOperation, type InputBody } from '../define-operation.js'
import { applyPatch, type PatchPlan, planPatch } from '../patch/apply-patch.js'
import { loadItem } from '../records/item-record.js'
import { archivedError, type ItemUpdate, updateItem } from '../records/update-item.js'
import { checkCount } from '../runtime/limits.js'
import { assertVersion } from '../runtime/optimistic-retry.js'
import { newId } from '../runtime/random.js'
import { buildItem, parseDraft } from './build-item.js'

/** Input of `patchItem`. */
export interface PatchItemInput {
  readonly vaultId: string
  readonly itemId: string
  readonly patch: readonly PatchOperation[]
  /** Changes only this version. */
  readonly ifVersion?: number | undefined
}

const patchBody: InputBody<'patch', PatchPlan> = {
  name: 'patch',
  parse({ dialect, limits }, body) {
    checkCount(body, '', limits.patchOperations)
    return planPatch(dialect.parsePatch(body), limits)
  },
}

/** A missing item is reported even if its vault does not exist (contract, section 7). */
const loadOptions = { alwaysNamesItem: true }

/**
 * Changes a part of an item; all operations apply or none. An empty patch returns the item and
 * writes nothing.
 */
export const patchItem = defineOperation({
  name: 'patchItem',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  body: patchBody,
  input: ifVersionInputSchema,
  returns: 'item',
  async run({ context, caller }, { patch, ...ref }) {
    if (patch.steps.length === 0) {
      const stored = await loadItem(context, ref, loadOptions)
      assertVersion(stored.item, ref.ifVersion)
      return stored
    }
    // Drawn once, however often the update is retried.
    const generated = new Map<string, string>()
    const newIds = new Map<number, string>()
    const newFieldId = (step: number): string => {
      const id = newIds.get(step) ?? newId(context.randomBytes)
      newIds.set(step, id)
      return id
    }
    const update: ItemUpdate = (item) => {
      if (item.state === 'ARCHIVED') throw archivedError()
      const document = applyPatch(item, patch, newFieldId)
      return buildItem(context, parseDraft(context, document, ref), item, generated)
    }
    return updateItem(context, caller, ref, update, loadOptions)
  },
})
