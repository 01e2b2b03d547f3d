/** Changes an item without storing it. Everything here may run again for a newer item. */

import { InvalidInputError } from '../../errors.js'
import type { Item, ParsedItem } from '../../schema/item.js'
import type { KnownCaller } from '../access/caller.js'
import type { ItemContext } from '../runtime/item-context.js'
import { checkSize, checkStringsOf } from '../runtime/limits.js'
import type { StoredItem } from './item-record.js'

/** An item, and its JSON as it is stored. */
export type ItemText = Pick<StoredItem, 'item' | 'text'>

/** How a change is finished. */
export interface FinishOptions {
  readonly caller: KnownCaller
  /** The body that the client has sent. Its strings are checked in the JSON of the new item. */
  readonly draft?: ParsedItem | undefined
  /** Returns the error to throw when the changed item is too large, or one of its strings invalid. */
  readonly explain?: ((error: unknown) => unknown) | undefined
}

/**
 * Returns the next version of an item, changed by `update`. Returns `before` itself if `update`
 * returns the item that it was given.
 * @throws InvalidInputError if the item is too large or one of its strings is invalid, and the
 * errors of `update`.
 */
export function changeItem<Before extends ItemText>(
  context: Pick<ItemContext, 'limits' | 'now'>,
  before: Before,
  update: (item: Item, before: Before) => Item,
  options: FinishOptions,
): Before | ItemText {
  const changed = update(before.item, before)
  if (changed === before.item) return before
  // An item that was stored under a larger limit can still be changed if it does not grow.
  return finishItem(context, changed, context.now().toISOString(), options, before.text)
}

/**
 * Sets the version, the time and the editor of a changed item in place, and formats it. Nothing else
 * may refer to the item yet.
 * @throws InvalidInputError if it is too large and larger than `previousText`, or if one of its
 * strings is invalid.
 */
export function finishItem(
  { limits }: Pick<ItemContext, 'limits'>,
  item: Item,
  updatedAt: string,
  { caller, draft, explain = (error) => error }: FinishOptions,
  previousText?: string,
): ItemText {
  const next: { -readonly [Name in keyof Item]: Item[Name] } = item
  next.version++
  next.updatedAt = updatedAt
  next.lastEditedBy = caller.id
  const text = JSON.stringify(next)
  try {
    checkSize(text, limits, previousText)
    if (draft !== undefined) checkStringsOf(draft, text, limits)
  } catch (error) {
    throw explain(error)
  }
  return { item: next, text }
}

/** Returns the item. @throws InvalidInputError if it is archived. */
export function assertNotArchived(item: Item): Item {
  if (item.state !== 'ARCHIVED') return item
  throw InvalidInputError.at('', 'an archived item cannot be changed')
}
