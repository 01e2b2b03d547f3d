import { describe, expect, it } from 'vitest'
import { createTestVault } from '../../../src/testing.js'
import { createNotes } from '../../support/http/pagination.js'
import { invalid } from '../../support/service/rejections.js'

describe('contractFilters', () => {
  it.each([
    [{ sortBy: 'createdAt' }, 'sortBy'],
    [{ sortOrder: 'ascending' }, 'sortOrder'],
  ] as const)('rejects %j without the option filters', async (query, name) => {
    const { service, caller, vaultId } = await createTestVault()
    const error = invalid(`${name} needs the option filters of the service`)
    await expect(service.listItems(caller, { vaultId, ...query })).rejects.toMatchObject(error)
    await expect(service.listVaults(caller, query)).rejects.toMatchObject(error)
  })

  it.each([
    ['title eq "STRASSE"', ['Straße', 'STRASSE'], ['STRASSE']],
    ['title co "SSE"', ['Straße', 'STRASSE'], ['STRASSE']],
    ['tag eq "X" and title eq "strasse"', ['STRASSE'], []],
    ['tag co "Y"', [], []],
    ['title eq "stras"', [], []],
  ])('finds items in any case for %s when case is ignored', async (filter, titles, exactTitles) => {
    const vault = await createTestVault()
    await createNotes(vault, [{ title: 'Straße' }, { title: 'STRASSE', tags: ['x'] }])
    const list = { vaultId: vault.vaultId, filter, ignoreCase: true }
    const found = await vault.service.listItems(vault.caller, list)
    expect(found.map(({ title }) => title).sort()).toEqual(titles.toSorted())
    const exact = await vault.service.listItems(vault.caller, { ...list, ignoreCase: false })
    expect(exact.map(({ title }) => title)).toEqual(exactTitles)
  })

  it('finds vaults in any case when case is ignored', async () => {
    const { service, caller, vaultId } = await createTestVault()
    await service.createVault(caller, { name: 'tEST 2' })
    const ids = async (filter: string, ignoreCase: boolean) =>
      (await service.listVaults(caller, { filter, ignoreCase })).map(({ id }) => id)
    expect(await ids('name eq "tesT"', true)).toEqual([vaultId])
    expect(await ids('name eq "tesT"', false)).toEqual([])
    expect(await ids('name co "TEST"', true)).toHaveLength(2)
  })
})
