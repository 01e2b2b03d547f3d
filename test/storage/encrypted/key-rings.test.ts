import { afterEach, describe, expect, it, vi } from 'vitest'
import { vaultRecords } from '../../../src/base/stored-records.js'
import {
  createCaller,
  createVaultService,
  DecryptionError,
  type RecordStore,
  type VaultStore,
} from '../../../src/index.js'
import { vaultRings } from '../../../src/storage/encrypted/keys/key-ring.js'
import { createRingStore } from '../../../src/storage/encrypted/keys/ring-store.js'
import {
  createEncryptedStore,
  type EncryptedStore,
  type EncryptedStoreOptions,
  type KeyProvider,
} from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { recordStoreContract } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { createKeys, overwriteInner } from '../../support/stores/encrypted-stores.js'

const body = utf8('x')
const itemOf = (scope: string) => ({ collection: `items/${scope}`, id: 'a' })
const ringOf = (scope: string) => ({ collection: 'keys', id: scope })
const notMoved = 'the encryption keys of v1 are in the inner store: call moveKeyRings'
const erased = 'the encryption keys of v1 were erased: its id cannot be used again'
const notDeleted = 'scopes must contain only deleted vaults: call deleteVault first'

/** A process with the stores: what is cached is its own. */
type Open = (options?: Partial<EncryptedStoreOptions>) => EncryptedStore

/** Stores, and a function that opens them like another process. */
function createStores(inner: VaultStore = createMemoryStore(), keys = createKeys()) {
  const keyRings = createMemoryStore().records
  const open: Open = (options = {}) => createEncryptedStore(inner, { keys, keyRings, ...options })
  const openWithout = () => createEncryptedStore(inner, { keys })
  return { inner, keys, keyRings, open, openWithout }
}

/** Writes the record that says that a vault was deleted. */
function markDeleted({ records }: VaultStore, vaultId: string): Promise<boolean> {
  return records.put(
    { collection: 'vaults', id: vaultId },
    { body: vaultRecords.tombstoneOf(vaultId) },
    0,
  )
}

/** Copies the records of some collections, like a backup. */
async function backUp(records: RecordStore, ...collections: string[]) {
  const rows = await Promise.all(
    collections.map(async (collection) =>
      (await records.list(collection, { limit: 1000 })).map((row) => ({ ...row, collection })),
    ),
  )
  return rows.flat()
}

async function restore(inner: VaultStore, backup: Awaited<ReturnType<typeof backUp>>) {
  for (const { collection, id, body, version } of backup)
    await overwriteInner(inner, { collection, id }, { body }, version)
}

describe('keyRings', () => {
  it.each(recordStoreContract)('keeps the contract: $name', ({ run }) =>
    run(createStores().open().records),
  )

  it('contains every key ring, and the inner store contains none', async () => {
    const { inner, keyRings, open } = createStores()
    const store = open()
    for (const scope of ['v1', 'v2']) await store.records.put(itemOf(scope), { body }, 0)
    expect(await store.rotateDataKeys()).toBe(2)
    expect(await inner.records.list('keys', { limit: 9 })).toEqual([])
    expect((await keyRings.list('keys', { limit: 9 })).map(({ id }) => id)).toEqual(['v1', 'v2'])
    expect((await open().records.get(itemOf('v1')))?.body).toEqual(body)
  })

  it('rejects every call of a scope whose ring is in the inner store, and creates none', async () => {
    const { keyRings, open, openWithout } = createStores()
    await openWithout().records.put(itemOf('v1'), { body, indexKey: 'mail' }, 0)
    const store = open()
    for (const call of [
      () => store.records.get(itemOf('v1')),
      () => store.records.put(itemOf('v1'), { body }, 1),
      () => store.records.put({ ...itemOf('v1'), id: 'b' }, { body }, 0),
      () => store.records.delete(itemOf('v1'), 1),
      () => store.records.list('items/v1', { limit: 1 }),
      () => store.records.list('items/v1', { limit: 1, indexKey: 'mail' }),
      () => store.blobs.write('v1/f', body),
      () => store.rotateDataKeys({ scopes: ['v1'] }),
      () => store.rewrapKeys({ scopes: ['v1'] }),
      () => store.rotateDataKeys(),
      () => store.rewrapKeys(),
      () => store.reencrypt(),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'STORAGE_FAILED', message: notMoved })
    expect(await keyRings.list('keys', { limit: 9 })).toEqual([])
    expect(await store.records.put(itemOf('v2'), { body }, 0)).toBe(true)
  })

  it('finds a ring that another process moves between its calls of the two stores', async () => {
    const { inner, keyRings, open, openWithout } = createStores()
    await openWithout().records.put(itemOf('v1'), { body, indexKey: 'mail' }, 0)
    const get: RecordStore['get'] = async (key) => {
      const found = await keyRings.get(key)
      if (found === undefined) await open().moveKeyRings()
      return found
    }
    const store = open({ keyRings: { ...keyRings, get } })
    expect(await store.records.list('items/v1', { limit: 1, indexKey: 'mail' })).toHaveLength(1)
    expect(await inner.records.list('keys', { limit: 9 })).toEqual([])
  })

  it('is rejected when it is the inner store', () => {
    const { inner, keys } = createStores()
    expect(() => createEncryptedStore(inner, { keys, keyRings: inner.records })).toThrow(
      new RangeError('keyRings must be another store than the inner one'),
    )
  })
})

describe('maxKeyAgeMs', () => {
  it.each([999, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY])(
    'is rejected when it is %d',
    (ms) => {
      const open = () => createStores().open({ maxKeyAgeMs: ms })
      expect(open).toThrow(
        new RangeError('options.maxKeyAgeMs must be a number from 1,000 to 2,147,483,647'),
      )
    },
  )
})

describe('EncryptedStore.moveKeyRings', () => {
  async function createUnmoved() {
    const stores = createStores()
    const store = stores.openWithout()
    for (const scope of ['v1', 'v2', 'v3']) await store.records.put(itemOf(scope), { body }, 0)
    await store.rotateDataKeys({ scopes: ['v2', 'v3'] })
    await store.reencrypt({ scopes: ['v3'] })
    return stores
  }

  async function expectMoved({ inner, open }: ReturnType<typeof createStores>): Promise<void> {
    expect(await inner.records.list('keys', { limit: 9 })).toEqual([])
    const store = open()
    for (const scope of ['v1', 'v2', 'v3']) {
      expect(await store.records.get(itemOf(scope))).toEqual({ version: 1, body })
      expect(await store.records.put(itemOf(scope), { body: utf8('y') }, 1)).toBe(true)
    }
    expect(await store.moveKeyRings()).toBe(0)
  }

  it('moves every ring, after which all records can be read and written', async () => {
    const stores = await createUnmoved()
    expect(await stores.open().moveKeyRings()).toBe(3)
    await expectMoved(stores)
  })

  /** Runs `moveKeyRings` until this call of a store, at which the process is killed. */
  async function killAt(
    { inner, keys, keyRings }: ReturnType<typeof createStores>,
    step: number,
    when: 'before' | 'after',
  ): Promise<number> {
    let steps = 0
    const around =
      <Values extends unknown[], Result>(call: (...values: Values) => Promise<Result>) =>
      async (...values: Values): Promise<Result> => {
        const current = steps++
        if (current > step || (current === step && when === 'before')) throw new Error('killed')
        const result = await call(...values)
        if (current === step) throw new Error('killed')
        return result
      }
    const kill = ({ get, put, delete: remove, list }: RecordStore): RecordStore => {
      return { get: around(get), put: around(put), delete: around(remove), list: around(list) }
    }
    const stores = { ...inner, records: kill(inner.records) }
    const run = createEncryptedStore(stores, { keys, keyRings: kill(keyRings) })
    await run.moveKeyRings().catch(({ message }) => expect(message).toBe('killed'))
    return steps
  }

  it.each(['before', 'after'] as const)(
    'can be repeated when a run was killed %s any call of a store',
    async (when) => {
      const calls = await killAt(await createUnmoved(), 1000, when)
      expect(calls).toBeGreaterThan(15)
      for (let step = 0; step < calls; step++) {
        const stores = await createUnmoved()
        await killAt(stores, step, when)
        await stores.open().moveKeyRings()
        await expectMoved(stores)
      }
    },
  )

  it('keeps a data key that an old process has added after an interrupted move', async () => {
    const stores = await createUnmoved()
    const copy = await backUp(stores.inner.records, 'keys')
    const old = stores.openWithout()
    await stores.open().moveKeyRings()
    await restore(stores.inner, copy)
    await old.rotateDataKeys({ scopes: ['v1'] })
    await old.records.put({ ...itemOf('v1'), id: 'late' }, { body }, 0)
    expect(await stores.open().moveKeyRings()).toBe(3)
    expect((await stores.open().records.get({ ...itemOf('v1'), id: 'late' }))?.body).toEqual(body)
    await expectMoved(stores)
  })

  it('keeps what was rotated in keyRings when a backup brings older rings back', async () => {
    const stores = await createUnmoved()
    const copy = await backUp(stores.inner.records, 'keys')
    await stores.open().moveKeyRings()
    await stores.open().rotateDataKeys()
    await stores.open().reencrypt()
    await restore(stores.inner, copy)
    expect(await stores.open().moveKeyRings()).toBe(3)
    await expectMoved(stores)
  })

  it('can run twice at the same time', async () => {
    const stores = await createUnmoved()
    await Promise.all([stores.open().moveKeyRings(), stores.open().moveKeyRings()])
    await expectMoved(stores)
  })

  it('rejects, and loses no ring, when keyRings is the inner store in disguise', async () => {
    const { inner, keys, open } = await createUnmoved()
    const disguised = createEncryptedStore(inner, { keys, keyRings: { ...inner.records } })
    await expect(disguised.moveKeyRings()).rejects.toThrow(
      new RangeError('keyRings must be another store than the inner one'),
    )
    await open().moveKeyRings()
    expect((await open().records.get(itemOf('v3')))?.body).toEqual(body)
  })

  it('keeps what remains of an erased ring when keyRings is the inner store in disguise', async () => {
    const { inner, keys } = createStores()
    const disguised = createEncryptedStore(inner, { keys, keyRings: { ...inner.records } })
    await disguised.records.put(itemOf('v1'), { body }, 0)
    await markDeleted(disguised, 'v1')
    await disguised.eraseKeys({ scopes: ['v1'] })
    await expect(disguised.moveKeyRings()).rejects.toThrow(
      new RangeError('keyRings must be another store than the inner one'),
    )
    await expect(disguised.records.put(itemOf('v1'), { body }, 0)).rejects.toThrow(erased)
  })

  it('rejects a ring that is not authentic, and moves the others', async () => {
    const { inner, keyRings, open } = await createUnmoved()
    const other = await inner.records.get(ringOf('v2'))
    await overwriteInner(inner, ringOf('v1'), other ?? { body })
    await expect(open().moveKeyRings()).rejects.toThrow(DecryptionError)
    expect(await keyRings.get(ringOf('v1'))).toBeUndefined()
    expect(await keyRings.get(ringOf('v3'))).toBeDefined()
  })

  it('rejects without keyRings', async () => {
    const moving = createStores().openWithout().moveKeyRings()
    await expect(moving).rejects.toThrow(new RangeError('moveKeyRings needs the option keyRings'))
  })

  it('moves what remains of an erased ring', async () => {
    const { inner, keys, keyRings, open } = await createUnmoved()
    const old = createEncryptedStore(inner, { keys })
    await markDeleted(old, 'v1')
    await old.eraseKeys({ scopes: ['v1'], backupsKeepThem: true })
    const remains = await inner.records.get(ringOf('v1'))
    expect(await open().moveKeyRings()).toBe(4)
    await expect(open().records.put(itemOf('v1'), { body }, 0)).rejects.toThrow(erased)
    // One that comes back beside a ring in use erases nothing.
    await overwriteInner(inner, ringOf('v2'), remains ?? { body })
    await expect(open().moveKeyRings()).rejects.toThrow(
      'the encryption keys of v2 were erased in one store only',
    )
    expect((await keyRings.get(ringOf('v2')))?.version).toBe(1)
    expect((await open().records.get(itemOf('v2')))?.body).toEqual(body)
  })
})

describe('EncryptedStore.eraseKeys', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('leaves nothing that can be read, also when a backup of the data is restored', async () => {
    const { inner, keys, keyRings, open } = createStores()
    const store = open()
    const service = createVaultService({ store, history: { maxVersions: 2 } })
    const caller = createCaller({ id: 'wendy', vaults: '*' })
    const { id: vaultId } = await service.createVault(caller, { name: 'Acme' })
    const { id: other } = await service.createVault(caller, { name: 'Globex' })
    for (const id of [vaultId, other])
      for (let n = 0; n < 5; n++)
        await service.createItem(caller, {
          vaultId: id,
          item: { category: 'LOGIN', title: `${n}` },
        })
    const collections = [`items/${vaultId}`, `versions/${vaultId}`, 'vaults', 'keys']
    const yesterday = await backUp(inner.records, ...collections)
    await service.deleteVault(caller, { vaultId })
    expect(await store.eraseKeys({ scopes: [vaultId] })).toBe(1)
    expect(await store.eraseKeys({ scopes: [vaultId] })).toBe(0)
    await restore(inner, yesterday)
    const items = yesterday.filter(({ collection }) => collection.startsWith('items/'))
    expect(items.length).toBe(5)
    const erasedVault = erased.replace('v1', `vault ${vaultId}`)
    for (const process of [store, open()]) {
      for (const { collection, id } of items)
        await expect(process.records.get({ collection, id })).rejects.toThrow(erasedVault)
      const writing = process.records.put({ ...itemOf(vaultId), id: 'new' }, { body }, 0)
      await expect(writing).rejects.toMatchObject({ code: 'STORAGE_FAILED', message: erasedVault })
      expect(
        await createVaultService({ store: process }).listItems(caller, { vaultId: other }),
      ).toHaveLength(5)
    }
    // The KEK opens nothing: what remains has no wrapped key.
    const remains = new TextDecoder().decode((await keyRings.get(ringOf(vaultId)))?.body)
    expect(JSON.parse(remains)).toMatchObject({ keys: [] })
    await expect(
      createEncryptedStore(inner, { keys }).records.get(itemOf(other)),
    ).resolves.toBeUndefined()
  })

  it('is ignored by the maintenance of all scopes', async () => {
    const store = createStores().open()
    for (const scope of ['v1', 'v2']) await store.records.put(itemOf(scope), { body }, 0)
    await markDeleted(store, 'v1')
    await store.eraseKeys({ scopes: ['v1'] })
    // `v2`, and `vaults` with the record of the deleted vault.
    expect(await store.rotateDataKeys()).toBe(2)
    expect(await store.rewrapKeys()).toBe(0)
    expect(await store.reencrypt()).toMatchObject({ records: 2 })
    await expect(store.rotateDataKeys({ scopes: ['v1'] })).rejects.toThrow(erased)
  })

  it('ends reading in another process that had the key, within a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { inner, open } = createStores()
    const [one, two] = [open(), open()]
    await one.records.put(itemOf('v1'), { body }, 0)
    await two.records.get(itemOf('v1'))
    const record = await inner.records.get(itemOf('v1'))
    await markDeleted(one, 'v1')
    await one.eraseKeys({ scopes: ['v1'] })
    await overwriteInner(inner, itemOf('v1'), record ?? { body })
    vi.advanceTimersByTime(59_000)
    expect((await two.records.get(itemOf('v1')))?.body).toEqual(body)
    vi.advanceTimersByTime(1_000)
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(two.records.get(itemOf('v1'))).rejects.toThrow(erased)
  })

  it('reads again when a marker that is not authentic was replaced by the ring', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { inner, keyRings, open } = createStores()
    const store = open()
    await store.records.put(itemOf('v1'), { body }, 0)
    await store.records.put(itemOf('v2'), { body }, 0)
    await markDeleted(store, 'v2')
    await store.eraseKeys({ scopes: ['v2'] })
    const ring = await keyRings.get(ringOf('v1'))
    const marker = await keyRings.get(ringOf('v2'))
    const rings = { ...inner, records: keyRings }
    await overwriteInner(rings, ringOf('v1'), marker ?? { body }, 2)
    vi.advanceTimersByTime(60_000)
    await expect(store.records.get(itemOf('v1'))).rejects.toThrow(erased)
    await overwriteInner(rings, ringOf('v1'), ring ?? { body })
    expect((await store.records.get(itemOf('v1')))?.body).toEqual(body)
  })

  it.each(['reachable', 'unreachable'])(
    'refuses a ring that comes back from a backup in a process that has erased it while the KEK was %s',
    async (kek) => {
      const { inner, keys: own, keyRings, open } = createStores()
      await open().records.put(itemOf('v1'), { body }, 0)
      const ring = await keyRings.get(ringOf('v1'))
      await markDeleted(open(), 'v1')
      let isReachable = kek === 'reachable'
      const keys: KeyProvider = {
        ...own,
        unwrap: (kekId, wrapped, context) =>
          isReachable || context.scope !== 'v1'
            ? own.unwrap(kekId, wrapped, context)
            : Promise.reject(new Error('unreachable')),
      }
      const store = createEncryptedStore(inner, { keys, keyRings })
      await store.eraseKeys({ scopes: ['v1'] })
      isReachable = true
      await overwriteInner({ ...inner, records: keyRings }, ringOf('v1'), ring ?? { body })
      await expect(store.records.put(itemOf('v1'), { body }, 0)).rejects.toThrow(erased)
      const vault = { collection: 'vaults', id: 'v1' }
      const { version = 0 } = (await store.records.get(vault)) ?? {}
      await expect(store.records.put(vault, { body }, version)).rejects.toThrow(erased)
    },
  )

  it('erases the keys when their KEK is gone', async () => {
    const { inner, keys: own, keyRings, open } = createStores()
    await open().records.put(itemOf('v1'), { body }, 0)
    await markDeleted(open(), 'v1')
    const gone: KeyProvider = {
      ...own,
      unwrap: (kekId, wrapped, context) =>
        context.scope === 'v1'
          ? Promise.reject(new Error('disabled'))
          : own.unwrap(kekId, wrapped, context),
    }
    const store = createEncryptedStore(inner, { keys: gone, keyRings })
    expect(await store.eraseKeys({ scopes: ['v1'] })).toBe(1)
    await expect(open().records.put(itemOf('v1'), { body }, 0)).rejects.toThrow(erased)
  })

  it('removes a copy of the ring that an interrupted move has left in the inner store', async () => {
    const { inner, open, openWithout } = createStores()
    await openWithout().records.put(itemOf('v1'), { body }, 0)
    const copy = await backUp(inner.records, 'keys')
    await open().moveKeyRings()
    await restore(inner, copy)
    await markDeleted(open(), 'v1')
    expect(await open().eraseKeys({ scopes: ['v1'] })).toBe(1)
    expect(await inner.records.list('keys', { limit: 9 })).toEqual([])
    // A run that was killed after it erased the ring leaves the copy to the next one.
    await restore(inner, copy)
    expect(await open().moveKeyRings()).toBe(1)
    await expect(open().records.put(itemOf('v1'), { body }, 0)).rejects.toThrow(erased)
  })

  it('erases a ring that is changed at the same time', async () => {
    const { inner, keys, keyRings } = createStores()
    const rotating = createEncryptedStore(inner, { keys, keyRings })
    await rotating.records.put(itemOf('v1'), { body }, 0)
    await markDeleted(rotating, 'v1')
    let isFirst = true
    const contended: RecordStore = {
      ...keyRings,
      async put(...args) {
        if (isFirst) await rotating.rotateDataKeys()
        isFirst = false
        return keyRings.put(...args)
      },
    }
    const store = createEncryptedStore(inner, { keys, keyRings: contended })
    expect(await store.eraseKeys({ scopes: ['v1'] })).toBe(1)
    expect((await keyRings.get(ringOf('v1')))?.version).toBe(3)
  })

  it.each(['v1', 'vaults', 'activity'])(
    'rejects %s, which has keys and is no deleted vault, and erases nothing',
    async (scope) => {
      const store = createStores().open()
      await store.records.put(itemOf(scope), { body }, 0)
      await store.records.delete(itemOf(scope), 1)
      const key = { collection: `versions/${scope}`, id: 'a' }
      await store.records.put(key, { body }, 0)
      await expect(store.eraseKeys({ scopes: [scope] })).rejects.toThrow(notDeleted)
      expect((await store.records.get(key))?.body).toEqual(body)
    },
  )

  it('does not count a scope that never had keys, and rejects one that has them in the inner store', async () => {
    const { open, openWithout } = createStores()
    await openWithout().records.put(itemOf('v1'), { body }, 0)
    await markDeleted(open(), 'v1')
    await markDeleted(open(), 'v2')
    expect(await open().eraseKeys({ scopes: ['none', 'v2'] })).toBe(0)
    await expect(open().eraseKeys({ scopes: ['v1'] })).rejects.toThrow(notMoved)
    await expect(open().eraseKeys({} as never)).rejects.toThrow('scopes must be a list of strings')
  })

  it('needs keyRings, or the knowledge that backups keep the keys', async () => {
    const store = createStores().openWithout()
    await store.records.put(itemOf('v1'), { body }, 0)
    await markDeleted(store, 'v1')
    await expect(store.eraseKeys({ scopes: ['v1'] })).rejects.toThrow(
      new RangeError('eraseKeys needs the option keyRings, or backupsKeepThem: true'),
    )
    expect(await store.eraseKeys({ scopes: ['v1'], backupsKeepThem: true })).toBe(1)
    await expect(store.records.put(itemOf('v1'), { body }, 0)).rejects.toThrow(erased)
  })
})

describe('createRingStore', () => {
  it('reads the inner store only when the other has no ring', async () => {
    const [inner, keyRings] = [createMemoryStore().records, createMemoryStore().records]
    const get = vi.spyOn(inner, 'get')
    const rings = createRingStore(vaultRings, inner, keyRings)
    expect(await rings.get('v1')).toBeUndefined()
    await keyRings.put(ringOf('v1'), { body }, 0)
    expect(await rings.get('v1')).toEqual({ version: 1, body })
    expect(get).toHaveBeenCalledTimes(1)
  })
})
