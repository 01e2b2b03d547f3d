/** Changes a part of an item. */

import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { PatchOperation } from '../../schema/patch.js'
import { defineOperation, type InputBody } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { type PatchPlan, withCauses } from '../patch/apply-patch.js'
import { updateItem } from '../records/update-item.js'
import { createDraws } from './draws.js'
import { applyPatchPlan, parsePatchBody } from './item-changes.js'

/** Input of `patchItem`. */
export interface PatchItemInput {
  readonly vaultId: string
  readonly itemId: string
  readonly patch: readonly PatchOperation[]
  /** Changes only this version. */
  readonly ifVersion?: number | undefined
}

const patchBody: InputBody<'patch', PatchPlan> = { name: 'patch', parse: parsePatchBody }

/** A missing item is reported even if its vault does not exist (contract, section 7). */
const loadOptions = { alwaysNamesItem: true }

/**
 * Changes a part of an item. All operations apply, or none. An empty patch returns the item and
 * writes nothing.
 */
export const patchItem = defineOperation({
  name: 'patchItem',
  summary: 'Changes a part of an item',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  body: patchBody,
  input: ifVersionInputSchema,
  returns: 'item',
  run(call, { patch, ...ref }) {
    const { context } = call
    const draws = createDraws(context.randomBytes)
    return updateItem(call, ref, (item) => applyPatchPlan(context, item, patch, draws), {
      ...loadOptions,
      explain: (error) => withCauses(error, patch),
    })
  },
})
