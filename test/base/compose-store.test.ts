import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type BlobStore,
  composeStore,
  createCaller,
  createVaultService,
  type VaultStore,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { openSqliteStore } from '../../src/storage/sqlite.js'
import { createFaultyStore } from '../../src/testing.js'
import { readBytes, utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { createDatabasePath } from '../support/stores/sqlite.js'

/** A blob store whose methods need `this`. */
class CountingBlobs implements BlobStore {
  readonly #inner = createMemoryStore().blobs
  calls = 0
  read(id: string) {
    this.calls += 1
    return this.#inner.read(id)
  }
  write(id: string, content: Uint8Array) {
    this.calls += 1
    return this.#inner.write(id, content)
  }
  delete(id: string) {
    this.calls += 1
    return this.#inner.delete(id)
  }
}

describe('composeStore', () => {
  it('uses the records of one store and the blobs of another', async () => {
    const [one, two] = [createMemoryStore(), createMemoryStore()]
    for (const halves of [
      { records: one, blobs: two },
      { records: one.records, blobs: two.blobs },
    ]) {
      const { records, blobs } = composeStore(halves)
      expect(records).toBe(one.records)
      expect(blobs).toBe(two.blobs)
    }
  })

  it('keeps the object whose methods are called', async () => {
    const blobs = new CountingBlobs()
    const store = composeStore({ records: await open(createDatabasePath()), blobs })
    const service = createVaultService({ store })
    const vault = service.as(createCaller({ id: 'wendy', vaults: '*' }))
    const { id: vaultId } = await vault.createVault({ name: 'Home' })
    const { id: itemId } = await vault.createItem({ vaultId, item: noteDraft(vaultId) })
    await vault.attachFile({ vaultId, itemId, name: 'a', content: new Uint8Array(3) })
    expect(blobs.calls).toBe(1)
  })

  it('leaves closing to those who opened the halves', async () => {
    const records = await open(createDatabasePath())
    const store = composeStore({ records, blobs: createMemoryStore() })
    expect(Reflect.ownKeys(store)).toEqual(['records', 'blobs'])
    expect(await store.records.get({ collection: 'c', id: 'a' })).toBeUndefined()
  })

  it('leaves a blob that collectGarbage removes when the process ends between both', async () => {
    const [records, blobs] = [createMemoryStore(), createMemoryStore()]
    let isDown = false
    // The second write of the item is its version with the file. Nothing after it is done.
    const interrupted = createFaultyStore(records, ({ method, collection, nth }) => {
      isDown ||= method === 'put' && collection?.startsWith('items/') === true && nth === 2
      return isDown ? 'fail-before' : undefined
    })
    const halves = { records: interrupted, blobs }
    const vault = createVaultService({ store: composeStore(halves) }).as(
      createCaller({ id: 'wendy', vaults: '*' }),
    )
    const { id: vaultId } = await vault.createVault({ name: 'Home' })
    const { id: itemId } = await vault.createItem({ vaultId, item: noteDraft(vaultId) })
    await expect(
      vault.attachFile({ vaultId, itemId, name: 'a', content: utf8('content') }),
    ).rejects.toThrow()
    const [pending] = await records.records.list(`pending-blobs/${vaultId}`, { limit: 9 })
    const [, blobId = ''] = new TextDecoder().decode(pending?.body).match(/(\w+\/\w+)/) ?? []
    expect(pending).toBeDefined()
    expect(await blobs.blobs.read(blobId)).toEqual(utf8('content'))
    const later = createVaultService({
      store: composeStore({ records, blobs }),
      now: () => new Date(Date.now() + 86_400_000),
    }).as(createCaller({ id: 'wendy', vaults: '*' }))
    await later.collectGarbage({ vaultId })
    expect(await blobs.blobs.read(blobId)).toBeUndefined()
  })

  it.each([
    { order: 'records first, deletes refused', isPaused: true, isComplete: true },
    { order: 'records first', isPaused: false, isComplete: false },
  ])('is backed up with $order: complete is $isComplete', async ({ isPaused, isComplete }) => {
    const [recordsPath, blobsPath] = [createDatabasePath(), createDatabasePath()]
    const [{ records }, { blobs }] = [await open(recordsPath), await open(blobsPath)]
    let isBackupRunning = isPaused
    const pausable: BlobStore = {
      ...blobs,
      async delete(id) {
        if (isBackupRunning) throw new Error('a backup is running')
        await blobs.delete(id)
      },
    }
    const wendy = createCaller({ id: 'wendy', vaults: '*' })
    const vault = createVaultService({ store: { records, blobs: pausable } }).as(wendy)
    const { id: vaultId } = await vault.createVault({ name: 'Home' })
    const { id: itemId } = await vault.createItem({ vaultId, item: noteDraft(vaultId) })
    const content = utf8('content')
    const { id: fileId } = await vault.attachFile({ vaultId, itemId, name: 'a', content })

    const recordsCopy = copyDatabase(recordsPath)
    await vault.removeFile({ vaultId, itemId, fileId })
    const blobsCopy = copyDatabase(blobsPath)
    isBackupRunning = false

    const store = composeStore({ records: await open(recordsCopy), blobs: await open(blobsCopy) })
    const restored = createVaultService({ store }).as(wendy)
    const reading = restored
      .readFileContent({ vaultId, itemId, fileId })
      .then((read) => readBytes(read.content))
    if (isComplete) expect(await reading).toEqual(content)
    else await expect(reading).rejects.toMatchObject({ code: 'STORAGE_FAILED' })

    const later = createVaultService({
      store: { records, blobs: pausable },
      now: () => new Date(Date.now() + 86_400_000),
    }).as(wendy)
    await later.collectGarbage({ vaultId })
    expect(countBlobs(blobsPath)).toBe(0)
  })
})

/** Opens a store, which is closed when the test ends. */
async function open(path: string): Promise<VaultStore> {
  const store = await openSqliteStore(path)
  onTestFinished(() => store.close())
  return store
}

function copyDatabase(path: string): string {
  const copy = createDatabasePath()
  const database = new DatabaseSync(path)
  database.prepare('vacuum into ?').run(copy)
  database.close()
  return copy
}

function countBlobs(path: string): unknown {
  const database = new DatabaseSync(path)
  const row = database.prepare('select count(*) as count from cofferkit_blobs').get()
  database.close()
  return row?.['count']
}
