import { createCaller, ForbiddenError, NotFoundError, StorageError } from 'cofferkit'
import { type ImportedItem, type ImportProgress, importItems, readExport } from 'cofferkit/import'
import { createMemoryStore } from 'cofferkit/memory'
import { createFaultyStore, createTestVault } from 'cofferkit/testing'
import { describe, expect, it } from 'vitest'
import { readVector } from '../support/import-vectors.js'

const login = (sourceId: string, password = 'correct horse'): ImportedItem => ({
  sourceId,
  item: {
    category: 'LOGIN',
    title: sourceId,
    fields: [{ id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: password }],
  },
})

const file = (sourceId: string, id: string) => ({
  ...{ sourceId, id, name: `${id}.txt` },
  content: new TextEncoder().encode(id),
})

describe('importItems', () => {
  it('keeps the source id and the times of the source in a section', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const times = { createdAt: '2020-01-02T03:04:05.000Z', updatedAt: '2021-01-02T03:04:05.000Z' }
    const itemIds: (string | undefined)[] = []
    await importItems(service, caller, {
      ...{ vaultId, items: [{ ...login('1pux:1'), ...times }], files: [] },
      onProgress: ({ itemId }) => itemIds.push(itemId),
    })
    const item = await service.getItem(caller, { vaultId, itemId: itemIds[0] ?? '' })
    expect(item.sections).toEqual([{ id: 'cofferkit-import', label: 'Import' }])
    expect(item.fields.slice(1).map(({ label, value }) => [label, value])).toEqual([
      ['source', '1pux:1'],
      ['created', times.createdAt],
      ['updated', times.updatedAt],
    ])
  })

  it('replaces the section when an exported item is imported again', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const own = { id: 'cofferkit-import', label: 'Import' }
    const { item } = login('1pux:1')
    const old = { id: 'cofferkit-import-source', value: 'bitwarden:old', section: { id: own.id } }
    const marked = { ...item, sections: [own], fields: [...(item.fields ?? []), old] }
    const input = { vaultId, items: [{ sourceId: '1pux:1', item: marked }], files: [] }
    expect(await importItems(service, caller, input)).toMatchObject({ created: 1, failures: [] })
    expect(await importItems(service, caller, input)).toMatchObject({ unchanged: 1 })
  })

  it('never changes an item that exists, whatever the export contains', async () => {
    const { service, caller, vaultId } = await createTestVault()
    await importItems(service, caller, { vaultId, items: [login('1pux:1')], files: [] })
    const [, { id: itemId } = { id: '' }] = await service.listItems(caller, { vaultId })
    const before = await service.getItem(caller, { vaultId, itemId })
    const items = [login('1pux:1', 'another'), login('1pux:2')]
    const report = await importItems(service, caller, { vaultId, items, files: [] })
    expect(report).toMatchObject({ created: 1, unchanged: 1 })
    expect(await service.getItem(caller, { vaultId, itemId })).toEqual(before)
  })

  it('adds the name of its vault to the tags of an item if the items have several vaults', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const [work, home] = ['Work', 'Home'].map((name) => ({ id: name, name }))
    const { sourceId, item } = login('1pux:1')
    const items = [
      { sourceId, item: { ...item, tags: ['a'] }, ...(work && { vault: work }) },
      { ...login('1pux:2'), ...(home && { vault: home }) },
    ]
    await importItems(service, caller, { vaultId, items, files: [] })
    await importItems(service, caller, {
      vaultId,
      items: [{ ...login('1pux:3'), ...(home && { vault: home }) }],
      files: [],
    })
    const listed = await service.listItems(caller, { vaultId })
    const tagsOf = (title: string) => listed.find((one) => one.title === title)?.tags
    expect(['1pux:1', '1pux:2', '1pux:3'].map(tagsOf)).toEqual([['a', 'Work'], ['Home'], []])
  })

  it('reports an item and a file that the vault does not accept, and imports the others', async () => {
    const { service, caller, vaultId } = await createTestVault({ limits: { stringBytes: 100 } })
    const items = [
      login('bitwarden:1', 'x'.repeat(101)),
      login('bitwarden:2'),
      login('bitwarden:3'),
    ]
    const files = [{ ...file('bitwarden:2', 'a'), name: '' }, file('bitwarden:2', 'b')]
    const progress: ImportProgress[] = []
    const onProgress = (step: ImportProgress) => progress.push(step)
    const report = await importItems(service, caller, { vaultId, items, files, onProgress })
    expect(report).toMatchObject({ created: 2, files: 1 })
    expect(report.failures).toEqual([
      {
        sourceId: 'bitwarden:1',
        code: 'INVALID_INPUT',
        message: 'fields/0/value must be at most 100 bytes long',
      },
      {
        ...{ sourceId: 'bitwarden:2', fileId: 'a', code: 'INVALID_INPUT' },
        message: 'name must be at least 1 characters long',
      },
    ])
    expect(progress.map(({ done, total, outcome }) => [done, total, outcome])).toEqual([
      [1, 3, 'failed'],
      [2, 3, 'created'],
      [3, 3, 'created'],
    ])
  })

  it('continues after an interrupted import, without a second copy of anything', async () => {
    const { files, items } = readExport(readVector('sample.1pux'))
    const archived = items.filter(({ state }) => state === 'ARCHIVED').length
    for (let failing = 0; failing < 120; failing++) {
      let calls = 0
      let isOn = false
      const fault = failing % 2 === 0 ? 'fail-before' : 'fail-after'
      const store = createFaultyStore(createMemoryStore(), ({ method }) => {
        const isChosen = isOn && /put|write/.test(method) && calls++ === failing >> 1
        return isChosen ? fault : undefined
      })
      const { service, caller, vaultId } = await createTestVault({ store })
      const input = { vaultId, items, files }
      isOn = true
      const first = await importItems(service, caller, input).catch((error: unknown) => error)
      isOn = false
      if (calls > failing >> 1) expect(first).toBeInstanceOf(StorageError)
      await importItems(service, caller, input)
      const stored = await service.listItems(caller, { vaultId })
      expect(stored).toHaveLength(1 + items.length)
      expect(stored.filter(({ state }) => state === 'ARCHIVED')).toHaveLength(archived)
      const details = await service.getItems(caller, {
        vaultId,
        itemIds: stored.map(({ id }) => id),
      })
      const names = details.flatMap((item) => item.files.map(({ name }) => name)).sort()
      expect(names).toEqual(['contract.txt', 'hello.txt', 'large.bin', 'letter.txt', 'scan.png'])
      if (calls <= failing >> 1) return
    }
    expect.unreachable('the import never ran without a failure')
  })

  it('attaches the first of several files with the same id, and reports the others', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const input = {
      vaultId,
      items: [login('1pux:1')],
      files: [file('1pux:1', 'a'), file('1pux:1', 'a')],
    }
    expect(await importItems(service, caller, input)).toMatchObject({
      ...{ created: 1, files: 1 },
      failures: [{ sourceId: '1pux:1', fileId: 'a', code: 'INVALID_INPUT' }],
    })
    expect(await importItems(service, caller, input)).toMatchObject({
      ...{ unchanged: 1, files: 0, failures: [], losses: [] },
    })
  })

  it('does not bring back a file or a state that a user has changed', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const items = [{ ...login('1pux:1'), state: 'ARCHIVED' as const }, login('1pux:2')]
    const input = { vaultId, items, files: [file('1pux:2', 'a')] }
    await importItems(service, caller, input)
    const stored = await service.listItems(caller, { vaultId })
    const [first, second] = stored.filter(({ title }) => title?.startsWith('1pux'))
    const archived = first?.state === 'ARCHIVED' ? first : second
    const other = first === archived ? second : first
    const ref = { vaultId, itemId: other?.id ?? '' }
    const [attached] = await service.listFiles(caller, ref)
    await service.removeFile(caller, { ...ref, fileId: attached?.id ?? '' })
    await service.setItemState(caller, { vaultId, itemId: archived?.id ?? '', state: 'ACTIVE' })
    const report = await importItems(service, caller, input)
    expect(report).toMatchObject({ unchanged: 2, files: 0 })
    expect(report.losses).toEqual([
      {
        ...{ path: '', kind: 'file', sourceId: '1pux:2' },
        message: 'the item was changed after it was imported, so the file was not added',
      },
    ])
    expect(await service.listFiles(caller, ref)).toEqual([])
  })

  it('reads a vault whose items are too large for one call', async () => {
    const { service, caller, vaultId } = await createTestVault({ limits: { getItemsBytes: 2000 } })
    const items = Array.from({ length: 120 }, (_, index) => login(`1pux:${index}`, 'x'.repeat(500)))
    expect(await importItems(service, caller, { vaultId, items, files: [] })).toMatchObject({
      created: 120,
    })
    expect(await importItems(service, caller, { vaultId, items, files: [] })).toMatchObject({
      unchanged: 120,
    })
  })

  it.each([false, true])('rejects without access, dryRun %s', async (dryRun) => {
    const { service, vaultId } = await createTestVault()
    const input = { vaultId, items: [login('bitwarden:1')], files: [], dryRun }
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    await expect(importItems(service, reader, input)).rejects.toThrow(ForbiddenError)
    const missing = { ...input, vaultId: 'z'.repeat(26) }
    await expect(
      importItems(service, createCaller({ id: 'a', vaults: '*' }), missing),
    ).rejects.toThrow(NotFoundError)
    await expect(importItems(service, undefined, input)).rejects.toThrow('the caller must be')
  })

  it('stops when its signal is aborted', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const controller = new AbortController()
    const items = [login('bitwarden:1'), login('bitwarden:2')]
    const onProgress = () => controller.abort(new Error('stopped'))
    const input = { vaultId, items, files: [], onProgress, signal: controller.signal }
    await expect(importItems(service, caller, input)).rejects.toThrow('stopped')
    expect(await service.listItems(caller, { vaultId })).toHaveLength(2)
  })
})
