/** Answers the vaults that a caller may read. */

import { pageInputSchema } from '../../schema/inputs.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { matchesFilter } from '../filter/filter.js'
import { parseFilter } from '../filter/parse-filter.js'
import { listRecords } from '../records/list-records.js'
import { isVault, parseVaultRecord, vaultCollection } from '../records/vault-record.js'

/** Input of `listVaults`. */
export interface ListVaultsInput {
  /**
   * Which vaults, such as `name eq "x" or name co "y"`; all if absent or blank. `title` is read as `name`; vaults have
   * no tags. At most 4,096 characters, 64 comparisons, 32 parentheses within each other.
   */
  readonly filter?: string | undefined
  /** At most so many, 1 to 1,000; all if absent. */
  readonly limit?: number | undefined
  /** Only vaults whose ids come after this one: the last one of the page before. It need not be there any more. */
  readonly after?: string | undefined
}

/**
 * Returns the vaults that the caller can read, in ascending order of their ids; empty if there are none. The records of
 * other vaults are not parsed.
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
    const matches = filter && matchesFilter(filter)
    return listRecords(context, vaultCollection, { ...page, filter }, async (record) => {
      if ((await caller.can('read', record.id)) !== true) return undefined
      if (!isVault(record, record.id)) return undefined
      const vault = parseVaultRecord(record, record.id)
      return matches?.({ title: vault.name, tags: [] }) !== false ? vault : undefined
    })
  },
})
