import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createStoredActivityLog,
  createVaultService,
  DecryptionError,
  type VaultStore,
} from '../../../src/index.js'
import { createEncryptedStore, plaintextRecords } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { bytesOf, streamOf, utf8 } from '../../support/bytes.js'
import { freshKeys } from '../../support/stores/encrypted-stores.js'

const caller = createCaller('wendy', '*')
const patch = [{ op: 'replace', path: '/favorite', value: true }] as const

/** A plain store with a vault, two items, a file and a history, and the stores that turn encryption on over it. */
async function plainVault() {
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
  const keys = freshKeys()
  return {
    inner,
    place: ref,
    mail: { ...ref, itemId: mail.id },
    bank: { ...ref, itemId: bank.id },
    file: { ...ref, itemId: mail.id, fileId },
    content,
    migrating: createEncryptedStore(inner, { keys, plaintextReader: plaintextRecords }),
    strict: createEncryptedStore(inner, { keys }),
  }
}

/** The ids of those items of the vault that are found by this label. */
async function byLabel(
  { records }: VaultStore,
  vaultId: string,
  indexKey: string,
): Promise<string[]> {
  return (await records.list(`items/${vaultId}`, { indexKey, limit: 9 })).map(({ id }) => id)
}

describe('turning encryption on over a plain store', () => {
  it('reads what is plain only as long as it is told to', async () => {
    const { migrating, strict, mail, file, content } = await plainVault()
    const service = createVaultService({ store: migrating })
    expect((await service.getItem(caller, mail)).title).toBe('mail')
    expect(await bytesOf((await service.readFileContent(caller, file)).content)).toEqual(content)
    await expect(strict.records.get({ collection: 'vaults', id: mail.vaultId })).rejects.toThrow(
      DecryptionError,
    )
  })

  it('seals what is written from then on, and finds both kinds by label, in order and in pages', async () => {
    const { inner, migrating, place: ref, mail, bank } = await plainVault()
    const service = createVaultService({ store: migrating })
    const retitle = [{ op: 'replace', path: '/title', value: 'mail' }] as const
    expect((await service.patchItem(caller, { ...bank, patch: retitle })).version).toBe(2)
    const both = [mail.itemId, bank.itemId].sort()
    expect(await byLabel(migrating, ref.vaultId, 'mail')).toEqual(both)
    expect(await byLabel(migrating, ref.vaultId, 'bank')).toEqual([])
    const [first = ''] = both
    const page = { indexKey: 'mail', limit: 1 }
    const collection = `items/${ref.vaultId}`
    expect((await migrating.records.list(collection, page)).map(({ id }) => id)).toEqual([first])
    const rest = await migrating.records.list(collection, { ...page, after: first })
    expect(rest.map(({ id }) => id)).toEqual(both.slice(1))
    const stored = await inner.records.get({ collection, id: bank.itemId })
    expect(stored?.body[0]).toBe(1)
  })

  it('is over after a rewrap: everything is sealed, whole and found, and nothing plain is left', async () => {
    const { inner, migrating, strict, place: ref, mail, bank, file, content } = await plainVault()
    const before = await createVaultService({ store: inner, history: { maxVersions: 3 } }).getItem(
      caller,
      mail,
    )
    await createVaultService({ store: migrating }).patchItem(caller, { ...bank, patch })
    // One item, its older version, and the vault; the other item was sealed by the change.
    expect(await migrating.reencrypt()).toEqual({ records: 3, blobs: 1, unreadable: 0 })
    expect(await migrating.reencrypt()).toEqual({ records: 0, blobs: 0, unreadable: 0 })
    const service = createVaultService({ store: strict, history: { maxVersions: 3 } })
    expect(await service.getItem(caller, mail)).toEqual(before)
    expect(await bytesOf((await service.readFileContent(caller, file)).content)).toEqual(content)
    expect(await byLabel(strict, ref.vaultId, 'mail')).toEqual([mail.itemId])
    expect(
      (await strict.records.list('vaults', { indexKey: 'Home', limit: 9 })).map(({ id }) => id),
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

  it('seals an activity log that was plain, too', async () => {
    const { inner, migrating, strict, place: ref } = await plainVault()
    const recorded = (store: VaultStore) =>
      createVaultService({ store, activity: createStoredActivityLog(store) })
    await recorded(inner).getVault(caller, ref)
    expect((await migrating.reencrypt()).records).toBe(5)
    expect(await migrating.reencrypt()).toEqual({ records: 0, blobs: 0, unreadable: 0 })
    for (const { body } of await inner.records.list('activity', { limit: 9 }))
      expect(body[0]).toBe(1)
    expect((await recorded(strict).listActivity(caller, {})).total).toBe(1)
  })

  it('seals the contents of an item that a change has sealed already', async () => {
    const { migrating, strict, mail, file, content } = await plainVault()
    await createVaultService({ store: migrating }).patchItem(caller, { ...mail, patch })
    expect((await migrating.reencrypt()).blobs).toBe(1)
    const service = createVaultService({ store: strict })
    expect(await bytesOf((await service.readFileContent(caller, file)).content)).toEqual(content)
  })

  it('goes on after a crash between the sealed content and the removal of the plain one', async () => {
    const { inner, migrating, file, content } = await plainVault()
    const removing = inner.blobs.delete
    inner.blobs.delete = () => Promise.reject(new Error('crash'))
    await expect(migrating.reencrypt()).rejects.toThrow('crash')
    inner.blobs.delete = removing
    const service = createVaultService({ store: migrating })
    expect(await bytesOf((await service.readFileContent(caller, file)).content)).toEqual(content)
    expect((await migrating.reencrypt()).blobs).toBe(1)
    expect(await bytesOf((await service.readFileContent(caller, file)).content)).toEqual(content)
  })

  it('refuses an id that a plain content has, and removes contents of both kinds', async () => {
    const { inner, migrating } = await plainVault()
    await inner.blobs.write('v/plain', streamOf([utf8('x')]))
    await expect(migrating.blobs.write('v/plain', streamOf([utf8('y')]))).rejects.toThrow(
      'already there',
    )
    await migrating.blobs.write('v/sealed', streamOf([utf8('y')]))
    for (const id of ['v/plain', 'v/sealed']) {
      await migrating.blobs.delete(id)
      expect(await migrating.blobs.read(id)).toBeUndefined()
    }
    expect(await inner.blobs.read('v/plain')).toBeUndefined()
  })

  it('counts plain records that no vault service wrote, and leaves them', async () => {
    const { inner, migrating, place: ref } = await plainVault()
    const key = { collection: `items/${ref.vaultId}`, id: 'planted' }
    await inner.records.put(key, { body: utf8('{"title"') }, 0)
    expect(await migrating.reencrypt()).toEqual({ records: 4, blobs: 1, unreadable: 1 })
    expect((await inner.records.get(key))?.body).toEqual(utf8('{"title"'))
  })

  it('opens no damaged envelope because plain records may be read', async () => {
    const { inner, migrating, mail } = await plainVault()
    await migrating.reencrypt()
    const ref = { collection: `items/${mail.vaultId}`, id: mail.itemId }
    const stored = await inner.records.get(ref)
    await inner.records.put(ref, { body: stored?.body ?? utf8('') }, stored?.version ?? 0)
    await expect(migrating.records.get(ref)).rejects.toThrow(DecryptionError)
  })
})

describe('plainRecords', () => {
  const emoji = `${'x'.repeat(127)}😀`

  it.each(['Home', '', emoji, 'Ünïcödé', '"quoted"\n'])(
    'knows the label that the vault service gave: %j',
    async (title) => {
      const labels: (string | undefined)[] = []
      const memory = createMemoryStore()
      const put: typeof memory.records.put = (key, record, seen) => {
        if (/^(?:vaults|items)/.test(key.collection)) {
          labels.push(record.indexKey)
          expect(plaintextRecords.labelOf(key.collection, record.body)).toBe(record.indexKey)
        }
        return memory.records.put(key, record, seen)
      }
      const service = createVaultService({
        store: { ...memory, records: { ...memory.records, put } },
      })
      const vault = await service.createVault(caller, { name: title || 'Home' })
      const item = { category: 'LOGIN', vault, title } as const
      await service.createItem(caller, { vaultId: vault.id, item })
      expect(labels).toHaveLength(2)
    },
  )

  it('refuses what no vault service wrote, without quoting it', () => {
    const body = utf8('{"secret":"SWORDFISH"')
    for (const read of [plaintextRecords.labelOf, plaintextRecords.blobIdsOf]) {
      expect(() => read('items/v', body)).toThrow(DecryptionError)
      expect(() => read('items/v', body)).not.toThrow(/SWORDFISH/)
    }
    expect(plaintextRecords.labelOf('pending-blobs/v', body)).toBeUndefined()
    expect(plaintextRecords.blobIdsOf('vaults', body)).toEqual([])
  })
})
