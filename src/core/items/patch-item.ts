/** Changes a part of an item. */

import type { Dialect } from '../../dialects/dialect.js'
import { InvalidInputError } from '../../errors.js'
import type { Field } from '../../schema/field.js'
import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { Item, ParsedItem } from '../../schema/item.js'
import type { PatchOperation } from '../../schema/patch.js'
import { defineOperation, type InputBody } from '../define-operation.js'
import { generateErrors } from '../operation-errors.js'
import {
  applyPatch,
  type PatchedDocument,
  type PatchPlan,
  planPatch,
  withCauses,
  withOperations,
} from '../patch/apply-patch.js'
import { loadItem } from '../records/item-record.js'
import { archivedError, type ItemUpdate, updateItem } from '../records/update-item.js'
import type { Context } from '../runtime/context.js'
import { checkCount, checkStrings } from '../runtime/limits.js'
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
    return planPatch(parsePatch(dialect, body), limits)
  },
}

/** @throws InvalidInputError that names the operations that are invalid. */
function parsePatch(dialect: Dialect, body: unknown): readonly PatchOperation[] {
  try {
    return dialect.parsePatch(body)
  } catch (error) {
    throw error instanceof InvalidInputError ? withOperations(error, body) : error
  }
}

/** A missing item is reported even if its vault does not exist (contract, section 7). */
const loadOptions = { alwaysNamesItem: true }

/**
 * Changes a part of an item; all operations apply or none. An empty patch returns the item and
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
  async run(call, { patch, ...ref }) {
    const { context } = call
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
    let document: PatchedDocument | undefined
    const update: ItemUpdate = (item) => {
      if (item.state === 'ARCHIVED') throw archivedError()
      document = undefined
      document = applyPatch(item, patch, newFieldId)
      const draft = parsePatched(context, document, item)
      return buildItem(context, draft, item, generated)
    }
    const explain = (error: unknown): unknown =>
      document === undefined ? error : withCauses(error, patch, document)
    return updateItem(call, ref, update, { ...loadOptions, explain })
  },
})

/**
 * Parses the document that a patch has made from `item`. A stored field that the patch did not
 * touch is kept unchanged, also where the dialect would not accept it in a body (docs/contract.md,
 * patches-19). The dialect is given only its id and its section. So every other field is at its
 * index, and the paths of issues are those of the whole document.
 * @throws InvalidInputError
 */
function parsePatched(context: Context, document: PatchedDocument, item: Item): ParsedItem {
  const fields = Array.isArray(document['fields']) ? document['fields'] : undefined
  const stored = new Set<unknown>(item.fields)
  const isKept = (field: unknown): field is Field => stored.has(field)
  const kept = new Map<unknown, Field>(fields?.filter(isKept).map((field) => [field.id, field]))
  const body = fields?.map((field) =>
    isKept(field) ? { id: field.id, section: field.section } : field,
  )
  const ref = { vaultId: item.vault.id, itemId: item.id, sections: item.sections }
  const draft = parseDraft(context, body ? { ...document, fields: body } : document, ref)
  checkStrings(draft, context.limits)
  return { ...draft, fields: draft.fields?.map((field) => kept.get(field.id) ?? field) }
}
