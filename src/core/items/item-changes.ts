/**
 * The changes that clients make to items, as pure functions. Each has two halves. The first parses
 * what was sent, before an item is loaded. The second applies the result to an item, again whenever
 * a concurrent writer wins. The service and `cofferkit/rules` are built on them.
 */

import { isObject } from '../../base/is-object.js'
import type { DraftRef } from '../../dialects/dialect.js'
import { InvalidInputError } from '../../errors.js'
import type { Item, ParsedItem } from '../../schema/item.js'
import type { PatchOperation } from '../../schema/patch.js'
import type { KnownCaller } from '../access/caller.js'
import {
  applyPatch,
  type PatchPlan,
  planPatch,
  withCauses,
  withOperations,
} from '../patch/apply-patch.js'
import { isReference, resolveFieldReferences } from '../patch/resolve-field-references.js'
import { assertNotArchived, finishItem, type ItemText } from '../records/change-item.js'
import type { ItemContext } from '../runtime/item-context.js'
import { checkCount, checkStrings } from '../runtime/limits.js'
import { buildItem, type ManagedItemFields, parseDraft, parseDraftOver } from './build-item.js'
import type { Draws } from './draws.js'

type BodyContext = Pick<ItemContext, 'dialect' | 'limits' | 'strict'>

/** The attributes of a new item that the vault sets. */
export interface ItemOrigin {
  readonly id: string
  readonly vaultId: string
  /** The version of an earlier item with this id, or 0 if there was none. */
  readonly lastVersion: number
  readonly createdAt: string
  readonly caller: KnownCaller
}

/**
 * Parses the body of an item. Its strings are checked later, in the JSON of the item. If `ref` has
 * no `itemId`, the id in the body is ignored.
 * @throws InvalidInputError that names each invalid path, or `item` if the body itself is invalid.
 */
export function parseItemBody(context: BodyContext, body: unknown, ref: DraftRef): ParsedItem {
  return withBodyName('item', () => {
    const draft = parseDraft(context, body, ref)
    // The strings of a recipe do not become a part of the item.
    if (draft.fields?.some(({ recipe }) => recipe !== undefined))
      checkStrings(draft, context.limits)
    return draft
  })
}

/** Adds the vault of the operation to a body that is an object without a vault. */
export function withVault(body: unknown, vaultId: string): unknown {
  if (!isObject(body) || body['vault'] !== undefined) return body
  // Attributes that the item inherits, for example from a class, are kept.
  return { __proto__: Object.getPrototypeOf(body), ...body, vault: { id: vaultId } }
}

/** Builds a new item. @throws InvalidInputError if a rule of items or a limit is broken. */
export function applyNewItem(
  context: BodyContext,
  { id, vaultId, lastVersion, createdAt, caller }: ItemOrigin,
  draft: ParsedItem,
  draws: Draws,
): ItemText {
  const emptyItem: ManagedItemFields = {
    id,
    vault: { id: vaultId },
    version: lastVersion,
    createdAt,
    updatedAt: createdAt,
    lastEditedBy: caller.id,
    fields: [],
    files: [],
  }
  const item = buildItem(context, draft, emptyItem, draws)
  return finishItem(context, item, createdAt, { caller, draft })
}

/**
 * Replaces everything of an item that a client can set.
 * @throws InvalidInputError if a rule of items is broken, or if the item is archived.
 */
export function applyReplacement(
  context: BodyContext,
  item: Item,
  draft: ParsedItem,
  draws: Draws,
): Item {
  const before = assertNotArchived(item)
  const { fields: drafts = [], sections = [] } = draft
  if (!drafts.some(isReference)) return buildItem(context, draft, before, draws)
  const fields = resolveFieldReferences(drafts, { fields: before.fields, sections })
  return buildItem(context, { ...draft, fields }, before, draws)
}

/**
 * Parses the body of a patch.
 * @throws InvalidInputError that names the invalid operations, or `patch` if the body itself is
 * invalid.
 */
export function parsePatchBody({ dialect, limits }: BodyContext, body: unknown): PatchPlan {
  const parsePatch = (): readonly PatchOperation[] => {
    try {
      return dialect.parsePatch(body)
    } catch (error) {
      throw error instanceof InvalidInputError ? withOperations(error, body) : error
    }
  }
  return withBodyName('patch', () => {
    checkCount(body, '', limits.patchOperations)
    return planPatch(parsePatch(), limits)
  })
}

/**
 * Changes a part of an item. All operations apply, or none. An empty patch returns the item itself.
 * @throws InvalidInputError that names the operations that cannot be applied or break a rule of
 * items, or if the item is archived.
 */
export function applyPatchPlan(
  context: BodyContext,
  item: Item,
  patch: PatchPlan,
  draws: Draws,
): Item {
  if (patch.steps.length === 0) return item
  const before = assertNotArchived(item)
  const document = applyPatch(before, patch, (step) => draws.id(`patch/${step}`))
  try {
    return buildItem(context, parseDraftOver(context, document, before), before, draws)
  } catch (error) {
    throw withCauses(error, patch, document)
  }
}

/** If the body itself is the only issue of the error that `parse` throws, names the body in it. */
function withBodyName<Parsed>(name: string, parse: () => Parsed): Parsed {
  try {
    return parse()
  } catch (error) {
    const [issue, ...others] = error instanceof InvalidInputError ? error.issues : []
    const isOfBody = issue?.path === '' && others.length === 0
    throw isOfBody ? InvalidInputError.at(name, issue.message) : error
  }
}
