/** Replaces everything a client may set on an item; what the vault keeps for itself stays. */

import { parseIfVersion } from '../../schema/inputs.js'
import type { ItemDraft } from '../../schema/item.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { resolveFieldReferences } from '../patch/resolve-field-references.js'
import type { StoredItem } from '../records/load-item.js'
import { assertNotArchived, updateItem } from '../records/update-item.js'
import type { Context } from '../runtime/context.js'
import { buildItem } from './build-item.js'
import { createGenerateOnce } from './generate-once.js'
import { parseDraft } from './parse-draft.js'

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
): Promise<StoredItem> {
  const { vaultId, itemId } = input
  const editor = await authorize(caller, { vaultId, itemId }, 'read', 'write')
  const draft = parseDraft(context, input.item, { vaultId, itemId })
  const ifVersion = parseIfVersion(input)
  const { fields: drafts = [], sections = [] } = draft
  const generate = createGenerateOnce(context.randomBytes)
  return updateItem(context, editor, { vaultId, itemId, ifVersion }, (item) => {
    const before = assertNotArchived(item)
    const fields = resolveFieldReferences(drafts, { fields: before.fields, sections })
    return buildItem(context, { ...draft, fields }, before, generate)
  })
}
