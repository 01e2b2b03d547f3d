/** Answers the vaults that a caller may read. */

import { pageInputSchema } from '../../schema/inputs.js'
import { parse } from '../../schema/parse.js'
import type { Vault } from '../../schema/vault.js'
import { requireCaller } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { matchesFilter } from '../filter/filter.js'
import { parseFilter } from '../filter/parse-filter.js'
import { listRecords } from '../records/list-records.js'
import { isVault, parseVaultRecord, vaultCollection } from '../records/vault-record.js'
import type { Context } from '../runtime/context.js'

/** What `listVaults` is told. */
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
 * The operation `listVaults` of the service: ascending by id. Of a vault that the caller may not read, nothing is read
 * but that it is there; a caller who may read none is answered none.
 */
export async function listVaults(
  context: Context,
  caller: Caller | undefined,
  input: ListVaultsInput,
): Promise<readonly Vault[]> {
  const reader = requireCaller(caller)
  const { filter: text = '', ...page } = parse(pageInputSchema, input)
  const filter = parseFilter(text, ['title'])
  const matches = filter && matchesFilter(filter)
  return listRecords(context, vaultCollection, { ...page, filter }, async (record) => {
    if ((await reader.can('read', record.id)) !== true) return undefined
    if (!isVault(record, record.id)) return undefined
    const vault = parseVaultRecord(record, record.id)
    return matches?.({ title: vault.name, tags: [] }) !== false ? vault : undefined
  })
}
