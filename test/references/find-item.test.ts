import { describe, expect, it } from 'vitest'
import { unreadableRecordError } from '../../src/base/fixed-errors.js'
import type { CallerOperations, DecryptionError } from '../../src/index.js'
import { createNameSearches } from '../../src/references/find-item.js'
import { parseSecretReference } from '../../src/references/secret-reference.js'

const names = ['Mail', 'mail', 'Bank'] as const
const vaults = names.map((name, index) => ({ id: String(index).repeat(26), name }))

/** The operations of a server that ignores `ignoreCase`: a filter finds exact names alone. */
function createOperations(error?: DecryptionError) {
  const filters: (string | undefined)[] = []
  const listVaults = async (page: { filter?: string }, options?: object) => {
    filters.push(page.filter)
    if (error !== undefined && page.filter === undefined)
      (options as { onUnreadable(reason: Error): void }).onUnreadable(error)
    return vaults.filter(({ name }) => !page.filter || page.filter.includes(`"${name}"`))
  }
  const operations = { listVaults, listItems: async () => [] } as unknown
  return { operations: operations as Pick<CallerOperations, 'listVaults' | 'listItems'>, filters }
}

describe('createNameSearches without ignoreCase', () => {
  const references = ['Mail', 'BANK', 'none'].map((name) =>
    parseSecretReference(`op://${name}/a/b`),
  )

  it('finds an exact name by a filter, and reads the list once for other names', async () => {
    const { operations, filters } = createOperations()
    const { findVaults } = createNameSearches(operations, references, false)
    expect(await findVaults('Mail')).toEqual([vaults[0]?.id])
    expect(await findVaults('BANK')).toEqual([vaults[2]?.id])
    expect(await findVaults('none')).toEqual([])
    expect(filters.filter((filter) => filter === undefined)).toHaveLength(1)
  })

  it('rejects a missing name when a record that can have it is unreadable', async () => {
    const error = unreadableRecordError({ collection: 'vaults', id: 'x', version: 1 })
    const { findVaults } = createNameSearches(createOperations(error).operations, references, false)
    expect(await findVaults('BANK')).toEqual([vaults[2]?.id])
    await expect(findVaults('none')).rejects.toBe(error)
  })
})
