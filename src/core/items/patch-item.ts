/** Changes a part of an item. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { PatchOperation } from '../../schema/patch.js'
import { defineOperation, type InputBody, operationErrors } from '../define-operation.js'
import { applyPatch, type PatchPlan, planPatch } from '../patch/apply-patch.js'
import { findItem, type StoredItem } from '../records/load-item.js'
import { assertNotArchived, assertVersion, updateItem } from '../records/update-item.js'
import type { Context } from '../runtime/context.js'
import { checkCount } from '../runtime/limits.js'
import { buildItem } from './build-item.js'
import { createGenerateOnce, createReplay } from './generate-once.js'
import { parseDraft } from './parse-draft.js'

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

/** Changes a part of an item; all operations apply or none. An empty patch returns the item and writes nothing. */
export const patchItem = defineOperation({
  name: 'patchItem',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: [...operationErrors.change, 'GENERATION_FAILED'],
  body: patchBody,
  input: ifVersionInputSchema,
  returns: 'item',
  async run({ context, caller }, { patch, ...ref }) {
    if (patch.steps.length === 0) {
      const stored = await loadPatched(context, ref)
      assertVersion(stored.item, ref.ifVersion)
      return stored
    }
    const generate = createGenerateOnce(context.randomBytes)
    const replay = createReplay(context.randomBytes)
    return updateItem(
      context,
      caller,
      ref,
      (item) => {
        const document = applyPatch(assertNotArchived(item), patch, replay())
        return buildItem(context, parseDraft(context, document, ref), item, generate)
      },
      { load: loadPatched },
    )
  },
})

/** The item. @throws NotFoundError for the item, also if its vault does not exist (contract, section 7). */
async function loadPatched(context: Context, ref: ItemRef): Promise<StoredItem> {
  const stored = await findItem(context, ref)
  if (stored === undefined) throw new NotFoundError('item', ref.itemId)
  return stored
}
