/** What items are built with, without any store. */

import { buildItem, parseDraft } from '../../../src/core/items/build-item.js'
import type { Context } from '../../../src/core/runtime/context.js'
import { type Limits, resolveLimits } from '../../../src/core/runtime/limits.js'
import type { RandomBytes } from '../../../src/core/runtime/random.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import { type InputIssue, InvalidInputError } from '../../../src/errors.js'
import type { Field, FieldDraft } from '../../../src/schema/field.js'
import type { Item } from '../../../src/schema/item.js'
import { createSeededRandomBytes } from '../../../src/testing/deterministic.js'

export const vaultId = 'v'.repeat(26)
export const itemId = 'i'.repeat(26)

/** Whatever a body may hold, right or wrong. */
export type Body = Readonly<Record<string, unknown>>

/** What `readDraft` and `buildItem` are handed, with randomness that repeats itself from call to call. */
export function building(
  changes: { readonly limits?: Partial<Limits>; readonly randomBytes?: RandomBytes } = {},
): Pick<Context, 'dialect' | 'limits' | 'randomBytes'> {
  return {
    dialect: contractDialect,
    limits: resolveLimits(changes.limits),
    randomBytes: changes.randomBytes ?? createSeededRandomBytes(),
  }
}

/** An item that holds nothing but what the vault keeps of it. */
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
    lastEditedBy: 'somebody',
    sections: [],
    fields: [],
    files: [],
    ...changes,
  }
}

/** A body that is right, but for what is changed about it. */
export function bodyOf(changes: Body = {}): Body {
  return { category: 'LOGIN', vault: { id: vaultId }, ...changes }
}

/** The item that a body makes of the stored one. */
export function built(changes: Body = {}, before = storedItem(), context = building()): Item {
  return buildItem(context, parseDraft(context, bodyOf(changes), { vaultId, itemId }), before)
}

/** The one field that a body of this field makes. */
export function builtField(
  draft: Body,
  before?: Item,
  context?: ReturnType<typeof building>,
): Field {
  const [field] = built({ fields: [{ id: 'f', ...draft }] }, before, context).fields
  if (field === undefined) throw new Error('no field was built')
  return field
}

/** What a field draft looks like in a stored item. */
export function storedField(field: Partial<Field> & Pick<FieldDraft, 'id'>): Field {
  return { type: 'STRING', ...field }
}

/** Why the work is refused. @throws Error if it is not, or not as invalid input. */
export function issuesOf(work: () => unknown): readonly InputIssue[] {
  try {
    work()
  } catch (error) {
    if (error instanceof InvalidInputError) return error.issues
    throw error
  }
  throw new Error('the input was taken')
}
