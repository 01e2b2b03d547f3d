import { describe, expect, it } from 'vitest'
import type { StoredItem } from '../../src/core/records/item-record.js'
import { type ServiceMethod, storedMethod } from '../../src/core/service-method.js'
import { createCaller, createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestClock,
  createTestVault,
  loginDraft,
  noteDraft,
} from '../../src/testing.js'
import { utf8 } from '../support/bytes.js'
import { fileRef, itemRef } from '../support/items/refs.js'
import { storageFailed } from '../support/service/rejections.js'
import { readRecords } from '../support/stores/stores.js'

const caller = createCaller('tester', '*')

describe('logAllowedCall', () => {
  it('does nothing without an activity log', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    expect(await service.logAllowedCall('getItem', caller, {})).toBeUndefined()
  })
})

describe('checkHealth', () => {
  it('resolves when the store responds, and reads a record that is never written', async () => {
    const { records, blobs } = createMemoryStore()
    const keys: unknown[] = []
    const get: typeof records.get = (key) => {
      keys.push(key)
      return records.get(key)
    }
    const service = createVaultService({ store: { records: { ...records, get }, blobs } })
    expect(await service.checkHealth()).toBeUndefined()
    expect(keys).toEqual([{ collection: 'vaults', id: 'health' }])
  })

  it('rejects with a StorageError when the store fails', async () => {
    const store = createFaultyStore(createMemoryStore(), () => 'fail-before')
    await expect(createVaultService({ store }).checkHealth()).rejects.toMatchObject(storageFailed)
  })
})

describe('createVaultService with a fixed clock and fixed randomness', () => {
  it('returns and stores the same bytes for the same calls', async () => {
    const [first, second] = [await runAllOperations(7), await runAllOperations(7)]
    expect(first.results).toBe(second.results)
    expect(first.stored).toEqual(second.stored)
    expect(first.stored).toHaveLength(4)
  })

  it('generates other ids and values with other randomness', async () => {
    const [first, second] = [await runAllOperations(7), await runAllOperations(8)]
    expect(first.results).not.toBe(second.results)
  })
})

describe('createVaultService: the stored JSON of an item', () => {
  it('is the stored text for every operation that returns an item', async () => {
    const { service, store, vaultId, item } = await createTestVault()
    const ref = { vaultId, itemId: item.id }
    const patch = [{ op: 'add', path: '/title', value: 'Patched' }]
    const inputs = [
      [service.getItem, ref],
      [service.patchItem, { ...ref, patch: [] }],
      [service.patchItem, { ...ref, patch }],
      [service.replaceItem, { ...ref, item: loginDraft(vaultId) }],
    ] as const
    for (const [operation, input] of inputs) {
      const stored = await storedBy(operation, input)
      expect((await readRecords(store, vaultId)).at(-1)).toContain(`\n${stored.text}`)
      const { version } = await service.getItem(caller, ref)
      expect(JSON.parse(stored.text)).toMatchObject({ id: item.id, version })
      expect(stored.item).toMatchObject({ id: item.id, version })
    }
  })

  it('is the stored text for each item of getItems', async () => {
    const { service, store, vaultId, item } = await createTestVault()
    const input = { vaultId, itemIds: [item.id] } as never
    const stored = await storedMethod(service.getItems)(caller, input)
    const { text } = await storedBy(service.getItem, { vaultId, itemId: item.id })
    expect(stored).toMatchObject([{ item: { id: item.id }, text }])
    expect((await readRecords(store, vaultId)).at(-1)).toContain(`\n${text}`)
  })

  it('is available for a new item', async () => {
    const { service, vaultId } = await createTestVault()
    const input = { vaultId, item: noteDraft(vaultId) }
    const stored = await storedBy(service.createItem, input)
    expect(JSON.parse(stored.text)).toMatchObject({ title: 'Note', version: 1 })
  })

  it('is the content as the store has returned it for readFileContent', async () => {
    const vault = await createTestVault()
    const { service, smallFile: file } = vault
    const stored = await storedMethod(service.readFileContent)(caller, fileRef(vault) as never)
    expect(stored).toEqual({ name: file.name, size: 5, content: utf8('hello') })
    const { content } = await service.readFileContent(caller, fileRef(vault))
    expect(content).toBeInstanceOf(ReadableStream)
    await content.cancel()
  })

  it('is not returned by a wrapped method, also if it has the properties of the method', async () => {
    const { service, ...vault } = await createTestVault()
    const { getItem } = service
    const wrapped: typeof getItem = (by, input) => getItem(by, input)
    const copy = Object.assign((...args: Parameters<typeof getItem>) => getItem(...args), getItem)
    for (const method of [wrapped, copy, new Proxy(getItem, {})]) {
      expect(storedMethod(method)).toBe(method)
      expect(await method(caller, itemRef(vault))).toEqual(vault.item)
    }
  })
})

/** Runs every kind of operation; returns the results and the stored records. */
async function runAllOperations(seed: number): Promise<{ results: string; stored: string[] }> {
  const store = createMemoryStore()
  const now = createTestClock()
  const service = createVaultService({ store, now, randomBytes: createSeededRandomBytes(seed) })
  const results: unknown[] = []
  const save = <Result>(result: Result): Result => {
    results.push(result)
    now.advance(1)
    return result
  }
  const { id: vaultId } = save(await service.createVault(caller, { name: 'Vault' }))
  const fields = [{ id: 'made', purpose: 'PASSWORD' as const, generate: true }]
  const item = loginDraft(vaultId, { fields, sections: [{ label: 'Without an id' }] })
  const ref = { vaultId, itemId: save(await service.createItem(caller, { vaultId, item })).id }
  save(await service.createItem(caller, { vaultId, item: noteDraft(vaultId) }))
  save(await service.createItem(caller, { vaultId, item }))
  const file = save(await service.attachFile(caller, { ...ref, name: 'a', content: utf8('a') }))
  save(await service.replaceItem(caller, { ...ref, item: noteDraft(vaultId) }))
  const value = { label: 'New', generate: true }
  save(await service.patchItem(caller, { ...ref, patch: [{ op: 'add', path: '/fields', value }] }))
  save(await service.patchItem(caller, { ...ref, patch: [] }))
  save(await service.getFileDetails(caller, { ...ref, fileId: file.id, inlineFiles: true }))
  save(await service.listItems(caller, { vaultId }))
  const deleted = save(await service.createItem(caller, { vaultId, item: noteDraft(vaultId) }))
  save(await service.deleteItem(caller, { vaultId, itemId: deleted.id }))
  return { results: JSON.stringify(results), stored: await readRecords(store, vaultId) }
}

async function storedBy(method: ServiceMethod, input: object): Promise<StoredItem> {
  return (await storedMethod(method)(caller, input as never)) as StoredItem
}
