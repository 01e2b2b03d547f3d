import { describe, expect, it } from 'vitest'
import { contractFilters } from '../../../src/core/filter/contract-filters.js'
import { createTestVault } from '../../../src/testing.js'
import { invalid } from '../../support/service/rejections.js'

describe('contractFilters', () => {
  it.each([
    [{ sortBy: 'createdAt' }, 'sortBy'],
    [{ sortOrder: 'ascending' }, 'sortOrder'],
    [{ ignoreCase: true }, 'ignoreCase'],
  ] as const)('rejects %j without the option filters', async (query, name) => {
    const { service, caller, vaultId } = await createTestVault()
    const error = invalid(`${name} needs the option filters of the service`)
    await expect(service.listItems(caller, { vaultId, ...query })).rejects.toMatchObject(error)
    await expect(service.listVaults(caller, query)).rejects.toMatchObject(error)
  })

  it('accepts that case is not ignored', async () => {
    const { service, caller, vaultId } = await createTestVault()
    expect(await service.listItems(caller, { vaultId, ignoreCase: false })).toHaveLength(1)
  })

  it.each([{}, { filter: '' }, { filter: ' ' }])('plans to list everything for %j', (query) => {
    expect(contractFilters.planItems(query)).toEqual({})
    expect(contractFilters.planVaults(query)).toEqual({})
  })

  it('plans to read the records of the titles that a filter requires', () => {
    const filter = 'title eq "a" or name eq "b"'
    const titles = new Set(['a', 'b'])
    expect(contractFilters.planItems({ filter })).toMatchObject({ titles })
    expect(contractFilters.planVaults({ filter })).toMatchObject({ titles })
    expect(contractFilters.planItems({ filter: 'title co "a"' }).titles).toBeUndefined()
  })

  it('rejects a value without quotes', () => {
    expect(() => contractFilters.planItems({ filter: 'title eq true' })).toThrow('double quotes')
  })

  it('rejects tags in a filter of vaults', () => {
    expect(() => contractFilters.planVaults({ filter: 'tag eq "a"' })).toThrow('title or name')
  })
})
