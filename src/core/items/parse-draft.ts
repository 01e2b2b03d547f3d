/** Reads what a body says of an item, whoever calls. */

import type { DraftRef } from '../../dialects/dialect.js'
import type { ParsedItem } from '../../schema/item.js'
import type { Context } from '../runtime/context.js'
import { checkCounts, checkStrings } from '../runtime/limits.js'

/**
 * What `body` says of an item of this place, in the service's dialect and within its limits. They are counted again of
 * what was read: a dialect may add what a body leaves out.
 * @throws InvalidInputError that names each place that is wrong.
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
