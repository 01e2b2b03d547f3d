import { describe, expect, it } from 'vitest'
import { createVaultService, grant, type RecordPage } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault, noteDraft, seededRandomBytes } from '../../src/testing/index.js'
import { invalid } from '../support/refusals.js'
import { recordingStore } from '../support/stores.js'

const caller = grant('tester', '*')

describe('listItems', () => {
  it('answers nothing of a vault without items', async () => {
    const { service } = await createTestVault()
    const { id: vaultId } = await service.createVault(caller, { name: 'Empty' })
    expect(await service.listItems(caller, { vaultId })).toEqual([])
  })

  it('answers items without fields, sections and files', async () => {
    const { service, vaultId, item } = await createTestVault()
    const { fields: _fields, sections: _sections, files: _files, ...summary } = item
    const listed = await service.listItems(caller, { vaultId })
    expect(listed).toStrictEqual([summary])
    expect(JSON.stringify(listed)).not.toContain('correct horse')
    expect(summary).toMatchObject({ vault: { id: vaultId }, category: 'LOGIN', version: 3 })
  })

  it('answers only the items of the vault that is named', async () => {
    const { service, vaultId, item } = await createTestVault()
    const other = await service.createVault(caller, { name: 'Other' })
    const mine = await service.createItem(caller, { vaultId: other.id, item: noteDraft(other.id) })
    const idsIn = async (id: string) =>
      (await service.listItems(caller, { vaultId: id })).map((listed) => listed.id)
    expect(await idsIn(vaultId)).toEqual([item.id])
    expect(await idsIn(other.id)).toEqual([mine.id])
  })

  it('answers what was changed last, without what was deleted', async () => {
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
  ])('answers all of %i items, ascending by id, in %i pages', async (count, pages) => {
    const store = recordingStore(createMemoryStore())
    const service = createVaultService({ store, randomBytes: seededRandomBytes() })
    const { id: vaultId } = await service.createVault(caller, { name: 'Many' })
    const made: string[] = []
    for (let index = 0; index < count; index++) {
      made.push((await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })).id)
    }
    const listed = await service.listItems(caller, { vaultId })
    expect(listed.map(({ id }) => id)).toEqual(made.sort())
    expect(store.calls.filter((call) => call === 'records.list')).toHaveLength(pages)
  })

  it('asks the store for 500 at a time, from the start and then from the last one on', async () => {
    const { store, service: writer, vaultId } = await createTestVault()
    const made = Array.from({ length: 500 }, () =>
      writer.createItem(caller, { vaultId, item: noteDraft(vaultId) }),
    )
    await Promise.all(made)
    const pages: RecordPage[] = []
    const { records, blobs } = store
    const service = createVaultService({
      store: {
        records: {
          ...records,
          list: (collection, page) => {
            pages.push(page)
            return records.list(collection, page)
          },
        },
        blobs,
      },
    })
    const listed = await service.listItems(caller, { vaultId })
    expect(listed).toHaveLength(501)
    expect(pages).toStrictEqual([{ limit: 500 }, { limit: 500, after: listed[499]?.id }])
  })

  it.each(['', 'title eq "Example"'])(
    'refuses the filter %j, which it does not understand yet',
    async (filter) => {
      const { service, vaultId } = await createTestVault()
      await expect(service.listItems(caller, { vaultId, filter })).rejects.toMatchObject(
        invalid('filter is not supported'),
      )
    },
  )
})
