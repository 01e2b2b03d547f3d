import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import {
  createCaller,
  createVaultService,
  StorageUnavailableError,
  type VaultStore,
} from '../../../src/index.js'
import {
  canUnwrap,
  countPlaintextRecords,
  createEncryptedStore,
  createLocalKeyProvider,
  detectEncryption,
  type KeyProvider,
  listKeyRings,
  type StoredKeyRing,
} from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { utf8 } from '../../support/bytes.js'
import { createKeys, overwriteInner } from '../../support/stores/encrypted-stores.js'

const caller = createCaller({ id: 'tester', vaults: '*' })

/** Creates a vault with an item that has an earlier version, by a service on the store. */
async function fillVault(store: VaultStore): Promise<string> {
  const service = createVaultService({
    store,
    history: { maxVersions: 1 },
    activity: createStoredActivityLog(store),
  })
  const { id } = await service.createVault(caller, { name: 'Team' })
  const item = await service.createItem(caller, {
    vaultId: id,
    item: { title: 'Mail', category: 'LOGIN', fields: [] },
  })
  await service.patchItem(caller, {
    vaultId: id,
    itemId: item.id,
    patch: [{ op: 'replace', path: '/title', value: 'Post' }],
  })
  return id
}

async function listAll({ records }: VaultStore): Promise<readonly StoredKeyRing[]> {
  const rings: StoredKeyRing[] = []
  for await (const ring of listKeyRings(records)) rings.push(ring)
  return rings
}

describe('detectEncryption', () => {
  it('finds what a store contains, without a key', async () => {
    const inner = createMemoryStore()
    expect(await detectEncryption(inner.records)).toEqual({ encrypted: false, plaintext: false })
    await fillVault(createEncryptedStore(inner, { keys: createKeys() }))
    expect(await detectEncryption(inner.records)).toEqual({ encrypted: true, plaintext: false })
    await createPlaintextVault(inner)
    expect(await detectEncryption(inner.records)).toEqual({ encrypted: true, plaintext: true })
    const plain = createMemoryStore()
    await fillVault(plain)
    expect(await detectEncryption(plain.records)).toEqual({ encrypted: false, plaintext: true })
  })

  it('finds encryption when there is only a key ring', async () => {
    const inner = createMemoryStore()
    const store = createEncryptedStore(inner, { keys: createKeys() })
    await store.records.put({ collection: 'items/v1', id: 'a' }, { body: utf8('x') }, 0)
    expect(await detectEncryption(inner.records)).toEqual({ encrypted: true, plaintext: false })
  })
})

describe('countPlaintextRecords', () => {
  it('counts the records of vaults and of the activity log until reencrypt has encrypted them', async () => {
    const inner = createMemoryStore()
    await fillVault(inner)
    // The vault, the item and its earlier version, and three entries of the activity log.
    expect(await countPlaintextRecords(inner.records)).toBe(6)
    const store = createEncryptedStore(inner, {
      keys: createKeys(),
      acceptsPlaintext: true,
    })
    expect(await store.reencrypt()).toEqual({ records: 6, blobs: 0, unreadable: 0 })
    expect(await countPlaintextRecords(inner.records)).toBe(0)
  })
})

describe('listKeyRings', () => {
  it('lists every key of every scope, ascending', async () => {
    const inner = createMemoryStore()
    const [old, next] = ['old', 'new'].map((name) => createHash('sha256').update(name).digest())
    const keys = { old: old ?? utf8(''), new: next ?? utf8('') }
    const first = createEncryptedStore(inner, {
      keys: createLocalKeyProvider({ keys, keyId: 'old' }),
    })
    const vaultId = await fillVault(first)
    const second = createEncryptedStore(inner, {
      keys: createLocalKeyProvider({ keys, keyId: 'new' }),
    })
    await second.rotateDataKeys({ scopes: [vaultId] })
    const rings = await listAll(inner)
    expect(rings.map(({ scope }) => scope)).toEqual([vaultId, 'activity', 'vaults'].toSorted())
    const [oldId, newId] = [keys.old, keys.new].map(
      (key) => createLocalKeyProvider({ key }).currentKekId,
    )
    const keysOf = (scope: string) => {
      const ring = rings.find((ring) => ring.scope === scope)
      return [ring?.kekId, ring?.keys?.map(({ id }) => id)]
    }
    expect(keysOf('vaults')).toEqual([oldId, [1]])
    expect(keysOf(vaultId)).toEqual([newId, [1, 2]])
    await second.rewrapKeys()
    expect((await listAll(inner)).map(({ kekId }) => kekId)).toEqual([newId, newId, newId])
  })

  it('lists no keys of a scope whose keys were erased, and undefined for a damaged ring', async () => {
    const inner = createMemoryStore()
    const store = createEncryptedStore(inner, { keys: createKeys() })
    const vaultId = await fillVault(store)
    await createVaultService({ store }).deleteVault(caller, { vaultId })
    await store.eraseKeys({ scopes: [vaultId], backupsKeepThem: true })
    await overwriteInner(inner, { collection: 'keys', id: 'vaults' }, { body: utf8('{}') })
    const rings = new Map((await listAll(inner)).map((ring) => [ring.scope, ring]))
    const none = { kekId: undefined, secret: undefined }
    expect(rings.get(vaultId)).toEqual({ scope: vaultId, ...none, keys: [] })
    expect(rings.get('vaults')).toEqual({ scope: 'vaults', ...none, keys: undefined })
  })
})

describe('canUnwrap', () => {
  it('tells the provider of a key from others of the same name', async () => {
    const { keys, ring } = await createRing()
    expect(await canUnwrap(keys, ring)).toBe(true)
    const ofTheSameName: KeyProvider = {
      ...createKeys(),
      currentKekId: keys.currentKekId,
      kekIds: keys.kekIds,
    }
    expect(await canUnwrap(ofTheSameName, ring)).toBe(false)
    expect(await canUnwrap(createKeys(), ring)).toBe(false)
    expect(await canUnwrap(keys, { ...ring, scope: 'another' })).toBe(false)
    expect(await canUnwrap(keys, { ...ring, kekId: 'unknown' })).toBe(false)
    expect(await canUnwrap(keys, { ...ring, secret: 'AAAA' })).toBe(false)
    expect(await canUnwrap(keys, { ...ring, secret: 'no base64' })).toBe(false)
    expect(await canUnwrap(keys, { ...ring, kekId: undefined, secret: undefined })).toBe(false)
  })

  it('asks the provider of the scope', async () => {
    const { keys, ring } = await createRing()
    const ofScope = (asked: string): KeyProvider => (asked === ring.scope ? keys : createKeys())
    expect(await canUnwrap({ ...createKeys(), ofScope }, ring)).toBe(true)
  })

  it('rejects when the provider fails, because that says nothing about the key', async () => {
    const { keys, ring } = await createRing()
    const unwrap = async () => Promise.reject(new Error('s3cret'))
    const asked = canUnwrap({ ...keys, unwrap }, ring)
    await expect(asked).rejects.toThrow(StorageUnavailableError)
    await expect(asked).rejects.not.toThrow('s3cret')
  })
})

/** A vault that a process without the key has written to an encrypted store. */
async function createPlaintextVault(inner: VaultStore): Promise<void> {
  const other = createMemoryStore()
  const id = await fillVault(other)
  const key = { collection: 'vaults', id }
  const record = await other.records.get(key)
  await inner.records.put(key, { body: record?.body ?? utf8('') }, 0)
}

async function createRing() {
  const keys = createKeys()
  const inner = createMemoryStore()
  await fillVault(createEncryptedStore(inner, { keys }))
  const [ring] = await listAll(inner)
  if (ring === undefined) throw new Error('there is no ring')
  return { keys, ring }
}
