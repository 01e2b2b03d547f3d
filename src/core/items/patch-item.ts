/** Changes a part of an item. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { parseIfVersion } from '../../schema/inputs.js'
import type { PatchOperation } from '../../schema/patch.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { applyPatch, planPatch } from '../patch/apply-patch.js'
import { findItem, type StoredItem } from '../records/load-item.js'
import {
  assertNotArchived,
  assertVersion,
  type ItemUpdate,
  updateItem,
} from '../records/update-item.js'
import type { Context } from '../runtime/context.js'
import { checkCount } from '../runtime/limits.js'
import { buildItem } from './build-item.js'
import { createGenerateOnce, createReplay } from './generate-once.js'
import { parseDraft } from './parse-draft.js'

/** What `patchItem` is told. */
export interface PatchItemInput {
  readonly vaultId: string
  readonly itemId: string
  readonly patch: readonly PatchOperation[]
  /** Changes only this version. */
  readonly ifVersion?: number | undefined
}

/** The operation `patchItem` of the service. An empty patch answers the item and writes nothing. */
export async function patchItem(
  context: Context,
  caller: Caller | undefined,
  input: PatchItemInput,
): Promise<StoredItem> {
  const ref = { vaultId: input.vaultId, itemId: input.itemId }
  const editor = await authorize(caller, ref, 'read', 'write')
  checkCount(input.patch, '', context.limits.patchOperations)
  const plan = planPatch(context.dialect.parsePatch(input.patch), context.limits)
  const ifVersion = parseIfVersion(input)
  if (plan.steps.length === 0) {
    const found = await readPatched(context, ref)
    assertVersion(found.item, ifVersion)
    return found
  }
  const generate = createGenerateOnce(context.randomBytes)
  const replay = createReplay(context.randomBytes)
  const change: ItemUpdate = (item) => {
    const document = applyPatch(assertNotArchived(item), plan, replay())
    return buildItem(context, parseDraft(context, document, ref), item, generate)
  }
  return updateItem(context, editor, { ...ref, ifVersion }, change, { load: readPatched })
}

/** The item. @throws NotFoundError for the item, also if its vault does not exist (contract, section 7). */
async function readPatched(context: Context, ref: ItemRef): Promise<StoredItem> {
  const found = await findItem(context, ref)
  if (found === undefined) throw new NotFoundError('item', ref.itemId)
  return found
}
