/** Lists the vaults that a caller can read. */

import { pageInputSchema } from '../../schema/inputs.js'
import type { RecordStore } from '../../store.js'
import { filterReadableVaults } from '../access/caller.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { createFilterMatcher } from '../filter/filter.js'
import { parseFilter } from '../filter/parse-filter.js'
import { listRecords } from '../records/list-records.js'
import { isVaultRecord, parseVaultRecord, vaultCollection } from '../records/vault-record.js'

/** Input of `listVaults`. */
export interface ListVaultsInput {
  /**
   * A filter on the name, such as `name eq "x" or name co "y"`; every vault matches if absent or
   * blank. `title` is an alias of `name`; vaults have no tags. At most 4,096 characters, 64
   * comparisons and 32 nested parentheses.
   */
  readonly filter?: string | undefined
  /** The maximum number of vaults, 1 to 1,000; unlimited if absent. */
  readonly limit?: number | undefined
  /**
   * Only vaults with a greater id. Pass the last id of the previous page, even if that vault was
   * deleted since.
   */
  readonly after?: string | undefined
}

/**
 * Returns the vaults that the caller can read, in ascending order of their ids; empty if no vault
 * exists or matches the filter. The records of other vaults are not parsed.
 */
export const listVaults = defineOperation({
  name: 'listVaults',
  target: 'service',
  permissions: [],
  activity: ['READ', 'VAULT'],
  errors: operationErrors.list,
  input: pageInputSchema,
  async run({ context, caller }, { filter: text = '', ...page }) {
    const filter = parseFilter(text, ['title'])
    const matches = filter && createFilterMatcher(filter)
    const { records } = context.store
    const readable = new Set<string>()
    const list: RecordStore['list'] = async (collection, query) => {
      const found = await records.list(collection, query)
      const ids = found.filter((record) => isVaultRecord(record, record.id)).map(({ id }) => id)
      // A whole page at once, because a check can be a query of a database.
      for (const id of await filterReadableVaults(caller, ids, 'listVaults')) readable.add(id)
      return found
    }
    const store = { records: { ...records, list } }
    return listRecords({ store }, vaultCollection, { ...page, filter }, async (record) => {
      if (!readable.has(record.id)) return undefined
      const vault = parseVaultRecord(record, record.id)
      return matches?.({ title: vault.name, tags: [] }) !== false ? vault : undefined
    })
  },
})
