/** Inputs and expected values for building items without a store. */

import { buildItem } from '../../../src/core/items/build-item.js'
import { createDraws } from '../../../src/core/items/draws.js'
import { parseItemBody } from '../../../src/core/items/item-changes.js'
import type { Context } from '../../../src/core/runtime/context.js'
import { checkStringsOf, type Limits, limitOptions } from '../../../src/core/runtime/limits.js'
import type { RandomBytes } from '../../../src/core/runtime/random.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import { type InputIssue, InvalidInputError } from '../../../src/errors.js'
import type { Field, FieldDraft } from '../../../src/schema/field.js'
import type { Item } from '../../../src/schema/item.js'
import { createSeededRandomBytes } from '../../../src/testing/deterministic.js'

export const vaultId = 'v'.repeat(26)
export const itemId = 'i'.repeat(26)

/** A body, valid or not. */
export type Body = Readonly<Record<string, unknown>>

/** Creates the context of `parseDraft` and `buildItem`, with the same randomness in every call. */
export function createBuildContext(
  changes: { readonly limits?: Partial<Limits>; readonly randomBytes?: RandomBytes } = {},
): Pick<Context, 'dialect' | 'limits' | 'randomBytes'> {
  return {
    dialect: contractDialect,
    limits: limitOptions.read(changes.limits ?? {}),
    randomBytes: changes.randomBytes ?? createSeededRandomBytes(),
  }
}

/** Creates a stored item with nothing but the members that the vault sets. */
export function storedItem(changes: Partial<Item> = {}): Item {
  return {
    id: itemId,
    vault: { id: vaultId },
    category: 'LOGIN',
    favorite: false,
    tags: [],
    urls: [],
    version: 3,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-02-02T00:00:00.000Z',
    lastEditedBy: 'another caller',
    sections: [],
    fields: [],
    files: [],
    ...changes,
  }
}

/** Creates a valid body with these changes. */
export function createBody(changes: Body = {}): Body {
  return { category: 'LOGIN', vault: { id: vaultId }, ...changes }
}

/** Builds the item of a body over the stored item, as a replacement does. */
export function buildFromBody(
  changes: Body = {},
  before = storedItem(),
  context = createBuildContext(),
): Item {
  const draft = parseItemBody(context, createBody(changes), { vaultId, itemId })
  const item = buildItem(context, draft, before, createDraws(context.randomBytes))
  checkStringsOf(draft, JSON.stringify(item), context.limits)
  return item
}

/** Builds the field of a body with one field. */
export function buildFieldFromBody(
  draft: Body,
  before?: Item,
  context?: ReturnType<typeof createBuildContext>,
): Field {
  const [field] = buildFromBody({ fields: [{ id: 'f', ...draft }] }, before, context).fields
  if (field === undefined) throw new Error('no field was built')
  return field
}

/** Returns the stored field of a field draft. */
export function storedField(field: Partial<Field> & Pick<FieldDraft, 'id'>): Field {
  return { type: 'STRING', ...field }
}

/**
 * Returns the issues of the InvalidInputError that `work` throws. @throws Error if it throws none.
 */
export function captureIssues(work: () => unknown): readonly InputIssue[] {
  try {
    work()
  } catch (error) {
    if (error instanceof InvalidInputError) return error.issues
    throw error
  }
  throw new Error('the input was accepted')
}
