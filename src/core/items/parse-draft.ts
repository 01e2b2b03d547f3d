/** Parses the body that describes an item. */

import type { DraftRef } from '../../dialects/dialect.js'
import type { ItemRef } from '../../schema/ids.js'
import type { ParsedItem } from '../../schema/item.js'
import type { InputBody } from '../define-operation.js'
import type { Context } from '../runtime/context.js'
import { checkCounts, checkStrings } from '../runtime/limits.js'

/** The member `item` of an input. */
export const itemBody: InputBody<'item', ParsedItem> = {
  name: 'item',
  parse: (context, body, { vaultId = '', itemId }: Partial<ItemRef>) =>
    parseDraft(context, body, itemId === undefined ? { vaultId } : { vaultId, itemId }),
}

/**
 * Parses a body of an item in this vault, in the service's dialect and within its limits. Elements are counted before
 * the body is parsed, and again afterwards: a dialect can add what a body leaves out.
 * @throws InvalidInputError that names each invalid path.
 */
export function parseDraft(
  context: Pick<Context, 'dialect' | 'limits'>,
  body: unknown,
  ref: DraftRef,
): ParsedItem {
  checkCounts(body, context.limits)
  const draft = context.dialect.parseItem(body, ref)
  checkCounts(draft, context.limits)
  checkStrings(draft, context.limits)
  return draft
}
