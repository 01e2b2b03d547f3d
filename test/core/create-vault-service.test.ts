import { describe, expect, it } from 'vitest'
import type { BoundOperation } from '../../src/core/create-vault-service.js'
import type { StoredItem } from '../../src/core/records/load-item.js'
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
import { storageFailed } from '../support/service/rejections.js'
import { recordsOf } from '../support/stores/stores.js'

const caller = createCaller('tester', '*')

describe('checkHealth', () => {
  it('resolves as long as the store answers, and asks it for a record that nobody writes', async () => {
    const { records, blobs } = createMemoryStore()
    const asked: unknown[] = []
    const get: typeof records.get = (key) => {
      asked.push(key)
      return records.get(key)
    }
    const service = createVaultService({ store: { records: { ...records, get }, blobs } })
    expect(await service.checkHealth()).toBeUndefined()
    expect(asked).toEqual([{ collection: 'vaults', id: 'health' }])
  })

  it('rejects with a StorageError when the store fails', async () => {
    const store = createFaultyStore(createMemoryStore(), () => 'fail-before')
    await expect(createVaultService({ store }).checkHealth()).rejects.toMatchObject(storageFailed)
  })
})

describe('a vault service with a fixed clock and fixed randomness', () => {
  it('answers the same calls with the same bytes, and stores the same bytes', async () => {
    const [first, second] = [await story(7), await story(7)]
    expect(first.answers).toBe(second.answers)
    expect(first.stored).toEqual(second.stored)
    expect(first.stored).toHaveLength(4)
  })

  it('has other ids and other generated values with other randomness', async () => {
    const [first, second] = [await story(7), await story(8)]
    expect(first.answers).not.toBe(second.answers)
  })
})

describe('the JSON of an item beside the item', () => {
  it('is the text that is stored, for every operation that answers an item', async () => {
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
      const described = await describedBy(operation, input)
      expect((await recordsOf(store, vaultId)).at(-1)).toContain(`\n${described.text}`)
      const { version } = await service.getItem(caller, ref)
      expect(JSON.parse(described.text)).toMatchObject({ id: item.id, version })
      expect(described.item).toMatchObject({ id: item.id, version })
    }
  })

  it('is the text that is stored, for each of many items', async () => {
    const { service, store, vaultId, item } = await createTestVault()
    const input = { vaultId, itemIds: [item.id] } as never
    const described = await serialized(service.getItems)?.(caller, input)
    const { text } = await describedBy(service.getItem, { vaultId, itemId: item.id })
    expect(described).toMatchObject([{ item: { id: item.id }, text }])
    expect((await recordsOf(store, vaultId)).at(-1)).toContain(`\n${text}`)
  })

  it('is there for an item that was just created', async () => {
    const { service, vaultId } = await createTestVault()
    const input = { vaultId, item: noteDraft(vaultId) }
    const described = await describedBy(service.createItem, input)
    expect(JSON.parse(described.text)).toMatchObject({ title: 'Note', version: 1 })
  })

  it('is not there for operations that answer no item, nor for an operation that was wrapped', async () => {
    const { service } = await createTestVault()
    const wrapped: typeof service.getItem = (by, input) => service.getItem(by, input)
    expect(serialized(wrapped)).toBeUndefined()
    expect(serialized(service.getVault)).toBeUndefined()
  })
})

/** One of everything, and what came of it. */
async function story(seed: number): Promise<{ answers: string; stored: string[] }> {
  const store = createMemoryStore()
  const now = createTestClock()
  const service = createVaultService({ store, now, randomBytes: createSeededRandomBytes(seed) })
  const answers: unknown[] = []
  const told = <Answer>(answer: Answer): Answer => {
    answers.push(answer)
    now.advance(1)
    return answer
  }
  const { id: vaultId } = told(await service.createVault(caller, { name: 'Story' }))
  const fields = [{ id: 'made', purpose: 'PASSWORD' as const, generate: true }]
  const item = loginDraft(vaultId, { fields, sections: [{ label: 'Without an id' }] })
  const ref = { vaultId, itemId: told(await service.createItem(caller, { vaultId, item })).id }
  told(await service.createItem(caller, { vaultId, item: noteDraft(vaultId) }))
  told(await service.createItem(caller, { vaultId, item }))
  const file = told(await service.attachFile(caller, { ...ref, name: 'a', content: utf8('a') }))
  told(await service.replaceItem(caller, { ...ref, item: noteDraft(vaultId) }))
  const value = { label: 'New', generate: true }
  told(await service.patchItem(caller, { ...ref, patch: [{ op: 'add', path: '/fields', value }] }))
  told(await service.patchItem(caller, { ...ref, patch: [] }))
  told(await service.getFileDetails(caller, { ...ref, fileId: file.id, inlineFiles: true }))
  told(await service.listItems(caller, { vaultId }))
  const gone = told(await service.createItem(caller, { vaultId, item: noteDraft(vaultId) }))
  told(await service.deleteItem(caller, { vaultId, itemId: gone.id }))
  return { answers: JSON.stringify(answers), stored: await recordsOf(store, vaultId) }
}

function serialized(method: BoundOperation): BoundOperation['serialized'] {
  return method.serialized
}

async function describedBy(operation: BoundOperation, input: object): Promise<StoredItem> {
  const described = await serialized(operation)?.(caller, input)
  if (described === undefined || !('item' in described)) throw new Error('not described')
  return described
}
