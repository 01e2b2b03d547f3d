/** Answers the items of a vault without their fields, sections and files. */

import { InvalidInputError } from '../errors.js'
import type { Item, ItemSummary } from '../schema/item.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { itemCollection } from './item-record.js'
import { permit } from './permit.js'
import { itemIn } from './read-item.js'
import { requireVault } from './read-vault.js'
import { walkRecords } from './walk-records.js'

/** What `listItems` is told. */
export interface ListItemsInput {
  readonly vaultId: string
  /** Any filter is refused, none is ignored. */
  readonly filter?: string | undefined
}

/** The operation `listItems` of the service: ascending by id, without what is marked as deleted. */
export async function listItems(
  context: Context,
  caller: Caller | undefined,
  input: ListItemsInput,
): Promise<readonly ItemSummary[]> {
  const { vaultId, filter } = input
  await permit(caller, { vaultId }, 'read')
  if (filter !== undefined) throw InvalidInputError.at('filter', 'is not supported')
  await requireVault(context, vaultId)
  const summaries: ItemSummary[] = []
  for await (const record of walkRecords(context, itemCollection(vaultId))) {
    const { item } = itemIn(record, { vaultId, itemId: record.id })
    if (item.state !== 'DELETED') summaries.push(summaryOf(item))
  }
  return summaries
}

function summaryOf({
  sections: _sections,
  fields: _fields,
  files: _files,
  ...summary
}: Item): ItemSummary {
  return summary
}
