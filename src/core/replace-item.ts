/** Replaces everything a client may set on an item; what the vault keeps for itself stays. */

import { parseIfVersion } from '../schema/if-version.js'
import type { ItemDraft } from '../schema/item.js'
import { buildItem } from './build-item.js'
import type { Caller } from './caller.js'
import { changeItem, unarchived } from './change-item.js'
import type { Context } from './context.js'
import { createGenerateOnce } from './draw-once.js'
import { permit } from './permit.js'
import { readDraft } from './read-draft.js'
import type { FoundItem } from './read-item.js'
import { resolveReferences } from './resolve-references.js'

/** What `replaceItem` is told. */
export interface ReplaceItemInput {
  readonly vaultId: string
  readonly itemId: string
  readonly item: ItemDraft
  /** Replaces only this version. */
  readonly ifVersion?: number | undefined
}

/** The operation `replaceItem` of the service. */
export async function replaceItem(
  context: Context,
  caller: Caller | undefined,
  input: ReplaceItemInput,
): Promise<FoundItem> {
  const { vaultId, itemId } = input
  const editor = await permit(caller, { vaultId, itemId }, 'read', 'write')
  const draft = readDraft(context, input.item, { vaultId, itemId })
  const ifVersion = parseIfVersion(input)
  const { fields: drafts = [], sections = [] } = draft
  const generate = createGenerateOnce(context.randomBytes)
  return changeItem(context, editor, { vaultId, itemId, ifVersion }, (item) => {
    const before = unarchived(item)
    const fields = resolveReferences(drafts, { fields: before.fields, sections })
    return buildItem(context, { ...draft, fields }, before, generate)
  })
}
