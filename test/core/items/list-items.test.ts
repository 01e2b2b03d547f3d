import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type ListItemsInput } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import {
  createSeededRandomBytes,
  createTestVault,
  noteDraft,
  type TestVault,
} from '../../../src/testing.js'
import { createNotes, recordPages, setState } from '../../support/http/pagination.js'
import { itemRef } from '../../support/items/refs.js'
import { forbidden, invalid, notFound, unauthorized } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const caller = createCaller('tester', '*')

describe('listItems', () => {
  it('returns an empty array for a vault without items', async () => {
    const { service } = await createTestVault()
    const { id: vaultId } = await service.createVault(caller, { name: 'Empty' })
    expect(await service.listItems(caller, { vaultId })).toEqual([])
  })

  it('returns items without fields, sections and files', async () => {
    const { service, vaultId, item } = await createTestVault()
    const { fields: _fields, sections: _sections, files: _files, ...summary } = item
    const listed = await service.listItems(caller, { vaultId })
    expect(listed).toStrictEqual([summary])
    expect(JSON.stringify(listed)).not.toContain('correct horse')
    expect(summary).toMatchObject({ vault: { id: vaultId }, category: 'LOGIN', version: 3 })
  })

  it('returns only the items of the given vault', async () => {
    const { service, vaultId, item } = await createTestVault()
    const other = await service.createVault(caller, { name: 'Other' })
    const otherItem = await service.createItem(caller, {
      vaultId: other.id,
      item: noteDraft(other.id),
    })
    const idsIn = async (id: string) =>
      (await service.listItems(caller, { vaultId: id })).map((listed) => listed.id)
    expect(await idsIn(vaultId)).toEqual([item.id])
    expect(await idsIn(other.id)).toEqual([otherItem.id])
  })

  it('returns the newest versions, without deleted items', async () => {
    const { service, vaultId, item } = await createTestVault()
    const added = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    await service.replaceItem(caller, {
      vaultId,
      itemId: added.id,
      item: noteDraft(vaultId, { title: 'Changed' }),
    })
    await service.deleteItem(caller, { vaultId, itemId: item.id })
    const listed = await service.listItems(caller, { vaultId })
    expect(listed).toMatchObject([{ id: added.id, title: 'Changed', version: 2 }])
  })

  it.each([
    [499, 1],
    [500, 2],
    [501, 2],
    [1001, 3],
  ])('returns all of %i items, ascending by id, in %i pages', async (count, pages) => {
    const store = createRecordingStore(createMemoryStore())
    const service = createVaultService({ store, randomBytes: createSeededRandomBytes() })
    const { id: vaultId } = await service.createVault(caller, { name: 'Many' })
    const ids: string[] = []
    for (let index = 0; index < count; index++) {
      ids.push((await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })).id)
    }
    const listed = await service.listItems(caller, { vaultId })
    expect(listed.map(({ id }) => id)).toEqual(ids.sort())
    expect(store.calls.filter((call) => call === 'records.list')).toHaveLength(pages)
  })

  it('reads 500 records at a time, each page after the last id of the previous one', async () => {
    const vault = await createTestVault()
    await createNotes(vault, Array(500).fill({}))
    const store = recordPages(vault.store)
    const listed = await createVaultService({ store }).listItems(caller, vault)
    expect(listed).toHaveLength(501)
    expect(store.pages).toStrictEqual([{ limit: 500 }, { limit: 500, after: listed[499]?.id }])
  })

  it('omits items in the state DELETED, but not in the state ARCHIVED', async () => {
    const vault = await createTestVault()
    const [first, second, third] = (await createNotes(vault, Array(3).fill({ title: 'x' })))
      .map(({ id }) => id)
      .sort()
    await vault.service.deleteItem(caller, itemRef(vault))
    await setState(vault, second, 'DELETED')
    await setState(vault, third, 'ARCHIVED')
    for (const input of [{}, { limit: 2 }, { filter: 'title eq "x"' }, { filter: 'title co ""' }])
      expect(await idsOf(vault, input)).toEqual([first, third])
    expect(await idsOf(vault, { limit: 1, after: first ?? '' })).toEqual([third])
  })

  it('checks the caller (401, 403) before the filter and the page (400)', async () => {
    const { service, vaultId } = await createTestVault()
    const invalidInput = { vaultId, filter: '(', limit: 0, after: 'x' }
    await expect(service.listItems(undefined, invalidInput)).rejects.toMatchObject(unauthorized)
    await expect(service.listItems(createCaller('a', {}), invalidInput)).rejects.toMatchObject(
      forbidden(vaultId),
    )
    await expect(service.listItems(caller, invalidInput)).rejects.toMatchObject(invalid())
  })

  it.each([
    { filter: '(' },
    { filter: 'x'.repeat(4097) },
    { limit: 0 },
    { limit: 1001 },
    { after: 'x' },
  ])('rejects %j (400) before it reads the vault (404)', async (input) => {
    const store = createRecordingStore()
    const service = createVaultService({ store })
    const vaultId = 'n'.repeat(26)
    const list = (page: object): Promise<unknown> => service.listItems(caller, { vaultId, ...page })
    await expect(list(input)).rejects.toMatchObject(invalid())
    expect(store.calls).toEqual([])
    await expect(list({})).rejects.toMatchObject(notFound('vault', vaultId))
  })

  describe('pages', () => {
    it('returns `limit` items after the given id and reads no more', async () => {
      const vault = await createTestVault()
      await createNotes(vault, Array(11).fill({}))
      const all = await idsOf(vault, {})
      const store = recordPages(vault.store)
      const service = createVaultService({ store })
      const pages = [await idsOf({ ...vault, service }, { limit: 5 })]
      for (let last = pages[0]?.at(-1); last !== undefined; last = pages.at(-1)?.[4])
        pages.push(await idsOf({ ...vault, service }, { limit: 5, after: last }))
      expect(pages).toEqual([all.slice(0, 5), all.slice(5, 10), all.slice(10)])
      expect(store.pages).toStrictEqual([
        { limit: 5 },
        { limit: 5, after: all[4] },
        { limit: 5, after: all[9] },
      ])
    })

    it('continues after an item that was deleted', async () => {
      const vault = await createTestVault()
      await createNotes(vault, [{}, {}, {}])
      const [first, second = '', ...rest] = await idsOf(vault, {})
      await vault.service.deleteItem(caller, { vaultId: vault.vaultId, itemId: second })
      expect(await idsOf(vault, { after: second })).toEqual(rest)
      expect(await idsOf(vault, { limit: 1 })).toEqual([first])
    })

    it('returns an empty array after the last item', async () => {
      const vault = await createTestVault()
      expect(await idsOf(vault, { after: vault.item.id })).toEqual([])
    })

    it('returns up to 1,000 items, read 500 at a time', async () => {
      const vault = await createTestVault()
      await createNotes(vault, Array(1001).fill({}))
      const store = recordPages(vault.store)
      const service = createVaultService({ store })
      expect(await idsOf({ ...vault, service }, { limit: 1000 })).toHaveLength(1000)
      expect(store.pages.map(({ limit }) => limit)).toEqual([500, 500])
    })
  })
})

async function idsOf(
  { service, vaultId }: Pick<TestVault, 'service' | 'vaultId'>,
  page: Omit<ListItemsInput, 'vaultId'>,
): Promise<string[]> {
  return (await service.listItems(caller, { vaultId, ...page })).map(({ id }) => id)
}
