import { describe, expect, it, vi } from 'vitest'
import { assertService } from '../../src/core/assert-service.js'
import type { StoredItem } from '../../src/core/records/item-record.js'
import { createCredentials } from '../../src/credentials.js'
import {
  createCaller,
  createVaultService,
  type MethodName,
  type VaultService,
  type VaultStore,
} from '../../src/index.js'
import { vaultGrants } from '../../src/oauth.js'
import { createReferenceResolver } from '../../src/references.js'
import { createEncryptedStore, createLocalKeyProvider } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestClock,
  createTestVault,
} from '../../src/testing.js'
import { vaultSecrets } from '../../src/use.js'
import { utf8 } from '../support/bytes.js'
import { loginDraft, noteDraft } from '../support/drafts.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'
import { fileRef } from '../support/items/refs.js'
import { storageFailed } from '../support/service/rejections.js'
import { createDamagedStore } from '../support/stores/damaged-store.js'
import { readRecords } from '../support/stores/stores.js'

const caller = createCaller({ id: 'tester', vaults: '*' })

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

describe('checkHealth of an encrypted store', () => {
  const key = new Uint8Array(32).fill(1)
  const vaultId = 'health'.padEnd(26, 'v')
  const open = async (inner: VaultStore, name: string, bytes = key) => {
    const keys = createLocalKeyProvider({ keys: { [name]: bytes }, keyId: name })
    const store = createEncryptedStore(inner, { keys })
    return { store, service: createVaultService({ store, onError: () => {} }) }
  }

  it('rejects when a key is missing, and not when one record is damaged', async () => {
    const inner = createMemoryStore()
    const { service } = await open(inner, 'local')
    await service.createVault(caller, { vaultId, name: 'Team' })
    await service.checkHealth()
    const { service: other } = await open(inner, 'local', new Uint8Array(32).fill(2))
    await expect(other.checkHealth()).rejects.toMatchObject({ status: 500 })
    const damaged = createDamagedStore(inner)
    await damaged.damage({ collection: 'vaults', id: vaultId })
    const { service: again } = await open(damaged.store, 'local')
    expect(await again.listVaults(caller)).toEqual([])
    await again.checkHealth()
  })

  it('rejects in a process without the key that has replaced its own', async () => {
    const inner = createMemoryStore()
    const { service: forgotten } = await open(inner, 'local')
    await forgotten.createVault(caller, { vaultId, name: 'Team' })
    const keys = createLocalKeyProvider({
      keys: { local: key, next: new Uint8Array(32).fill(2) },
      keyId: 'next',
    })
    await createEncryptedStore(inner, { keys }).rewrapKeys()
    // It has its keys in memory, and would go on with them.
    expect(await forgotten.listVaults(caller)).toHaveLength(1)
    const { currentKekId } = createLocalKeyProvider({ key })
    await expect(forgotten.checkHealth()).rejects.toThrow(
      `are wrapped with the KEK ${keys.currentKekId}, but the key provider has only ${currentKekId}`,
    )
  })

  it('rejects in a process whose key ring is newer than the stored one', async () => {
    const inner = createMemoryStore()
    const { store, service } = await open(inner, 'local')
    await service.createVault(caller, { vaultId, name: 'Team' })
    const ring = { collection: 'keys', id: 'vaults' }
    const before = await inner.records.get(ring)
    await store.rotateDataKeys()
    await service.checkHealth()
    await inner.records.delete(ring, 2)
    await inner.records.put(ring, { body: before?.body ?? new Uint8Array() }, 0)
    await expect(service.checkHealth()).rejects.toThrow('older than those that were seen before')
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
      ['getItem', ref],
      ['patchItem', { ...ref, patch: [] }],
      ['patchItem', { ...ref, patch }],
      ['replaceItem', { ...ref, item: loginDraft(vaultId) }],
    ] as const
    for (const [operation, input] of inputs) {
      const stored = await storedBy(service, operation, input)
      expect((await readRecords(store, vaultId)).at(-1)).toContain(`\n${stored.text}`)
      const { version } = await service.getItem(caller, ref)
      expect(JSON.parse(stored.text)).toMatchObject({ id: item.id, version })
      expect(stored.item).toMatchObject({ id: item.id, version })
    }
  })

  it('is the stored text for each item of getItems', async () => {
    const { service, store, vaultId, item } = await createTestVault()
    const stored = await resultOf(service, 'getItems', { vaultId, itemIds: [item.id] })
    const { text } = await storedBy(service, 'getItem', { vaultId, itemId: item.id })
    expect(stored).toMatchObject([{ item: { id: item.id }, text }])
    expect((await readRecords(store, vaultId)).at(-1)).toContain(`\n${text}`)
  })

  it('is available for a new item', async () => {
    const { service, vaultId } = await createTestVault()
    const input = { vaultId, item: noteDraft(vaultId) }
    const stored = await storedBy(service, 'createItem', input)
    expect(JSON.parse(stored.text)).toMatchObject({ title: 'Note', version: 1 })
  })

  it('is the content as the store has returned it for readFileContent', async () => {
    const vault = await createTestVault()
    const { service, smallFile: file } = vault
    const stored = await resultOf(service, 'readFileContent', fileRef(vault))
    expect(stored).toEqual({ name: file.name, size: 5, content: utf8('hello') })
    const { content } = await service.readFileContent(caller, fileRef(vault))
    expect(content).toBeInstanceOf(ReadableStream)
    await content.cancel()
  })
})

describe('createVaultService: an input that changes during its call', () => {
  it('is read once, before the call is waited for', async () => {
    const vault = await createTestVault()
    const { store, vaultId, item } = vault
    const other = await vault.service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const approved: unknown[] = []
    const service = createVaultService({
      store,
      async around({ ids }, next) {
        approved.push(ids.itemId)
        await new Promise(setImmediate)
        await next()
      },
    })
    const input = { vaultId, itemId: other.id }
    const call = service.deleteItem(caller, input)
    input.itemId = item.id
    await call
    expect(approved).toEqual([other.id])
    expect(await service.getItem(caller, { vaultId, itemId: item.id })).toEqual(item)
  })
})

describe('createVaultService: a copy of the service', () => {
  it('has none of its members, and cannot be made by changing it', async () => {
    const { service } = await createTestVault()
    expect(Object.isFrozen(service)).toBe(true)
    expect({ ...service }).toEqual({})
    expect(() => Object.assign(service, { getItem: async () => undefined })).toThrow(TypeError)
    expect(() => vi.spyOn(service, 'getItem')).toThrow(TypeError)
  })

  const copies: readonly (readonly [string, (service: VaultService) => unknown])[] = [
    ['is spread', (service) => ({ ...service, getItem: async () => undefined })],
    ['inherits from it', (service) => Object.create(service)],
    ['is a promise of it', (service) => Promise.resolve(service)],
    ['is missing', () => undefined],
  ]
  const users: Readonly<Record<string, (service: VaultService) => unknown>> = {
    createHttpHandler: (service) => createHttpHandler(service, { authenticate: () => caller }),
    createCredentials: (service) => createCredentials(service, { key: { fields: { key: {} } } }),
    vaultGrants: (service) => vaultGrants(service, caller),
    createReferenceResolver: (service) => createReferenceResolver(service, caller),
    vaultSecrets: (service) => vaultSecrets(service, caller),
  }
  describe.each(Object.entries(users))('%s', (_, use) => {
    it.each(copies)('refuses a service that %s', async (how, copy) => {
      const { service } = await createTestVault()
      const message = how.includes('promise')
        ? /is await missing/
        : /use its option around|^service/
      const call = () => use(copy(service) as VaultService)
      expect(call).toThrow(TypeError)
      expect(call).toThrow(message)
      expect(use(service)).toBeDefined()
    })
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

async function storedBy(
  service: VaultService,
  operation: MethodName,
  input: object,
): Promise<StoredItem> {
  return (await resultOf(service, operation, input)) as StoredItem
}

/** Returns the result of an operation in its stored form. */
function resultOf(service: VaultService, operation: MethodName, input: object) {
  const request = { ids: input, login: () => caller, readInput: () => input }
  return assertService(service).execute(operation, request)
}
