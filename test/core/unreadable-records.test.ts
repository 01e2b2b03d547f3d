import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createStoredActivityLog } from '../../src/activity.js'
import { connectDialect } from '../../src/dialects/connect.js'
import {
  createCaller,
  createVaultService,
  DecryptionError,
  NotFoundError,
  PreconditionFailedError,
  StorageError,
  StorageUnavailableError,
  type VaultServiceOptions,
  type VaultStore,
} from '../../src/index.js'
import { createReferenceResolver } from '../../src/references.js'
import {
  createEncryptedStore,
  type EncryptedStore,
  type KeyProvider,
} from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { openSqliteStore } from '../../src/storage/sqlite.js'
import { loginDraft } from '../support/drafts.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'
import { createRequest, parseResponse } from '../support/http/requests.js'
import { createDamagedStore } from '../support/stores/damaged-store.js'
import { createKeys } from '../support/stores/encrypted-stores.js'
import { createDatabasePath } from '../support/stores/sqlite.js'

const stores: readonly [string, () => Promise<VaultStore>][] = [
  ['memory', async () => createMemoryStore()],
  ['SQLite', async () => openSqliteStore(createDatabasePath())],
]
const caller = createCaller({ id: 'wendy', vaults: '*' })

/** A vault with three items, of which the second can be damaged, over a real encrypted store. */
async function setUp({
  inner = createMemoryStore(),
  isEncrypted = true,
  options = {},
}: {
  readonly inner?: VaultStore
  readonly isEncrypted?: boolean
  readonly options?: Partial<VaultServiceOptions>
} = {}) {
  const damaged = createDamagedStore(inner)
  const keys = createKeys()
  const store = isEncrypted ? createEncryptedStore(damaged.store, { keys }) : damaged.store
  const onError = vi.fn()
  const service = createVaultService({
    store,
    onError,
    history: { maxVersions: 5 },
    activity: createStoredActivityLog(store),
    ...options,
  })
  // Chosen ids, because they can be chosen again.
  const vaultId = 'acme'.padEnd(26, 'v')
  await service.createVault(caller, { vaultId, name: 'Acme' })
  const itemIds: string[] = []
  for (const title of ['One', 'Two', 'Three']) {
    const itemId = title.toLowerCase().padEnd(26, 'i')
    const item = loginDraft(vaultId, { title, tags: ['all'] })
    itemIds.push((await service.createItem(caller, { vaultId, itemId, item })).id)
  }
  itemIds.sort()
  const itemId = String(itemIds[1])
  const ref = { vaultId, itemId }
  const { title = '', version } = await service.patchItem(caller, {
    ...ref,
    patch: [{ op: 'replace', path: '/favorite', value: true }],
  })
  const key = { collection: `items/${vaultId}`, id: itemId }
  const record = { ...key, version }
  const damageItem = () => damaged.damage(key)
  return {
    ...damaged,
    ...{ inner, keys, encrypted: store, service, onError, vaultId, itemIds, itemId, ref },
    ...{ title, version, key, record, damageItem },
  }
}

const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id)

async function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('it was accepted'),
    (error: unknown) => error,
  )
}

describe.each(stores)('createVaultService with an unreadable item in %s', (_name, open) => {
  it('lists the others and reports it to onError and onUnreadable', async () => {
    const { service, damageItem, onError, vaultId, itemIds, itemId, record } = await setUp({
      inner: await open(),
    })
    await damageItem()
    const others = itemIds.filter((id) => id !== itemId)
    for (const query of [{}, { limit: 1000 }, { filter: 'tag eq "all"' }, { sortBy: 'title' }]) {
      const onUnreadable = vi.fn()
      const input = { vaultId, ...query } as { readonly vaultId: string }
      const found = await service.listItems(caller, input, { onUnreadable })
      expect(idsOf(found).sort()).toEqual(others)
      expect(onUnreadable).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ record }))
    }
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(DecryptionError))
  })

  it('counts it for no page, and finds each item in pages of one', async () => {
    const { service, damageItem, vaultId, itemIds, itemId } = await setUp({ inner: await open() })
    await damageItem()
    const found: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await service.listItems(caller, { vaultId, limit: 1, after })
      if (page.length === 0) break
      found.push(...idsOf(page))
      after = found.at(-1)
    }
    expect(found).toEqual(itemIds.filter((id) => id !== itemId))
  })

  it('rejects every look-up with its id and version, and never calls it not found', async () => {
    const { service, damageItem, vaultId, ref, title, record } = await setUp({
      inner: await open(),
    })
    await damageItem()
    const references = createReferenceResolver(service, caller)
    const calls: readonly (() => Promise<unknown>)[] = [
      () => service.getItem(caller, ref),
      () => service.describeItem(caller, ref),
      () => service.getItems(caller, { vaultId, itemIds: [ref.itemId] }),
      () => service.getField(caller, { ...ref, field: 'password' }),
      () => service.listFiles(caller, ref),
      () => service.listVersions(caller, ref),
      () => service.patchItem(caller, { ...ref, patch: [] }),
      () => service.listItems(caller, { vaultId, filter: `title eq "${title}"` }),
      () => service.listItems(caller, { vaultId, filter: `title eq "${title}" and tag eq "none"` }),
      () => service.createItem(caller, { ...ref, item: loginDraft(vaultId) }),
      () => references.resolve(`op://Acme/${title}/password`),
      () => references.resolve(`op://Acme/${title.toLowerCase()}/password`),
      () => references.resolve(`op://${vaultId}/${ref.itemId}/password`),
    ]
    for (const [index, call] of calls.entries()) {
      const error = await rejection(call())
      expect(error, `call ${index}`).toBeInstanceOf(DecryptionError)
      expect(error, `call ${index}`).toMatchObject({ status: 500, record })
    }
    // Its index key can be read, so it is known to have another title.
    const nobody = references.resolve('op://Acme/Nobody/password')
    await expect(nobody).rejects.toMatchObject({ code: 'NOT_FOUND', resource: 'item' })
    const other = service.listItems(caller, { vaultId, filter: 'title eq "Nobody"' })
    await expect(other).resolves.toEqual([])
  })

  it.each([false, true])('deletes it with its versions (ifVersion: %s)', async (hasVersion) => {
    const { service, damageItem, inner, vaultId, itemIds, itemId, ref, version, onError } =
      await setUp({ inner: await open() })
    await damageItem()
    const versions = `versions/${vaultId}`
    expect(await inner.records.list(versions, { limit: 9 })).toHaveLength(1)
    const wrong = service.deleteItem(caller, { ...ref, ifVersion: version + 1 })
    await expect(wrong).rejects.toThrow(PreconditionFailedError)
    await service.deleteItem(caller, { ...ref, ...(hasVersion && { ifVersion: version }) })
    await expect(service.getItem(caller, ref)).rejects.toThrow(NotFoundError)
    const found = await service.listItems(caller, { vaultId })
    expect(idsOf(found)).toEqual(itemIds.filter((id) => id !== itemId))
    expect(await inner.records.list(versions, { limit: 9 })).toEqual([])
    expect(onError).not.toHaveBeenCalled()
    const again = await service.createItem(caller, { ...ref, item: loginDraft(vaultId) })
    expect(again.version).toBe(version + 2)
  })

  it('replaces it only at the version in its error, and keeps nothing of it', async () => {
    const { service, damageItem, inner, ref, vaultId, version, record } = await setUp({
      inner: await open(),
    })
    await damageItem()
    const item = loginDraft(vaultId, { title: 'New' })
    for (const ifVersion of [undefined, version - 1, version + 1]) {
      const error = await rejection(service.replaceItem(caller, { ...ref, item, ifVersion }))
      expect(error).toBeInstanceOf(DecryptionError)
      expect(error).toMatchObject({ record })
    }
    const reference = { ...item, fields: [{ id: 'password' }] }
    await expect(
      service.replaceItem(caller, { ...ref, item: reference, ifVersion: version }),
    ).rejects.toThrow("The item doesn't have a password field.")
    const replaced = await service.replaceItem(caller, { ...ref, item, ifVersion: version })
    expect(replaced).toMatchObject({ title: 'New', version: version + 1, files: [] })
    expect(await service.getItem(caller, ref)).toEqual(replaced)
    const listed = await service.listItems(caller, { vaultId, filter: 'title eq "New"' })
    expect(idsOf(listed)).toEqual([ref.itemId])
    expect(await inner.records.list(`versions/${vaultId}`, { limit: 9 })).toEqual([])
    expect(await service.listVersions(caller, ref)).toHaveLength(1)
    await service.deleteItem(caller, ref)
    const again = await service.createItem(caller, { ...ref, item })
    expect(again.version).toBe(version + 3)
  })

  it('replaces it with a greater version than any before after it was re-encrypted', async () => {
    const { service, damageItem, encrypted, ref, vaultId, version } = await setUp({
      inner: await open(),
    })
    const { rotateDataKeys, reencrypt } = encrypted as EncryptedStore
    await rotateDataKeys()
    await reencrypt()
    expect((await service.getItem(caller, ref)).version).toBe(version)
    await damageItem()
    const error = await rejection(service.getItem(caller, ref))
    const stored = version + 1
    expect(error).toMatchObject({ record: { version: stored } })
    const item = loginDraft(vaultId)
    const stale = service.replaceItem(caller, { ...ref, item, ifVersion: version })
    await expect(stale).rejects.toThrow(DecryptionError)
    const replaced = await service.replaceItem(caller, { ...ref, item, ifVersion: stored })
    expect(replaced.version).toBe(stored + 1)
    await service.patchItem(caller, {
      ...ref,
      ifVersion: stored + 1,
      patch: [{ op: 'replace', path: '/title', value: 'x' }],
    })
    expect((await service.getItem(caller, ref)).version).toBe(stored + 2)
  })

  it('deletes its vault', async () => {
    const { service, damageItem, vaultId } = await setUp({ inner: await open() })
    await damageItem()
    await service.deleteVault(caller, { vaultId })
    expect(await service.listVaults(caller)).toEqual([])
    await service.createVault(caller, { vaultId, name: 'Again' })
    expect(await service.listItems(caller, { vaultId })).toEqual([])
  })
})

describe('createVaultService with other unreadable records', () => {
  it('lists the other versions of an item', async () => {
    const { service, damage, ref, vaultId, version } = await setUp()
    const patch = [{ op: 'replace', path: '/title', value: 'x' }] as const
    await service.patchItem(caller, { ...ref, patch })
    const id = `${ref.itemId}.${String(version).padStart(10, '0')}`
    await damage({ collection: `versions/${vaultId}`, id })
    const onUnreadable = vi.fn()
    const versions = await service.listVersions(caller, ref, { onUnreadable })
    expect(versions.map((one) => one.version)).toEqual([version + 1, version - 1])
    expect(onUnreadable).toHaveBeenCalledOnce()
    const error = await rejection(service.getVersion(caller, { ...ref, version }))
    expect(error).toMatchObject({
      message: `version ${version} of item ${ref.itemId} cannot be read: it is damaged at version 1`,
    })
    await service.deleteItem(caller, ref)
  })

  it('lists the other vaults, reports only those in scope, and deletes the vault', async () => {
    const { service, damage, vaultId } = await setUp()
    const { id: otherId } = await service.createVault(caller, { name: 'Globex' })
    await damage({ collection: 'vaults', id: vaultId })
    const stranger = createCaller({ id: 'stranger', vaults: { [otherId]: 'read' } })
    for (const [who, count] of [
      [caller, 1],
      [stranger, 0],
    ] as const) {
      const onUnreadable = vi.fn()
      expect(idsOf(await service.listVaults(who, {}, { onUnreadable }))).toEqual([otherId])
      expect(onUnreadable).toHaveBeenCalledTimes(count)
    }
    const named = { filter: 'name eq "Acme"' }
    const record = { collection: 'vaults', id: vaultId, version: 1 }
    await expect(service.listVaults(caller, named)).rejects.toMatchObject({ record })
    expect(await service.listVaults(stranger, named)).toEqual([])
    await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject({ record })
    expect(await service.listItems(caller, { vaultId })).toHaveLength(3)
    await service.createItem(caller, { vaultId, item: loginDraft(vaultId) })
    await service.deleteVault(caller, { vaultId })
    expect(idsOf(await service.listVaults(caller))).toEqual([otherId])
    const again = await service.createVault(caller, { vaultId, name: 'Again' })
    expect(again.attributeVersion).toBe(1)
  })

  it('is looked up by the id of its vault only for those who can read it', async () => {
    const { service, damage, vaultId } = await setUp({ options: { dialect: connectDialect } })
    await damage({ collection: 'vaults', id: vaultId })
    const byId = { filter: `name eq "${vaultId}"` }
    const record = { collection: 'vaults', id: vaultId, version: 1 }
    await expect(service.listVaults(caller, byId)).rejects.toMatchObject({ record })
    const stranger = createCaller({ id: 'stranger', vaults: {} })
    expect(await service.listVaults(stranger, byId)).toEqual([])
  })

  it('is not what a store that fails is taken for', async () => {
    const { records, blobs } = createMemoryStore()
    let failing = ''
    const orFail = <Result>(collection: string, call: () => Promise<Result>): Promise<Result> =>
      failing !== '' && collection.startsWith(failing) ? Promise.reject(new Error('down')) : call()
    const inner: VaultStore = {
      records: {
        ...records,
        get: (key) => orFail(key.collection, () => records.get(key)),
        list: (collection, query) =>
          collection === 'vaults'
            ? records.list(collection, query)
            : orFail(collection, () => records.list(collection, query)),
      },
      blobs,
    }
    const options = { dialect: connectDialect }
    const { service, damageItem, vaultId, ref, version } = await setUp({ inner, options })
    failing = 'vaults'
    const byId = { filter: `name eq "${vaultId}"` }
    await expect(service.listVaults(caller, byId)).rejects.not.toBeInstanceOf(DecryptionError)
    failing = ''
    await damageItem()
    failing = 'versions'
    const item = loginDraft(vaultId, { title: 'New' })
    const replaced = service.replaceItem(caller, { ...ref, item, ifVersion: version })
    await expect(replaced).resolves.toMatchObject({ title: 'New' })
  })

  it('is replaced without a former item for validateItem', async () => {
    const validateItem = vi.fn()
    const { service, damageItem, ref, vaultId, version } = await setUp({
      options: { validateItem },
    })
    await damageItem()
    const item = loginDraft(vaultId, { title: 'New' })
    await service.replaceItem(caller, { ...ref, item, ifVersion: version })
    expect(validateItem.mock.lastCall?.[1]).toMatchObject({ before: undefined })
  })

  it('is deleted with its vault if it lists the blobs of an upload', async () => {
    const { service, inner, encrypted, vaultId } = await setUp()
    const key = { collection: `pending-blobs/${vaultId}`, id: 'upload' }
    await encrypted.records.put(key, { body: new TextEncoder().encode('{}') }, 0)
    await service.deleteVault(caller, { vaultId })
    expect(await inner.records.get(key)).toBeUndefined()
  })

  it('lists the other entries of the activity log', async () => {
    const { service, inner, damage } = await setUp()
    const { total } = await service.listActivity(caller, { count: true })
    const [newest] = await inner.records.list('activity', { limit: 1 })
    await damage({ collection: 'activity', id: String(newest?.id) })
    const onUnreadable = vi.fn()
    const page = await service.listActivity(caller, { limit: 1000, count: true }, { onUnreadable })
    // The first list has made an entry, too.
    expect(page.total).toBe(total)
    expect(page.entries).toHaveLength(Number(total))
    expect(onUnreadable).toHaveBeenCalledOnce()
  })

  it('collects the other garbage and keeps what it cannot read', async () => {
    const { service, damage, damageItem, inner, encrypted, vaultId, itemId } = await setUp()
    const collection = `pending-blobs/${vaultId}`
    const body = (id: string) =>
      new TextEncoder().encode(
        JSON.stringify({ itemId: id, blobIds: [`${vaultId}/x`], since: '2020-01-01T00:00:00Z' }),
      )
    const pendingIds = ['a', 'b', 'c'].map((letter) => letter.repeat(26))
    for (const id of pendingIds)
      await encrypted.records.put({ collection, id }, { body: body('d'.repeat(26)) }, 0)
    const ofDamaged = { collection, id: 'e'.repeat(26) }
    await encrypted.records.put(ofDamaged, { body: body(itemId) }, 0)
    await damage({ collection, id: String(pendingIds[1]) })
    await damageItem()
    const onUnreadable = vi.fn()
    expect(await service.collectGarbage(caller, { vaultId }, { onUnreadable })).toBe(2)
    expect(onUnreadable.mock.calls.map(([error]) => error.record.id)).toEqual([
      pendingIds[1],
      itemId,
    ])
    const versions = await inner.records.list(`versions/${vaultId}`, { limit: 9 })
    expect(versions).toHaveLength(1)
  })
})

describe('createVaultService over a store without encryption', () => {
  it('treats a record that it cannot parse as one that cannot be decrypted', async () => {
    const { service, damageItem, ref, vaultId, itemIds, itemId, record, version } = await setUp({
      isEncrypted: false,
    })
    await damageItem()
    const onUnreadable = vi.fn()
    const found = await service.listItems(caller, { vaultId }, { onUnreadable })
    expect(idsOf(found)).toEqual(itemIds.filter((id) => id !== itemId))
    expect(onUnreadable).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ record }))
    await expect(service.getItem(caller, ref)).rejects.toMatchObject({ record })
    const item = loginDraft(vaultId)
    const replaced = await service.replaceItem(caller, { ...ref, item, ifVersion: version })
    expect(replaced.version).toBe(version + 1)
  })

  it('deletes an item whose header it cannot parse', async () => {
    const { service, damage, ref, key } = await setUp({ isEncrypted: false })
    await damage(key, 0)
    await service.deleteItem(caller, ref)
    await expect(service.getItem(caller, ref)).rejects.toThrow(NotFoundError)
  })

  it('rejects every list of a store that is encrypted', async () => {
    const { inner, vaultId } = await setUp()
    const service = createVaultService({ store: inner })
    for (const call of [
      () => service.listVaults(caller),
      () => service.getVault(caller, { vaultId }),
      () => service.listItems(caller, { vaultId }),
    ]) {
      const error = await rejection(call())
      expect(error).toBeInstanceOf(StorageError)
      expect(error).not.toBeInstanceOf(DecryptionError)
      expect(String(error)).toContain('createEncryptedStore')
    }
  })
})

describe('createVaultService with a key that is denied', () => {
  it('rejects every list, and reports nothing as unreadable', async () => {
    const { store, keys, vaultId, ref, damageItem, damage } = await setUp()
    await damageItem()
    await damage({ collection: 'vaults', id: vaultId })
    const denied: KeyProvider = {
      ...keys,
      async unwrap() {
        throw new StorageUnavailableError('denied')
      },
    }
    for (const [provider, status] of [
      [denied, 503],
      [createKeys(), 500],
    ] as const) {
      const encrypted = createEncryptedStore(store, { keys: provider })
      const onError = vi.fn()
      const service = createVaultService({ store: encrypted, onError })
      const log = createStoredActivityLog(encrypted)
      const readLog = async () => {
        for await (const _ of log.entries({ onUnreadable: onError })) expect.unreachable()
      }
      const onUnreadable = vi.fn()
      const options = { onUnreadable }
      for (const call of [
        () => service.listVaults(caller, {}, options),
        () => service.listVaults(caller, { filter: 'name eq "Acme"' }, options),
        () => service.listItems(caller, { vaultId }, options),
        () => service.listVersions(caller, ref, options),
        () => service.collectGarbage(caller, { vaultId }, options),
        () => service.deleteItem(caller, ref, options),
        () => readLog(),
      ]) {
        const error = await rejection(call())
        expect(error).toMatchObject({ status })
        expect(error).not.toHaveProperty('record')
      }
      expect(onUnreadable).not.toHaveBeenCalled()
      expect(onError).not.toHaveBeenCalled()
    }
  })
})

describe('onUnreadable', () => {
  it('rejects the call with the error that it throws', async () => {
    const { service, damageItem, vaultId, record } = await setUp()
    await damageItem()
    const onUnreadable = (error: Error): never => {
      throw error
    }
    const call = service.listItems(caller, { vaultId }, { onUnreadable })
    await expect(call).rejects.toMatchObject({ record })
  })
})

describe('onError', () => {
  it('prints the id and the version on the console by default', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => print.mockRestore())
    const { damageItem, encrypted, vaultId, itemId, version } = await setUp()
    await damageItem()
    const service = createVaultService({ store: encrypted })
    await service.listItems(caller, { vaultId })
    const message = `item ${itemId} cannot be read: it is damaged at version ${version}`
    expect(print).toHaveBeenCalledExactlyOnceWith(
      `cofferkit: DecryptionError DECRYPTION_FAILED: ${message}`,
    )
  })
})

describe('createHttpHandler with an unreadable item', () => {
  it('counts it in a header of lists, and names it with its version in a 500', async () => {
    const { service, damageItem, vaultId, ref, title, version } = await setUp()
    await damageItem()
    const handler = createHttpHandler(service, { authenticate: () => caller, extensions: true })
    const tokens = { full: '', reader: '', writer: '', otherVault: '' }
    const send = (method: string, url: string, changes = {}) =>
      handler(createRequest({ tokens }, method, url, changes))
    const items = `/v1/vaults/${vaultId}/items`
    const list = await send('GET', items)
    expect(list.status).toBe(200)
    expect(list.headers['x-cofferkit-unreadable']).toBe('1')
    expect((await send('GET', '/v1/vaults')).headers).not.toHaveProperty('x-cofferkit-unreadable')
    const message = `item ${ref.itemId} cannot be read: it is damaged at version ${version}`
    for (const url of [`${items}/${ref.itemId}`, `${items}?filter=title%20eq%20%22${title}%22`])
      expect(parseResponse(await send('GET', url))).toEqual({
        status: 500,
        body: { status: 500, message },
      })
    const headers = { 'content-type': 'application/json', 'if-match': `"${version}"` }
    const body = { parsed: { ...loginDraft(vaultId) } }
    const replaced = await send('PUT', `${items}/${ref.itemId}`, { headers, body })
    expect(replaced.status).toBe(200)
    expect(replaced.headers['etag']).toBe(`"${version + 1}"`)
  })
})
