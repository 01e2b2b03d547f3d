/** Lists the items of a vault without their fields, sections and files. */

import { createPacer } from '../../base/pacer.js'
import { collectionOf, itemRecords } from '../../base/stored-records.js'
import { listItemsInputSchema } from '../../schema/inputs.js'
import type { Item, ItemSummary } from '../../schema/item.js'
import { itemAttributes } from '../filter/attributes.js'
import { planList } from '../filter/plan-list.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { isItemRecord, parseItemRecord } from '../records/item-record.js'
import { listRecords } from '../records/list-records.js'
import { requireVaultRecord } from '../records/vault-record.js'

/** Input of `listItems`. */
export interface ListItemsInput {
  readonly vaultId: string
  /**
   * A filter, such as `title eq "x" and (tag eq "a" or createdAt gt "2026-01-31")`. By default, and
   * if it is blank, all items are listed. The attributes and operators are in
   * [docs/filters.md](https://github.com/cofferkit/cofferkit/blob/main/docs/filters.md). No filter
   * compares fields. It has at most 4,096 characters, 64 comparisons and 32 levels of parentheses,
   * and each of its words, between two quotes, has at most 250 characters
   * (`limits.filterWordCharacters`).
   *
   * If the filter requires certain titles, the number of items with other titles does not matter,
   * with or without `ignoreCase`. Items whose titles differ only in case, or after 128 characters,
   * are read as well. Any other filter reads every item of the vault. The time of each `co`
   * comparison grows with the strings that it compares. The event loop gets turns meanwhile.
   */
  readonly filter?: string | undefined
  /**
   * The maximum number of items, 1 to 1,000. By default all items are returned. Titles, tags and
   * URLs are part of the result, so without a limit it can be about as large as all items of the
   * vault.
   */
  readonly limit?: number | undefined
  /**
   * Lists only items after this id. Pass the last id of the previous page, even if that item was
   * deleted since.
   */
  readonly after?: string | undefined
  /** If true, the filter and the order ignore case. Default: false. */
  readonly ignoreCase?: boolean | undefined
  /**
   * The attribute by which the items are sorted. Default: their ids. Every match is read, and
   * `after` cannot be used.
   */
  readonly sortBy?: 'title' | 'createdAt' | 'updatedAt' | 'category' | undefined
  /** The direction of `sortBy`. Default: ascending. */
  readonly sortOrder?: 'ascending' | 'descending' | undefined
}

/**
 * Returns the items of a vault, without those that are marked as deleted, sorted or in ascending
 * order of their ids. The list is not a snapshot. An item that changes meanwhile is returned with
 * or without the change, and an item whose title changes may be left out.
 */
export const listItems = defineOperation({
  name: 'listItems',
  summary: 'Returns the items of a vault without their fields, sections and files',
  target: 'vault',
  permissions: ['read'],
  activity: ['READ', 'VAULT'],
  errors: readErrors,
  input: listItemsInputSchema,
  async run({ context, reportUnreadable }, { vaultId, ...query }) {
    const plan = planList(itemAttributes, query, context.limits.filterWordCharacters)
    const { matches } = plan
    const pace = createPacer()
    await requireVaultRecord(context, vaultId)
    return listRecords(
      { store: context.store, reportUnreadable },
      collectionOf(itemRecords, vaultId),
      { ...query, plan },
      async (record) => {
        if (!isItemRecord(record)) return undefined
        const ref = { vaultId, itemId: record.id }
        const { item } = parseItemRecord(record, ref)
        if (item.state === 'DELETED') return undefined
        const pause = matches && pace(record.body.length)
        if (pause) await pause
        if (matches && !(await matches(item))) return undefined
        return toSummary(item)
      },
    )
  },
})

function toSummary({
  sections: _sections,
  fields: _fields,
  files: _files,
  ...summary
}: Item): ItemSummary {
  return summary
}
