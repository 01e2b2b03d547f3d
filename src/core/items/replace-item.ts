/** Replaces everything a client may set on an item; what the vault keeps for itself stays. */

import { parseIfVersion } from '../../schema/if-version.js'
import type { ItemDraft } from '../../schema/item.js'
import { permit } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { resolveReferences } from '../patch/resolve-field-references.js'
import type { FoundItem } from '../records/load-item.js'
import { changeItem, unarchived } from '../records/update-item.js'
import type { Context } from '../runtime/context.js'
import { buildItem } from './build-item.js'
import { createGenerateOnce } from './generate-once.js'
import { readDraft } from './parse-draft.js'

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
