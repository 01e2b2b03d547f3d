import { createCredentials } from 'cofferkit/credentials'
import { vaultGrants } from 'cofferkit/oauth'
import { describe, expect, it } from 'vitest'
import { isTombstone, vaultRecords } from '../../../src/base/stored-records.js'
import {
  createCaller,
  createVaultService,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createEncryptedStore, type KeyProvider } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { interceptStore } from '../../../src/testing/store-calls.js'
import { utf8 } from '../../support/bytes.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const vaultId = 'acme'.padEnd(26, 'e')
const itemId = 'chosen'.padEnd(26, 'i')
const erased = expect.stringMatching(
  /^the encryption keys of vault \w{26} were erased: its id cannot be used again$/,
)
const history = { maxVersions: 3 }
const login = { category: 'LOGIN', title: 'Mail', tags: ['old'] } as const

type OnCall = (index: number) => Promise<void> | void

/** An inner store whose content can be listed, and processes on it with caches of their own. */
function createStores() {
  const { records, blobs } = createMemoryStore()
  const collections = new Set<string>()
  const blobIds = new Set<string>()
  const inner: VaultStore = {
    records: {
      ...records,
      put(key, record, expectedVersion) {
        collections.add(key.collection)
        return records.put(key, record, expectedVersion)
      },
    },
    blobs: {
      ...blobs,
      write(id, content) {
        blobIds.add(id)
        return blobs.write(id, content)
      },
    },
  }
  const keys = createKeys()
  /** Returns a process. `onCall` runs before each of its calls of the inner store. */
  const open = (onCall: OnCall = () => {}, provider: KeyProvider = keys) => {
    let count = 0
    const watched = interceptStore(inner, async (_, run) => {
      await onCall(count++)
      return run()
    })
    const store = createEncryptedStore(watched, { keys: provider })
    const service = createVaultService({ store, history })
    const erase = (...scopes: readonly string[]) =>
      store.eraseKeys({ scopes, backupsKeepThem: true })
    return { store, service, erase }
  }
  /** Returns what is stored of the vault, as `collection/id` and ids of blobs. */
  const listRest = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (const collection of [...collections].sort())
      for (const { id } of await records.list(collection, { limit: 1000 }))
        found.push(`${collection}/${id}`)
    for (const id of blobIds) if ((await blobs.read(id)) !== undefined) found.push(id)
    return found.filter((key) => key.includes(vaultId))
  }
  return { inner, keys, open, listRest }
}

/** Returns the provider without the KEK of the vault. */
function withoutKeyOf(keys: KeyProvider): KeyProvider {
  return {
    ...keys,
    unwrap: (kekId, wrapped, context) =>
      context.scope === vaultId
        ? Promise.reject(new Error('disabled'))
        : keys.unwrap(kekId, wrapped, context),
  }
}

/** What is left of an erased vault. */
const remains = [`keys/${vaultId}`, `vaults/${vaultId}`]

type Process = ReturnType<ReturnType<typeof createStores>['open']>

/** Fills the vault with everything that a vault can hold, and an upload that its process never ends. */
async function fill({ store, service }: Process): Promise<void> {
  await service.createVault(caller, { vaultId, name: 'Acme' })
  const credentials = createCredentials(service, { stripe: { fields: { key: {} } } })
  await credentials.of(caller, vaultId).save('stripe', { key: 'sk_live_0123456789' })
  await credentials.of(caller, vaultId).remove('stripe')
  await credentials.of(caller, vaultId).save('stripe', { key: 'sk_live_0123456789' })
  const grant = { name: 'mail', accessToken: 'a', refreshToken: 'r', expiresInSeconds: 3600 }
  await vaultGrants(service, caller).save(vaultId, grant)
  const item = await service.createItem(caller, { vaultId, item: login })
  const patch = [{ op: 'add', path: '/tags/-', value: 'x' }] as const
  await service.patchItem(caller, { vaultId, itemId: item.id, patch })
  const ref = { vaultId, itemId: item.id }
  await service.attachFile(caller, { ...ref, name: 'a', content: utf8('text') })
  await service.createItem(caller, { vaultId, itemId, item: login })
  await service.deleteItem(caller, { vaultId, itemId })
  // The process is killed after it has written the blob.
  const dying = interceptStore(store, async ({ collection, method }, run) => {
    if (collection?.startsWith('items/') && method === 'put') throw new Error('killed')
    return run()
  })
  const upload = createVaultService({ store: dying })
  await upload.attachFile(caller, { ...ref, name: 'b', content: utf8('text') }).catch(() => {})
}

/** Deletes the vault. A writer that was paused then stores the file of its upload. */
async function deleteVault({ store, service }: Process): Promise<void> {
  await service.deleteVault(caller, { vaultId })
  for (const { body } of await store.records.list(`pending-blobs/${vaultId}`, { limit: 9 }))
    for (const id of JSON.parse(new TextDecoder().decode(body)).blobIds)
      await store.blobs.write(id, utf8('late'))
}

describe('EncryptedStore.eraseKeys', () => {
  it('leaves only two records of a deleted vault, whatever the vault held', async () => {
    const { open, listRest } = createStores()
    const process = open()
    await fill(process)
    await deleteVault(process)
    expect((await listRest()).length).toBeGreaterThan(4)
    expect(await process.erase(vaultId)).toBe(1)
    expect(await listRest()).toEqual(remains)
    expect(await process.erase(vaultId)).toBe(0)
    for (const { service, store } of [process, open()]) {
      await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject({ status: 404 })
      const record = await store.records.get({ collection: 'vaults', id: vaultId })
      expect(isTombstone(vaultRecords, vaultId, record?.body ?? utf8(''))).toBe(true)
      const again = service.createVault(caller, { vaultId, name: 'Again' })
      await expect(again).rejects.toMatchObject({ code: 'STORAGE_FAILED', message: erased })
    }
    expect(await listRest()).toEqual(remains)
  })

  it('rejects a vault that was not deleted, even an empty one, and changes nothing', async () => {
    const { open, listRest } = createStores()
    const process = open()
    const { id: empty } = await process.service.createVault(caller, { name: 'Empty' })
    await fill(process)
    const before = await listRest()
    for (const scope of [vaultId, empty])
      await expect(process.erase(scope)).rejects.toThrow(
        new RangeError('scopes must contain only deleted vaults: call deleteVault first'),
      )
    expect(await listRest()).toEqual(before)
    await process.service.deleteVault(caller, { vaultId: empty })
    expect(await process.erase(empty, 'z'.repeat(26))).toBe(0)
    expect(await process.service.listItems(caller, { vaultId })).toHaveLength(3)
  })

  it('rejects while the deletion of the vault can be rolled back, although its ring is elsewhere', async () => {
    const { records, blobs } = createMemoryStore()
    const keyRings = createMemoryStore().records
    let canRollBack = false
    const inner = { records: { ...records, canRollBack: async () => canRollBack }, blobs }
    const store = createEncryptedStore(inner, { keys: createKeys(), keyRings })
    const service = createVaultService({ store })
    await service.createVault(caller, { vaultId, name: 'Acme' })
    await service.createItem(caller, { vaultId, itemId, item: login })
    const ring = await keyRings.get({ collection: 'keys', id: vaultId })
    canRollBack = true
    await service.deleteVault(caller, { vaultId })
    await expect(store.eraseKeys({ scopes: [vaultId] })).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('in a transaction'),
    })
    expect(await keyRings.get({ collection: 'keys', id: vaultId })).toEqual(ring)
    canRollBack = false
    expect(await store.eraseKeys({ scopes: [vaultId] })).toBe(1)
  })

  it('is finished by the next call when it is killed before any of its store calls', async () => {
    let isKilled = true
    for (let index = 0; isKilled; index++) {
      const { open, listRest } = createStores()
      const process = open()
      await fill(process)
      await deleteVault(process)
      isKilled = false
      const dying = open((count) => {
        if (count < index) return
        isKilled = true
        throw new Error('killed')
      })
      const first = await dying.erase(vaultId).catch(() => 0)
      const second = await open().erase(vaultId)
      expect(first + second).toBeLessThanOrEqual(1)
      expect(await listRest()).toEqual(remains)
      await expect(
        open().service.createVault(caller, { vaultId, name: 'Again' }),
      ).rejects.toMatchObject({ message: erased })
    }
  })

  it('erases everything but files when only the KEK of the vault is gone', async () => {
    const { keys, open, listRest } = createStores()
    await fill(open())
    await deleteVault(open())
    const files = (await listRest()).filter((key) => key.endsWith('.sealed'))
    expect(files).toHaveLength(1)
    expect(await open(undefined, withoutKeyOf(keys)).erase(vaultId)).toBe(1)
    expect(await listRest()).toEqual([...remains, ...files])
  })

  it('works without the KEK of a vault whose rows were deleted in the database', async () => {
    const { inner, keys, open, listRest } = createStores()
    await fill(open())
    const withoutKek = open(undefined, withoutKeyOf(keys))
    for (const prefix of ['items', 'versions', 'pending-blobs', 'credentials'])
      for (const { id, version } of await inner.records.list(`${prefix}/${vaultId}`, { limit: 99 }))
        await inner.records.delete({ collection: `${prefix}/${vaultId}`, id }, version)
    await withoutKek.service.deleteVault(caller, { vaultId })
    expect(await withoutKek.erase(vaultId)).toBe(1)
    const rest = await listRest()
    expect(rest.filter((key) => !key.endsWith('.sealed'))).toEqual(remains)
  })
})

/** Calls of a process with a cached key ring, each of which writes something of the vault. */
const calls: Record<string, (service: VaultService) => Promise<unknown>> = {
  createVault: (service) => service.createVault(caller, { vaultId, name: 'Again' }),
  updateVault: (service) => service.updateVault(caller, { vaultId, name: 'Other' }),
  createItem: (service) => service.createItem(caller, { vaultId, item: login }),
  'createItem with itemId': (service) =>
    service.createItem(caller, { vaultId, itemId: 'n'.repeat(26), item: login }),
  replaceItem: (service) =>
    service.replaceItem(caller, { vaultId, itemId, item: { ...login, vault: { id: vaultId } } }),
  attachFile: (service) =>
    service.attachFile(caller, { vaultId, itemId, name: 'f', content: utf8('text') }),
  deleteItem: (service) => service.deleteItem(caller, { vaultId, itemId }),
}

describe('a call of a process that has cached the keys of a vault', () => {
  it.each(Object.keys(calls))(
    '%s is not acknowledged when the vault is deleted and erased before any of its store calls',
    async (name) => {
      let isPaused = true
      for (let index = 0; isPaused; index++) {
        const { open, listRest } = createStores()
        const other = open()
        let [count, isCalled] = [0, false]
        isPaused = false
        const process = open(async () => {
          if (!isCalled || count++ !== index) return
          isPaused = true
          await other.service.deleteVault(caller, { vaultId })
          expect(await other.erase(vaultId)).toBe(1)
        })
        await process.service.createVault(caller, { vaultId, name: 'Acme' })
        await process.service.createItem(caller, { vaultId, itemId, item: login })
        isCalled = true
        const call = calls[name]?.(process.service)
        const outcome = await Promise.resolve(call).then(
          () => 'done' as const,
          (error) => error,
        )
        if (!isPaused) break
        if (outcome === 'done') {
          // It was done before, and only cleans up.
          expect(['replaceItem', 'attachFile', 'deleteItem']).toContain(name)
        }
        await other.erase(vaultId)
        expect(await listRest()).toEqual(remains)
        for (const { service } of [process, open()])
          await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject({ status: 404 })
      }
    },
  )

  it('rejects a new vault with the erased id, however it was cached', async () => {
    const { open } = createStores()
    const [one, two] = [open(), open()]
    await one.service.createVault(caller, { vaultId, name: 'Acme' })
    await one.service.createItem(caller, { vaultId, itemId, item: login })
    expect(await two.service.listItems(caller, { vaultId })).toHaveLength(1)
    await one.service.deleteVault(caller, { vaultId })
    await one.erase(vaultId)
    const again = two.service.createVault(caller, { vaultId, name: 'Again' })
    await expect(again).rejects.toMatchObject({ code: 'STORAGE_FAILED', message: erased })
    await expect(two.service.getVault(caller, { vaultId })).rejects.toMatchObject({ status: 404 })
  })
})

describe('createVault with the id of a deleted vault', () => {
  /** Creates the vault and an item. Resolves with true if both were acknowledged. */
  const recreate = async ({ service }: Process): Promise<boolean> => {
    try {
      await service.createVault(caller, { vaultId, name: 'Again' })
      await service.createItem(caller, { vaultId, itemId, item: { ...login, tags: ['new'] } })
      return true
    } catch {
      return false
    }
  }

  it.each(['createVault', 'eraseKeys'])(
    'wins or loses against eraseKeys when it meets any store call of %s',
    async (paused) => {
      let isPaused = true
      for (let index = 0; isPaused; index++) {
        const { open, listRest } = createStores()
        const stale = open()
        await fill(stale)
        await stale.service.deleteVault(caller, { vaultId })
        const other = open()
        const erase = (process: Process) => process.erase(vaultId).catch(() => 0)
        const results: (boolean | number)[] = []
        isPaused = false
        const process = open(async (count) => {
          if (count !== index) return
          isPaused = true
          results.push(await (paused === 'createVault' ? erase(other) : recreate(stale)))
        })
        const result = await (paused === 'createVault' ? recreate(process) : erase(process))
        if (!isPaused) break
        const [isCreated, count] =
          paused === 'createVault' ? [result, results[0]] : [results[0], result]
        expect([isCreated, count]).toEqual(isCreated ? [true, 0] : [false, 1])
        const { service } = open()
        if (isCreated)
          expect(await service.getItem(caller, { vaultId, itemId })).toMatchObject({
            tags: ['new'],
          })
        else {
          await open().erase(vaultId)
          expect(await listRest()).toEqual(remains)
        }
      }
    },
  )
})
