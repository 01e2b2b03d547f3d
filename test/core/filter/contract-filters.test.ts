import { describe, expect, it } from 'vitest'
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
})
