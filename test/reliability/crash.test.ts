import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { checkVault, type Findings } from '../../tools/reliability/crash/check-vault.js'
import {
  addReport,
  createContent,
  createJournal,
  type Intent,
} from '../../tools/reliability/crash/journal.js'

const caller = createCaller({ id: 'writer', vaults: '*' })

/** A vault in which one item was created, patched and given a file, all acknowledged. */
async function written() {
  const store = createMemoryStore()
  const service = createVaultService({ store })
  const { id: vaultId } = await service.createVault(caller, { name: 'Crashing' })
  const journal = createJournal()
  const fields = [{ id: 'password', type: 'CONCEALED' as const, value: 't1' }]
  const item = { category: 'LOGIN' as const, vault: { id: vaultId }, title: 't1', fields }
  const { id: itemId } = await service.createItem(caller, { vaultId, item })
  const report = (about: Intent, version: number): void => {
    addReport(journal, { about })
    if (version >= 0) addReport(journal, { done: about.token, itemId, version })
  }
  report({ token: 't1', kind: 'create' }, 1)
  const patchWith = (token: string, ...more: readonly object[]) =>
    service.patchItem(caller, {
      vaultId,
      itemId,
      patch: [
        { op: 'add', path: '/tags/-', value: token },
        { op: 'replace', path: '/fields/password/value', value: token },
        ...(more as []),
      ],
    })
  await patchWith('t2')
  report({ token: 't2', kind: 'patch', itemId }, 2)
  await service.attachFile(caller, { vaultId, itemId, name: 't3', content: createContent('t3') })
  report({ token: 't3', kind: 'attach', itemId }, 0)
  const check = (): Promise<Findings> => checkVault(service, vaultId, journal)
  return { store, service, vaultId, itemId, item, journal, report, patchWith, check }
}

describe('checkVault', () => {
  it('finds nothing wrong with what was written and acknowledged', async () => {
    const { check } = await written()
    const none = new Set()
    expect(await check()).toEqual({ lost: none, torn: none, duplicated: none, unacknowledged: 0 })
  })

  it('counts writes that are present and were not acknowledged', async () => {
    const { check, report, patchWith, itemId } = await written()
    await patchWith('t4')
    report({ token: 't4', kind: 'patch', itemId }, -1)
    report({ token: 't5', kind: 'patch', itemId }, -1)
    expect(await check()).toMatchObject({ lost: new Set(), unacknowledged: 1 })
  })

  it('finds a change, a file and an item that are lost', async () => {
    const { check, report, itemId } = await written()
    report({ token: 't6', kind: 'create' }, 1)
    report({ token: 't7', kind: 'patch', itemId }, 3)
    report({ token: 't8', kind: 'attach', itemId }, 0)
    expect((await check()).lost).toEqual(new Set(['t6', 't7', 't8']))
  })

  it('finds a version that is lower than the acknowledged one', async () => {
    const { check, report, itemId } = await written()
    report({ token: 't2', kind: 'patch', itemId }, 4)
    expect((await check()).lost).toEqual(new Set(['t2']))
  })

  it('finds a change that was made twice', async () => {
    const { check, patchWith } = await written()
    await patchWith('t2')
    expect((await check()).duplicated).toEqual(new Set(['patch t2']))
  })

  it('finds an item that was created twice', async () => {
    const { check, service, vaultId, item } = await written()
    await service.createItem(caller, { vaultId, item })
    expect((await check()).duplicated).toEqual(new Set(['create t1']))
  })

  it('finds a write that no writer has made', async () => {
    const { check, patchWith, itemId } = await written()
    await patchWith('t9')
    expect((await check()).torn).toEqual(new Set([`patch t9 in ${itemId}`]))
  })

  it('finds half a change', async () => {
    const { check, service, report, vaultId, itemId } = await written()
    const patch = [{ op: 'add' as const, path: '/tags/-', value: 't4' }]
    await service.patchItem(caller, { vaultId, itemId, patch })
    report({ token: 't4', kind: 'patch', itemId }, 4)
    expect((await check()).torn).toEqual(new Set([`item ${itemId}`]))
  })

  it('finds a record that cannot be read, and everything that is lost with it', async () => {
    const { check, store, vaultId, itemId } = await written()
    const key = { collection: `items/${vaultId}`, id: itemId }
    const stored = await store.records.get(key)
    const body = stored?.body.subarray(0, -1) ?? new Uint8Array()
    await store.records.put(key, { body, indexKey: 't1' }, stored?.version ?? 0)
    const { torn, lost } = await check()
    expect(torn.size).toBeGreaterThan(0)
    expect(lost).toEqual(new Set(['t1', 't2', 't3']))
  })

  it('finds a file with other bytes', async () => {
    const { check, service, report, vaultId, itemId } = await written()
    await service.attachFile(caller, { vaultId, itemId, name: 't4', content: createContent('t3') })
    report({ token: 't4', kind: 'attach', itemId }, 0)
    expect((await check()).torn).toEqual(new Set(['file t4']))
  })
})
