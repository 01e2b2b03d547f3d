import { describe, expect, it } from 'vitest'
import { unreadableRecordError } from '../../src/base/fixed-errors.js'
import { indexKeyOf } from '../../src/base/index-key.js'
import {
  createCaller,
  createVaultService,
  DecryptionError,
  StorageError,
  type VaultStore,
} from '../../src/index.js'
import { createEncryptedStore } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { runAll } from '../support/run-all.js'
import { expectContentForm } from '../support/stores/content-form.js'
import {
  copyWrites,
  createKeys,
  encryptStore,
  joinWrites,
  overwriteInner,
} from '../support/stores/encrypted-stores.js'

const key = { collection: 'items/v1', id: 'a' }

describe.each([
  ['createEncryptedStore on a memory store', () => encryptStore()],
  ['createEncryptedStore on an encrypted store', () => encryptStore(encryptStore())],
])('%s', (_, createStore) => {
  it.each(recordStoreContract)('records: $name', ({ run }) => run(createStore().records))
  it.each(blobStoreContract)('blobs: $name', ({ run }) => run(createStore().blobs))
})

describe.each([
  ['directly', (store: VaultStore) => store],
  ['as an inner store', (store: VaultStore) => encryptStore(store)],
])('createEncryptedStore when every record was re-encrypted, %s', (_, around) => {
  /** Returns a store that re-encrypts every record after it was written. */
  function reencrypting(): VaultStore {
    const store = encryptStore()
    return around({
      blobs: store.blobs,
      records: {
        ...store.records,
        async put(ref, record, expectedVersion) {
          const isWritten = await store.records.put(ref, record, expectedVersion)
          if (isWritten) {
            await store.rotateDataKeys()
            await store.reencrypt()
          }
          return isWritten
        },
      },
    })
  }
  // Each write re-encrypts all records, so cases with many records take long.
  const few = recordStoreContract.filter(({ name }) => !/whatever printable|500/.test(name))

  it.runIf(runAll).each(few)('$name', ({ run }) => run(reencrypting().records))
})

describe('createEncryptedStore', () => {
  const marker = 'SWORDFISH-7391'
  const caller = createCaller({ id: 'wendy', vaults: '*' })

  it('writes nothing of a vault to the inner store in plaintext', async () => {
    const inner = copyWrites(createMemoryStore())
    const store = encryptStore(inner)
    const service = createVaultService({ store, history: { maxVersions: 2 } })
    const vault = await service.createVault(caller, { name: marker, description: marker })
    const ref = { vaultId: vault.id }
    const item = await service.createItem(caller, {
      ...ref,
      item: {
        category: 'LOGIN',
        vault,
        title: marker,
        tags: [marker],
        fields: [{ id: 'f', value: marker }],
      },
    })
    const content = utf8(marker.repeat(10_000))
    const file = { ...ref, itemId: item.id, name: marker, content }
    const { id: fileId } = await service.attachFile(caller, file)
    await service.patchItem(caller, {
      ...ref,
      itemId: item.id,
      patch: [{ op: 'replace', path: '/title', value: `${marker} again` }],
    })
    const page = { indexKey: indexKeyOf(`${marker} again`), limit: 9 }
    const found = await store.records.list(`items/${vault.id}`, page)
    expect(found.map(({ id }) => id)).toEqual([item.id])
    const read = await service.readFileContent(caller, { ...ref, itemId: item.id, fileId })
    expect(await readBytes(read.content)).toEqual(content)
    const everything = joinWrites(inner)
    expect(everything.length).toBeGreaterThan(content.length)
    expect(everything).toContain(vault.id)
    for (const shape of [
      marker,
      'SWORDFISH',
      'swordfish',
      btoa(marker).slice(0, 16),
      Buffer.from(marker).toString('hex'),
    ])
      expect(everything.includes(shape)).toBe(false)
  })

  it('writes different blind indexes for the same index key in two vaults, and in two stores', async () => {
    const inner = copyWrites(createMemoryStore())
    const [one, other] = [encryptStore(inner), encryptStore()]
    const record = { body: utf8('{}'), indexKey: 'mail' }
    for (const collection of ['items/v1', 'items/v2', 'versions/v1'])
      await one.records.put({ collection, id: 'a' }, record, 0)
    await one.records.put({ collection: 'items/v1', id: 'b' }, record, 0)
    await other.records.put(key, record, 0)
    const indexKeys = inner.written.flatMap(({ indexKey }) =>
      indexKey === undefined ? [] : [indexKey],
    )
    expect(indexKeys).toHaveLength(4)
    expect(new Set(indexKeys).size).toBe(3)
    for (const indexKey of indexKeys) expect(indexKey).toMatch(/^[\w+/]{22}==$/)
  })

  it('rejects a plaintext record', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await store.records.put({ ...key, id: 'b' }, { body: utf8('{}') }, 0)
    await overwriteInner(inner, key, { body: utf8('{"title":"planted"}') })
    await expect(store.records.get(key)).rejects.toThrow(DecryptionError)
    const [planted] = await store.records.list('items/v1', { limit: 9 })
    expect(planted?.unreadable).toBeInstanceOf(DecryptionError)
    await inner.blobs.write('v1/x', streamOf([utf8('planted')]))
    expect(await store.blobs.read('v1/x')).toBeUndefined()
    await inner.blobs.write('v1/y.sealed', streamOf([utf8('planted')]))
    await expect(store.blobs.read('v1/y')).rejects.toThrow(DecryptionError)
  })

  it('rejects a record that was moved, exchanged or stored under another version', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    const other = { ...key, id: 'b' }
    const elsewhere = { collection: 'items/v2', id: 'a' }
    for (const ref of [key, other, elsewhere]) await store.records.put(ref, { body: utf8('1') }, 0)
    const bodies = await Promise.all(
      [key, other, elsewhere].map(async (ref) => (await inner.records.get(ref))?.body ?? utf8('')),
    )
    for (const [index, ref] of [other, elsewhere, key].entries()) {
      await overwriteInner(inner, ref, { body: bodies[index] ?? utf8('') })
      await expect(store.records.get(ref)).rejects.toThrow(DecryptionError)
    }
    await overwriteInner(inner, key, { body: bodies[0] ?? utf8('') }, 2)
    await expect(store.records.get(key)).rejects.toThrow(DecryptionError)
    await overwriteInner(inner, key, { body: bodies[0] ?? utf8('') })
    expect(await store.records.get(key)).toEqual({ version: 1, body: utf8('1') })
  })

  it('rejects a blob that was moved to another id', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await store.blobs.write('v1/a', streamOf([utf8('one')]))
    const envelope = await inner.blobs.read('v1/a.sealed')
    await inner.blobs.write('v1/b.sealed', envelope ?? streamOf([]))
    await expect(store.blobs.read('v1/b')).rejects.toThrow(DecryptionError)
  })

  it.each([
    [0, 'bytes'],
    [65_536, 'bytes'],
    [65_537, 'chunks'],
  ] as const)('returns a content of %i bytes as %s', async (length, form) => {
    const { blobs } = encryptStore()
    await expectContentForm(blobs, length, form)
  })

  it('rejects with the same DecryptionError for every damage', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await store.records.put(key, { body: utf8('{}') }, 0)
    const envelope = (await inner.records.get(key))?.body ?? utf8('')
    const failures = [
      utf8(`{"a":"${marker}"}`),
      utf8(''),
      envelope.subarray(0, 40),
      envelope.map((byte) => byte ^ 1),
    ]
    for (const body of failures) {
      await overwriteInner(inner, key, { body })
      const error: unknown = await store.records.get(key).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(DecryptionError)
      const record = { ...key, version: 1 }
      expect(error).toMatchObject({ message: unreadableRecordError(record).message, record })
      expect(error).not.toHaveProperty('cause')
    }
  })

  it('separates its key rings from records in the collection keys', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    await store.records.put({ collection: 'keys', id: 'v1' }, { body: utf8('mine') }, 0)
    await store.records.put({ collection: 'keys/v1', id: 'v1' }, { body: utf8('deeper') }, 0)
    await store.records.put(key, { body: utf8('item') }, 0)
    expect(await store.records.list('keys', { limit: 9 })).toEqual([
      { id: 'v1', version: 1, body: utf8('mine') },
    ])
    expect((await store.records.get({ collection: 'keys/v1', id: 'v1' }))?.body).toEqual(
      utf8('deeper'),
    )
    expect((await inner.records.list('keys', { limit: 9 })).map(({ id }) => id)).toEqual([
      'keys',
      'v1',
    ])
  })

  it('rejects records of a store with another KEK', async () => {
    const inner = createMemoryStore()
    await encryptStore(inner).records.put(key, { body: utf8('{}') }, 0)
    const outsider = createEncryptedStore(inner, { keys: createKeys() })
    await expect(outsider.records.get(key)).rejects.toThrow(DecryptionError)
    await expect(outsider.records.put(key, { body: utf8('x') }, 1)).rejects.toThrow(DecryptionError)
    expect((await inner.records.get(key))?.version).toBe(1)
  })

  it('does not call the key provider when nothing is stored', async () => {
    const inner = createMemoryStore()
    const rejecting = (): Promise<never> => Promise.reject(new Error('not now'))
    const keys = { currentKekId: 'k', kekIds: ['k'], wrap: rejecting, unwrap: rejecting }
    const store = createEncryptedStore(inner, { keys })
    expect(await store.records.get(key)).toBeUndefined()
    expect(await store.records.list('items/v1', { limit: 9 })).toEqual([])
    expect(await store.records.list('items/v1', { indexKey: 'mail', limit: 9 })).toEqual([])
    expect(await store.records.delete(key, 1)).toBe(false)
    expect(await store.blobs.read('v1/a')).toBeUndefined()
    await store.blobs.delete('v1/a')
    await expect(store.records.put(key, { body: utf8('x') }, 0)).rejects.toThrow(StorageError)
  })
})
