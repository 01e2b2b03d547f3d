/** Answers the items of a vault without their fields, sections and files. */

import { createPacer } from '../../pacer.js'
import { pageInputSchema } from '../../schema/inputs.js'
import type { Item, ItemSummary } from '../../schema/item.js'
import { parse } from '../../schema/parse.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { matchesFilter } from '../filter/filter.js'
import { parseFilter } from '../filter/parse-filter.js'
import { itemCollection } from '../records/item-record.js'
import { listRecords } from '../records/list-records.js'
import { parseItemRecord } from '../records/load-item.js'
import { requireVaultRecord } from '../records/vault-record.js'
import type { Context } from '../runtime/context.js'

/** What `listItems` is told. */
export interface ListItemsInput {
  readonly vaultId: string
  /**
   * Which items, such as `title eq "x" and (tag eq "a" or tag co "b")`; all if absent or blank. At most 4,096
   * characters, 64 comparisons, 32 parentheses within each other. Where it demands titles, time does not grow with the
   * number of items of other titles; otherwise every item of the vault is read. The time that comparing an item takes
   * grows with its title and tags, not with the number of comparisons or the length of their values.
   */
  readonly filter?: string | undefined
  /**
   * At most so many, 1 to 1,000; all if absent. Titles, tags and URLs are part of the result, so without a limit it can
   * be about as large as all items of the vault.
   */
  readonly limit?: number | undefined
  /** Only items whose ids come after this one: the last one of the page before. It need not be there any more. */
  readonly after?: string | undefined
}

/**
 * The operation `listItems` of the service: ascending by id, without what is marked as deleted. It is no snapshot: an
 * item that is changed meanwhile is answered as it was or as it is, and one that is retitled may be left out.
 */
export async function listItems(
  context: Context,
  caller: Caller | undefined,
  input: ListItemsInput,
): Promise<readonly ItemSummary[]> {
  const { vaultId } = input
  await authorize(caller, { vaultId }, 'read')
  const { filter: text = '', ...page } = parse(pageInputSchema, input)
  const filter = parseFilter(text, ['title', 'tag'])
  const matches = filter && matchesFilter(filter)
  const pace = createPacer()
  await requireVaultRecord(context, vaultId)
  return listRecords(context, itemCollection(vaultId), { ...page, filter }, async (record) => {
    const { item } = parseItemRecord(record, { vaultId, itemId: record.id })
    if (item.state === 'DELETED') return undefined
    const pause = matches && pace(record.body.length)
    if (pause) await pause
    return matches?.(item) === false ? undefined : summaryOf(item)
  })
}

function summaryOf({
  sections: _sections,
  fields: _fields,
  files: _files,
  ...summary
}: Item): ItemSummary {
  return summary
}
