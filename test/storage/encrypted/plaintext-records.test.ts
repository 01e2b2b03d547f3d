import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import {
  createCaller,
  createVaultService,
  DecryptionError,
  type VaultStore,
} from '../../../src/index.js'
import { createEncryptedStore } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const patch = [{ op: 'replace', path: '/favorite', value: true }] as const

/**
 * A plaintext store with a vault, two items, a file and a history, and the stores that turn
 * encryption on over it.
 */
async function createPlaintextVault() {
  const inner = createMemoryStore()
  const service = createVaultService({ store: inner, history: { maxVersions: 3 } })
  const vault = await service.createVault(caller, { name: 'Home' })
  const ref = { vaultId: vault.id }
  const draft = (title: string) =>
    ({ category: 'LOGIN', vault, title, fields: [{ id: 'f', value: title }] }) as const
  const mail = await service.createItem(caller, { ...ref, item: draft('mail') })
  const bank = await service.createItem(caller, { ...ref, item: draft('bank') })
  const content = utf8('a key file '.repeat(10_000))
  const { id: fileId } = await service.attachFile(caller, {
    ...ref,
    itemId: mail.id,
    name: 'a',
    content,
  })
  const keys = createKeys()
  return {
    inner,
    ref,
    mail: { ...ref, itemId: mail.id },
    bank: { ...ref, itemId: bank.id },
    file: { ...ref, itemId: mail.id, fileId },
    content,
    migrating: createEncryptedStore(inner, { keys, acceptsPlaintext: true }),
    strict: createEncryptedStore(inner, { keys }),
  }
}

/** Returns the ids of the items of the vault that are found by this index key. */
async function idsByIndexKey(
  { records }: VaultStore,
  vaultId: string,
  indexKey: string,
): Promise<string[]> {
  return (await records.list(`items/${vaultId}`, { indexKey, limit: 9 })).map(({ id }) => id)
}

describe('createEncryptedStore with acceptsPlaintext', () => {
  it('reads plaintext records, which it rejects when acceptsPlaintext is absent', async () => {
    const { migrating, strict, mail, file, content } = await createPlaintextVault()
    const service = createVaultService({ store: migrating })
    expect((await service.getItem(caller, mail)).title).toBe('mail')
    expect(await readBytes((await service.readFileContent(caller, file)).content)).toEqual(content)
    await expect(strict.records.get({ collection: 'vaults', id: mail.vaultId })).rejects.toThrow(
      DecryptionError,
    )
  })

  it('reads and encrypts the leases of OAuth grants', async () => {
    const { inner, ref, migrating, strict } = await createPlaintextVault()
    const grantsOn = (store: VaultStore) => vaultGrants(createVaultService({ store }), caller)
    const keeperOn = (store: VaultStore) =>
      createTokenKeeper({
        grants: grantsOn(store),
        leases: store.records,
        refresh: async () => ({ accessToken: 'new', refreshToken: 'r', expiresInSeconds: 0 }),
      })
    const grant = { name: 'mail', accessToken: 'old', refreshToken: 'r', expiresInSeconds: 0 }
    const used = await grantsOn(inner).save(ref.vaultId, grant)
    const unused = await grantsOn(inner).save(ref.vaultId, { ...grant, name: 'calendar' })
    for (const item of [used, unused]) await keeperOn(inner).accessToken(item, caller)
    expect(await keeperOn(migrating).accessToken(used, caller)).toBe('new')
    expect(await migrating.reencrypt()).toMatchObject({ unreadable: 0 })
    for (const { body } of await inner.records.list('leases', { limit: 9 })) expect(body[0]).toBe(1)
    expect(await keeperOn(strict).accessToken(unused, caller)).toBe('new')
  })

  it('encrypts what a deleted item with a chosen id has left, whose versions continue', async () => {
    const { inner, ref, migrating, strict } = await createPlaintextVault()
    const own = { ...ref, itemId: 'c'.repeat(26) }
    const chosen = { ...own, item: { category: 'LOGIN' } } as const
    const service = createVaultService({ store: inner })
    await service.createItem(caller, chosen)
    await service.deleteItem(caller, own)
    expect(await migrating.reencrypt()).toMatchObject({ unreadable: 0 })
    const encrypted = createVaultService({ store: strict })
    expect(await encrypted.listItems(caller, ref)).toHaveLength(2)
    expect(await encrypted.createItem(caller, chosen)).toMatchObject({ version: 3 })
  })

  it('encrypts what is written, and finds both kinds by index key, in order and in pages', async () => {
    const { inner, migrating, ref, mail, bank } = await createPlaintextVault()
    const service = createVaultService({ store: migrating })
    const retitle = [{ op: 'replace', path: '/title', value: 'mail' }] as const
    expect((await service.patchItem(caller, { ...bank, patch: retitle })).version).toBe(2)
    const both = [mail.itemId, bank.itemId].sort()
    expect(await idsByIndexKey(migrating, ref.vaultId, 'mail')).toEqual(both)
    expect(await idsByIndexKey(migrating, ref.vaultId, 'bank')).toEqual([])
    const [first = ''] = both
    const page = { indexKey: 'mail', limit: 1 }
    const collection = `items/${ref.vaultId}`
    expect((await migrating.records.list(collection, page)).map(({ id }) => id)).toEqual([first])
    const rest = await migrating.records.list(collection, { ...page, after: first })
    expect(rest.map(({ id }) => id)).toEqual(both.slice(1))
    const stored = await inner.records.get({ collection, id: bank.itemId })
    expect(stored?.body[0]).toBe(1)
  })

  it('leaves no plaintext when reencrypt has run, and loses nothing', async () => {
    const { inner, migrating, strict, ref, mail, bank, file, content } =
      await createPlaintextVault()
    const before = await createVaultService({ store: inner, history: { maxVersions: 3 } }).getItem(
      caller,
      mail,
    )
    await createVaultService({ store: migrating }).patchItem(caller, { ...bank, patch })
    // One item, its older version, and the vault. The change has encrypted the other item.
    expect(await migrating.reencrypt()).toEqual({ records: 3, blobs: 1, unreadable: 0 })
    expect(await migrating.reencrypt()).toEqual({ records: 0, blobs: 0, unreadable: 0 })
    const service = createVaultService({ store: strict, history: { maxVersions: 3 } })
    expect(await service.getItem(caller, mail)).toEqual(before)
    expect(await readBytes((await service.readFileContent(caller, file)).content)).toEqual(content)
    expect(await idsByIndexKey(strict, ref.vaultId, 'mail')).toEqual([mail.itemId])
    expect(
      (await strict.records.list('vaults', { indexKey: 'home', limit: 9 })).map(({ id }) => id),
    ).toEqual([ref.vaultId])
    expect(await service.listVersions(caller, mail)).not.toHaveLength(0)
    const patched = await service.patchItem(caller, {
      ...mail,
      patch,
      ifVersion: before.version ?? 0,
    })
    expect(patched.version).toBe((before.version ?? 0) + 1)
    for (const collection of [
      'vaults',
      ...['items', 'versions'].map((name) => `${name}/${ref.vaultId}`),
    ])
      for (const { body } of await inner.records.list(collection, { limit: 99 }))
        expect(body[0]).toBe(1)
  })

  it('encrypts an activity log', async () => {
    const { inner, migrating, strict, ref } = await createPlaintextVault()
    const recorded = (store: VaultStore) =>
      createVaultService({ store, activity: createStoredActivityLog(store) })
    await recorded(inner).getVault(caller, ref)
    expect((await migrating.reencrypt()).records).toBe(5)
    expect(await migrating.reencrypt()).toEqual({ records: 0, blobs: 0, unreadable: 0 })
    for (const { body } of await inner.records.list('activity', { limit: 9 }))
      expect(body[0]).toBe(1)
    const { vaultId } = ref
    expect((await recorded(strict).listActivity(caller, { vaultId })).entries).toHaveLength(1)
  })

  it('encrypts the blobs of an item when a change has already encrypted the item', async () => {
    const { migrating, strict, mail, file, content } = await createPlaintextVault()
    await createVaultService({ store: migrating }).patchItem(caller, { ...mail, patch })
    expect((await migrating.reencrypt()).blobs).toBe(1)
    const service = createVaultService({ store: strict })
    expect(await readBytes((await service.readFileContent(caller, file)).content)).toEqual(content)
  })

  it('removes the plaintext blob when a crash has left both', async () => {
    const { inner, migrating, file, content } = await createPlaintextVault()
    const removing = inner.blobs.delete
    inner.blobs.delete = () => Promise.reject(new Error('crash'))
    await expect(migrating.reencrypt()).rejects.toThrow('crash')
    inner.blobs.delete = removing
    const service = createVaultService({ store: migrating })
    expect(await readBytes((await service.readFileContent(caller, file)).content)).toEqual(content)
    expect((await migrating.reencrypt()).blobs).toBe(1)
    expect(await readBytes((await service.readFileContent(caller, file)).content)).toEqual(content)
  })

  it('rejects a write when a plaintext blob has the id, and deletes blobs of both kinds', async () => {
    const { inner, migrating } = await createPlaintextVault()
    await inner.blobs.write('v/plain', streamOf([utf8('x')]))
    await expect(migrating.blobs.write('v/plain', streamOf([utf8('y')]))).rejects.toThrow(
      'already exists',
    )
    await migrating.blobs.write('v/sealed', streamOf([utf8('y')]))
    for (const id of ['v/plain', 'v/sealed']) {
      await migrating.blobs.delete(id)
      expect(await migrating.blobs.read(id)).toBeUndefined()
    }
    expect(await inner.blobs.read('v/plain')).toBeUndefined()
  })

  it('encrypts a file whose upload was interrupted, and that no item has yet', async () => {
    const { inner, ref, mail, migrating } = await createPlaintextVault()
    const interrupted: VaultStore = {
      ...inner,
      records: {
        ...inner.records,
        put: async (key, record, version) =>
          key.id === mail.itemId
            ? Promise.reject(new Error('crash'))
            : inner.records.put(key, record, version),
        delete: () => Promise.reject(new Error('crash')),
      },
      blobs: { ...inner.blobs, delete: () => Promise.reject(new Error('crash')) },
    }
    const upload = { ...mail, name: 'b', content: utf8('b') }
    const service = createVaultService({ store: interrupted, onError: () => {} })
    await expect(service.attachFile(caller, upload)).rejects.toThrow()
    const [pending] = await inner.records.list(`pending-blobs/${ref.vaultId}`, { limit: 2 })
    const [blobId = ''] = JSON.parse(new TextDecoder().decode(pending?.body)).blobIds
    expect(await inner.blobs.read(blobId)).toBeDefined()
    expect(await migrating.reencrypt()).toEqual({ records: 5, blobs: 2, unreadable: 0 })
    expect(await inner.blobs.read(blobId)).toBeUndefined()
    expect(await migrating.blobs.read(blobId)).toEqual(utf8('b'))
  })

  it('rejects a plaintext record of a collection that cofferkit does not know', async () => {
    const { inner, migrating } = await createPlaintextVault()
    const key = { collection: 'notes/v', id: 'a' }
    await inner.records.put(key, { body: utf8('{}'), indexKey: 'a' }, 0)
    await expect(migrating.records.get(key)).rejects.toThrow(DecryptionError)
    await migrating.records.put({ ...key, id: 'b' }, { body: utf8('{}'), indexKey: 'b' }, 0)
    const found = await migrating.records.list('notes/v', { indexKey: 'b', limit: 9 })
    expect(found).toEqual([{ id: 'b', version: 1, body: utf8('{}') }])
    const [, stored] = await inner.records.list('notes/v', { limit: 9 })
    expect(stored?.body[0]).toBe(1)
    expect(await inner.records.list('notes/v', { indexKey: 'b', limit: 9 })).toEqual([])
  })

  it('counts plaintext records that are not of a vault service, and leaves them unchanged', async () => {
    const { inner, migrating, ref } = await createPlaintextVault()
    const key = { collection: `items/${ref.vaultId}`, id: 'planted' }
    await inner.records.put(key, { body: utf8('{"title"') }, 0)
    expect(await migrating.reencrypt()).toEqual({ records: 4, blobs: 1, unreadable: 1 })
    expect((await inner.records.get(key))?.body).toEqual(utf8('{"title"'))
  })

  it('counts an unreadable record once when its vault already has keys', async () => {
    const { inner, migrating, ref } = await createPlaintextVault()
    await migrating.reencrypt()
    const key = { collection: `items/${ref.vaultId}`, id: 'planted' }
    await inner.records.put(key, { body: utf8('{"title"') }, 0)
    expect(await migrating.reencrypt()).toEqual({ records: 0, blobs: 0, unreadable: 1 })
  })

  it('rejects a damaged envelope', async () => {
    const { inner, migrating, mail } = await createPlaintextVault()
    await migrating.reencrypt()
    const ref = { collection: `items/${mail.vaultId}`, id: mail.itemId }
    const stored = await inner.records.get(ref)
    await inner.records.put(ref, { body: stored?.body ?? utf8('') }, stored?.version ?? 0)
    await expect(migrating.records.get(ref)).rejects.toThrow(DecryptionError)
  })
})
