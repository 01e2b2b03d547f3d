import { describe, expect, it } from 'vitest'
import { vaultRecords } from '../../../src/base/stored-records.js'
import { walkPages } from '../../../src/base/walk-pages.js'
import {
  DecryptionError,
  type RecordQuery,
  StorageError,
  StorageUnavailableError,
  type VaultStore,
} from '../../../src/index.js'
import {
  createEncryptedStore,
  type EncryptedStore,
  type KeyProvider,
} from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import { utf8 } from '../../support/bytes.js'
import { createDamagedStore } from '../../support/stores/damaged-store.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'
import { createDatabasePath } from '../../support/stores/sqlite.js'

const collection = 'items/v1'
const indexKey = 'mail'
const keyOf = (id: string) => ({ collection, id })

const stores: readonly [string, () => Promise<VaultStore>][] = [
  ['memory', async () => createMemoryStore()],
  ['SQLite', async () => openSqliteStore(createDatabasePath())],
]

/** Returns an encrypted store with the records a, b and c, and the damage of its inner store. */
async function setUp(inner: VaultStore = createMemoryStore(), options = {}) {
  const damaged = createDamagedStore(inner)
  const keys = createKeys()
  const store = createEncryptedStore(damaged.store, { keys, ...options })
  for (const id of ['a', 'b', 'c'])
    await store.records.put(keyOf(id), { body: utf8(`body of ${id}`), indexKey }, 0)
  return { ...damaged, inner, keys, encrypted: store }
}

async function reencryptTwice(store: EncryptedStore): Promise<void> {
  for (let count = 0; count < 2; count++) {
    await store.rotateDataKeys({ scopes: ['v1'] })
    await store.reencrypt({ scopes: ['v1'] })
  }
}

describe.each(stores)('createEncryptedStore over %s', (_name, open) => {
  it('calls a record unreadable whichever of its bytes is damaged, and lists the others', async () => {
    const { inner, encrypted, damage } = await setUp(await open())
    await reencryptTwice(encrypted)
    const { length = 0 } = (await inner.records.get(keyOf('b')))?.body ?? {}
    const record = { ...keyOf('b'), version: 3 }
    for (let offset = 0; offset < length; offset++) {
      await damage(keyOf('b'), offset)
      const error = await encrypted.records.get(keyOf('b')).catch((reason: unknown) => reason)
      expect(error, `byte ${offset}`).toBeInstanceOf(DecryptionError)
      expect(error, `byte ${offset}`).toMatchObject({ record })
      for (const query of [{ limit: 9 }, { limit: 9, indexKey }]) {
        const rows = await encrypted.records.list(collection, query)
        expect(rows, `byte ${offset}`).toEqual([
          { id: 'a', version: 1, body: utf8('body of a') },
          { id: 'b', version: 3, body: new Uint8Array(0), unreadable: error },
          { id: 'c', version: 1, body: utf8('body of c') },
        ])
      }
    }
  })

  it.each([false, true])(
    'writes over an unreadable record only at the version in its error (re-encrypted: %s)',
    async (isReencrypted) => {
      const { encrypted, damage } = await setUp(await open())
      await encrypted.records.put(keyOf('b'), { body: utf8('second') }, 1)
      if (isReencrypted) await reencryptTwice(encrypted)
      const version = isReencrypted ? 4 : 2
      await damage(keyOf('b'))
      const { records } = encrypted
      await expect(records.get(keyOf('b'))).rejects.toMatchObject({ record: { version } })
      for (const other of isReencrypted ? [1, 2, 3, 5] : [1, 3])
        expect(await records.put(keyOf('b'), { body: utf8('new') }, other)).toBe(false)
      expect(await records.put(keyOf('b'), { body: utf8('new'), indexKey }, version)).toBe(true)
      expect(await records.get(keyOf('b'))).toEqual({ version: version + 1, body: utf8('new') })
      expect(await records.list(collection, { limit: 9, indexKey })).toHaveLength(3)
      expect(await records.put(keyOf('b'), { body: utf8('newer') }, version + 1)).toBe(true)
    },
  )

  it.each([false, true])(
    'deletes an unreadable record only at the version in its error (re-encrypted: %s)',
    async (isReencrypted) => {
      const { encrypted, damage } = await setUp(await open())
      if (isReencrypted) await reencryptTwice(encrypted)
      const version = isReencrypted ? 3 : 1
      await damage(keyOf('b'))
      const { records } = encrypted
      expect(await records.delete(keyOf('b'), version + 1)).toBe(false)
      if (isReencrypted) expect(await records.delete(keyOf('b'), 1)).toBe(false)
      expect(await records.delete(keyOf('b'), version)).toBe(true)
      expect(await records.get(keyOf('b'))).toBeUndefined()
    },
  )
})

describe('createEncryptedStore with a key that is missing, denied or out of reach', () => {
  /** Reads with new caches, and expects that no record is called unreadable. */
  async function expectNoneUnreadable(store: EncryptedStore, Expected: new (text: never) => Error) {
    for (const query of [{ limit: 9 }, { limit: 9, indexKey }]) {
      const error = await store.records.list(collection, query).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Expected)
      expect(error).not.toHaveProperty('record')
    }
    const error = await store.records.get(keyOf('a')).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Expected)
    expect(error).not.toHaveProperty('record')
  }

  it('rejects every list when the KEK is another one', async () => {
    const { store, damage } = await setUp()
    await damage(keyOf('b'), 0)
    await expectNoneUnreadable(createEncryptedStore(store, { keys: createKeys() }), DecryptionError)
  })

  it('is not what reencrypt counts when the KEK is another one', async () => {
    const { store, damage } = await setUp()
    await damage(keyOf('b'))
    const reopened = createEncryptedStore(store, { keys: createKeys() })
    await expect(reopened.reencrypt({ scopes: ['v1'] })).rejects.toThrow(DecryptionError)
  })

  it('rejects every list when the provider does not answer', async () => {
    const { store, keys, damage } = await setUp()
    await damage(keyOf('a'), 0)
    const denied: KeyProvider = {
      ...keys,
      async unwrap() {
        throw new StorageUnavailableError('denied')
      },
    }
    const reopened = createEncryptedStore(store, { keys: denied })
    await expectNoneUnreadable(reopened, StorageUnavailableError)
  })

  it('rejects every list when the ring of the scope is gone', async () => {
    const { store, keys, inner, damage } = await setUp()
    await damage(keyOf('a'), 0)
    await inner.records.delete({ collection: 'keys', id: 'v1' }, 1)
    await expectNoneUnreadable(createEncryptedStore(store, { keys }), DecryptionError)
  })

  it('rejects every list when the keys were erased', async () => {
    const { store, keys, inner, encrypted } = await setUp()
    const rows = await inner.records.list(collection, { limit: 9 })
    await encrypted.records.put(
      { collection: 'vaults', id: 'v1' },
      { body: vaultRecords.tombstoneOf('v1') },
      0,
    )
    await encrypted.eraseKeys({ scopes: ['v1'], backupsKeepThem: true })
    for (const { id, body } of rows) await inner.records.put(keyOf(id), { body }, 0)
    await expectNoneUnreadable(createEncryptedStore(store, { keys }), StorageError)
  })

  it('rejects every list when an older ring was restored that does not have the key', async () => {
    const { store, keys, inner, encrypted } = await setUp()
    const ring = { collection: 'keys', id: 'v1' }
    const old = await inner.records.get(ring)
    if (old === undefined) throw new Error('there is no ring')
    await encrypted.rotateDataKeys({ scopes: ['v1'] })
    await encrypted.records.put(keyOf('a'), { body: utf8('under the second key') }, 1)
    await inner.records.delete(ring, 2)
    await inner.records.put(ring, { body: old.body }, 0)
    const reopened = createEncryptedStore(store, { keys })
    const call = reopened.records.list(collection, { limit: 9 })
    await expect(call).rejects.toBeInstanceOf(DecryptionError)
    await expect(call).rejects.not.toHaveProperty('record')
    await expect(reopened.records.put(keyOf('a'), { body: utf8('x') }, 3)).resolves.toBe(false)
    await expect(reopened.records.get(keyOf('a'))).rejects.not.toHaveProperty('record')
  })
})

describe('createEncryptedStore with unreadable records', () => {
  it('lists every record once in pages limited by maxBytes, also with plaintext', async () => {
    for (const acceptsPlaintext of [false, true])
      for (const isLabelled of [false, true])
        for (const maxBytes of [1, 40, 100, 400]) {
          const { inner, encrypted, damage } = await setUp(createMemoryStore(), {
            acceptsPlaintext,
          })
          const ids = ['a', 'b', 'c']
          for (let index = 10; index < 30; index++) {
            const id = `d${index}`
            ids.push(id)
            const isPlain = acceptsPlaintext && index % 3 === 0
            const body = new Uint8Array(index % 4 === 0 ? 90 : 3).fill(0x7b)
            const { records } = isPlain ? inner : encrypted
            await records.put(keyOf(id), { body, indexKey }, 0)
            if (!isPlain && index % 2 === 0) await damage(keyOf(id))
          }
          const found: string[] = []
          const list = (page: RecordQuery) => encrypted.records.list(collection, page)
          const page = { limit: 5, maxBytes, ...(isLabelled && { indexKey }) }
          for await (const { id } of walkPages(list, page)) found.push(id)
          expect(found).toEqual(ids)
        }
  })
})
