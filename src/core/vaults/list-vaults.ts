/** Lists the vaults that a caller can read. */

import { vaultRecords } from '../../base/stored-records.js'
import { listVaultsInputSchema } from '../../schema/inputs.js'
import type { RecordStore } from '../../store.js'
import { filterReadableVaults, type KnownCaller } from '../access/caller.js'
import { vaultAttributes } from '../filter/attributes.js'
import { planList } from '../filter/plan-list.js'
import { defineOperation } from '../operation/define-operation.js'
import { listErrors } from '../operation/operation-errors.js'
import { listRecords } from '../records/list-records.js'
import { isVaultRecord, parseVaultRecord } from '../records/vault-record.js'
import { isUnreadableError } from '../runtime/report-unreadable.js'

/** Input of `listVaults`. */
export interface ListVaultsInput {
  /**
   * A filter, such as `name eq "x" or description co "y"`. By default, and if it is blank, all
   * vaults are listed. `title` is an alias of `name`. Vaults have no tags. The other attributes and
   * the operators are in
   * [docs/filters.md](https://github.com/cofferkit/cofferkit/blob/main/docs/filters.md). A filter
   * has at most 4,096 characters, 64 comparisons and 32 nested parentheses, and each of its words,
   * between two quotes, has at most 250 characters (`limits.filterWordCharacters`).
   */
  readonly filter?: string | undefined
  /** The maximum number of vaults, 1 to 1,000. Default: unlimited. */
  readonly limit?: number | undefined
  /**
   * Only vaults with a greater id. Pass the last id of the previous page, even if that vault was
   * deleted since.
   */
  readonly after?: string | undefined
  /** If true, the filter and the order ignore case. Default: false. */
  readonly ignoreCase?: boolean | undefined
  /**
   * The attribute by which the vaults are sorted. Default: their ids. Every match is read, and
   * `after` cannot be used.
   */
  readonly sortBy?: 'name' | 'createdAt' | 'updatedAt' | undefined
  /** The direction of `sortBy`. Default: ascending. */
  readonly sortOrder?: 'ascending' | 'descending' | undefined
}

/**
 * The minimum number of vaults checked at a time. If it were 1, each hidden vault would cost a
 * query.
 */
const minPageSize = 100

/**
 * Returns the vaults that the caller can read, sorted or in ascending order of their ids. The
 * records of other vaults are not parsed.
 */
export const listVaults = defineOperation({
  name: 'listVaults',
  summary: 'Returns the vaults that the caller can read',
  target: 'service',
  permissions: [],
  activity: ['READ', 'VAULT'],
  errors: listErrors,
  input: listVaultsInputSchema,
  async run({ context, caller, reportUnreadable, reportCanCreate }, query) {
    if (reportCanCreate !== undefined) reportCanCreate(await canCreate(caller))
    const plan = planList(vaultAttributes, query, context.limits.filterWordCharacters)
    const { records } = context.store
    const readable = new Set<string>()
    const findReadable = async (ids: readonly string[]): Promise<void> => {
      for (const id of await filterReadableVaults(caller, ids, 'listVaults')) readable.add(id)
    }
    const list: RecordStore['list'] = async (collection, page) => {
      const limit = Math.max(page.limit, minPageSize)
      const found = await records.list(collection, { ...page, limit })
      // Checks a page at once, because a check may be a database query.
      await findReadable(
        found.filter((record) => isVaultRecord(record, record.id)).map(({ id }) => id),
      )
      return found
    }
    const get: RecordStore['get'] = async (key) => {
      try {
        const record = await records.get(key)
        if (isVaultRecord(record, key.id)) await findReadable([key.id])
        return record
      } catch (error) {
        if (!isUnreadableError(error, key)) throw error
        await findReadable([key.id])
        if (readable.has(key.id)) throw error
        return undefined
      }
    }
    const store = { records: { ...records, get, list } }
    const page = { ...query, plan }
    return listRecords(
      { store, reportUnreadable },
      vaultRecords.collection,
      page,
      async (record) => {
        if (!readable.has(record.id)) return undefined
        const vault = parseVaultRecord(record, record.id)
        if (plan.matches && !(await plan.matches(vault))) return undefined
        return vault
      },
    )
  },
})

/** An id for the question whether a vault with any id can be created. No vault has it. */
const anyVaultId = '0'.repeat(26)

/** Returns true if the caller can create vaults. If that cannot be determined, returns false. */
async function canCreate(caller: KnownCaller): Promise<boolean> {
  try {
    return (await caller.can('create', anyVaultId, 'createVault')) === true
  } catch {
    return false
  }
}
