import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createVaultService,
  DecryptionError,
  StorageError,
  StorageUnavailableError,
} from '../../../../src/index.js'
import { createTokenKeeper, vaultGrants } from '../../../../src/oauth.js'
import { createSealer } from '../../../../src/seal.js'
import { vaultRings } from '../../../../src/storage/encrypted/keys/key-ring.js'
import { createKeyStore } from '../../../../src/storage/encrypted/keys/key-store.js'
import { createRingStore } from '../../../../src/storage/encrypted/keys/ring-store.js'
import { createEncryptedStore, type KeyProvider } from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { utf8 } from '../../../support/bytes.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'

const body = utf8('x')
const itemOf = (scope: string) => ({ collection: `items/${scope}`, id: 'a' })
const ringOf = (scope: string) => ({ collection: 'keys', id: scope })
const unproven = 'because none of the stored key rings opens with it'

/** A provider with another key of the same name as this one has. */
function ofTheSameName({ currentKekId, kekIds }: KeyProvider): KeyProvider {
  const other = createKeys()
  return {
    currentKekId,
    kekIds,
    wrap: other.wrap,
    unwrap: (_, wrapped, context) => other.unwrap(other.currentKekId, wrapped, context),
  }
}

/** A provider with a current KEK and a former one. */
function joined(current: KeyProvider, former: KeyProvider): KeyProvider {
  return {
    currentKekId: current.currentKekId,
    kekIds: [...current.kekIds, ...former.kekIds],
    wrap: current.wrap,
    unwrap: (kekId, wrapped, context) =>
      (current.kekIds.includes(kekId) ? current : former).unwrap(kekId, wrapped, context),
  }
}

/** A store with the rings of these scopes, which another process has made. */
async function createStored(...scopes: readonly string[]) {
  const inner = createMemoryStore()
  const keys = createKeys()
  const store = createEncryptedStore(inner, { keys })
  for (const scope of scopes) await store.records.put(itemOf(scope), { body }, 0)
  return { inner, keys, store }
}

describe('createRingOpener', () => {
  it('makes no keys of a new scope in records.put under a wrong key, whatever its name is', async () => {
    const { inner, keys } = await createStored('v1')
    for (const wrong of [createKeys(), ofTheSameName(keys)]) {
      const { records } = createEncryptedStore(inner, { keys: wrong })
      const put = records.put(itemOf('v2'), { body }, 0)
      await expect(put).rejects.toThrow(StorageError)
      await expect(put).rejects.toThrow(unproven)
      await expect(put).rejects.toThrow(wrong.currentKekId)
    }
    expect(await inner.records.get(ringOf('v2'))).toBeUndefined()
    const { records } = createEncryptedStore(inner, { keys })
    expect(await records.put(itemOf('v2'), { body }, 0)).toBe(true)
  })

  it('makes no keys of a new scope in a sealer under a wrong key', async () => {
    const { records } = createMemoryStore()
    const keys = createKeys()
    await createSealer(records, { keys }).box('acme')
    for (const wrong of [createKeys(), ofTheSameName(keys)])
      await expect(createSealer(records, { keys: wrong }).box('globex')).rejects.toThrow(unproven)
    expect(await records.list('seal', { limit: 9 })).toHaveLength(1)
  })

  it('makes no keys of leases under a wrong key', async () => {
    const { inner, keys } = await createStored('v1')
    const caller = createCaller({ id: 'wendy', vaults: '*' })
    // The grants are elsewhere.
    const service = createVaultService({ store: createMemoryStore() })
    const { id: vaultId } = await service.createVault(caller, { name: 'Home' })
    const grants = vaultGrants(service, caller)
    const grant = { name: 'mail', accessToken: 'old', refreshToken: 'r', expiresInSeconds: 0 }
    const item = await grants.save(vaultId, grant)
    const keeperWith = (own: KeyProvider) =>
      createTokenKeeper({
        grants,
        leases: createEncryptedStore(inner, { keys: own }).records,
        refresh: async () => ({ accessToken: 'new', refreshToken: 'r', expiresInSeconds: 3600 }),
      })
    for (const wrong of [createKeys(), ofTheSameName(keys)])
      await expect(keeperWith(wrong).accessToken(item, caller)).rejects.toThrow()
    expect(await inner.records.get(ringOf('leases'))).toBeUndefined()
    expect(await keeperWith(keys).accessToken(item, caller)).toBe('new')
    expect(await inner.records.get(ringOf('leases'))).toBeDefined()
  })

  it('rewraps no ring under a second key of one name', async () => {
    const { inner, keys: old } = await createStored('v1')
    const next = createKeys()
    const moving = createEncryptedStore(inner, { keys: joined(next, old) })
    expect(await moving.rewrapKeys()).toBe(1)
    await createEncryptedStore(inner, { keys: joined(old, next) }).records.put(
      itemOf('v2'),
      { body },
      0,
    )
    const before = await inner.records.get(ringOf('v2'))
    const wrong = createEncryptedStore(inner, { keys: joined(ofTheSameName(next), old) })
    await expect(wrong.rewrapKeys({ scopes: ['v2'] })).rejects.toThrow(unproven)
    expect(await inner.records.get(ringOf('v2'))).toEqual(before)
    expect(await moving.rewrapKeys()).toBe(1)
  })

  it('accepts a new KEK once any ring opens, and a first KEK where no ring has keys', async () => {
    const { inner, keys, store } = await createStored('v1')
    const { records } = createEncryptedStore(inner, { keys: joined(createKeys(), keys) })
    expect(await records.put(itemOf('v2'), { body }, 0)).toBe(true)
    const vault = { collection: 'vaults', id: 'v1' }
    await store.records.put(vault, { body: utf8('{"id":"v1","deleted":true}') }, 0)
    await store.eraseKeys({ scopes: ['v1'], backupsKeepThem: true })
    const erased = await inner.records.get(ringOf('v1'))
    const empty = createMemoryStore()
    await overwriteInner(empty, ringOf('v1'), { body: erased?.body ?? body })
    await overwriteInner(empty, ringOf('v0'), { body: utf8('damaged') })
    const fresh = createEncryptedStore(empty, { keys: createKeys() })
    expect(await fresh.records.put(itemOf('v2'), { body }, 0)).toBe(true)
  })

  it('rejects with 503 when a call has failed, and makes keys once the provider answers', async () => {
    const { inner, keys } = await createStored('v1')
    let isDown = true
    const unwrap: KeyProvider['unwrap'] = (...call) =>
      isDown ? Promise.reject(new Error('down')) : keys.unwrap(...call)
    const { records } = createEncryptedStore(inner, { keys: { ...keys, unwrap } })
    const put = () => records.put(itemOf('v2'), { body }, 0)
    await expect(put()).rejects.toThrow(StorageUnavailableError)
    isDown = false
    expect(await put()).toBe(true)
  })

  it('opens up to eight rings until one opens, each with the provider of its scope', async () => {
    const { inner, keys } = await createStored(...Array.from({ length: 12 }, (_, at) => `v${at}`))
    const deny = (count: number) => {
      const asked = new Set<string>()
      const unwrap: KeyProvider['unwrap'] = (kekId, wrapped, context) => {
        asked.add(context.scope)
        if (asked.size <= count) return Promise.reject(new Error('denied'))
        return keys.unwrap(kekId, wrapped, context)
      }
      const own = { ...keys, unwrap }
      const { records } = createEncryptedStore(inner, { keys: { ...own, ofScope: () => own } })
      return { asked, put: records.put(itemOf(`new${count}`), { body }, 0) }
    }
    expect(await deny(7).put).toBe(true)
    const { asked, put } = deny(8)
    await expect(put).rejects.toThrow(StorageUnavailableError)
    expect(asked.size).toBe(8)
  })

  it('lists the rings once, however many scopes are new', async () => {
    const { inner, keys } = await createStored('v1')
    let lists = 0
    const list: typeof inner.records.list = (collection, query) => {
      if (collection === 'keys') lists++
      return inner.records.list(collection, query)
    }
    const store = createEncryptedStore({ ...inner, records: { ...inner.records, list } }, { keys })
    const scopes = Array.from({ length: 9 }, (_, at) => `new${at}`)
    await Promise.all(scopes.map((scope) => store.records.put(itemOf(scope), { body }, 0)))
    await store.records.put(itemOf('later'), { body }, 0)
    expect(lists).toBe(1)
  })

  it('rejects a ring that is not authentic, and names its scope and its KEK', async () => {
    const { inner, keys } = await createStored('v1')
    const { opener, cache } = createKeyStore(createRingStore(vaultRings, inner.records), keys)
    const ring = await cache.read('v1')
    if (ring === undefined) throw new Error('no ring')
    for (const change of [
      { hasReencryptions: true },
      { version: 2 },
      { mac: btoa('x'.repeat(32)) },
    ]) {
      const opening = opener.open('v1', { ...ring, ...change })
      await expect(opening).rejects.toThrow(DecryptionError)
      await expect(opening).rejects.toThrow(
        `the encryption keys of v1 do not open with the KEK ${keys.currentKekId}`,
      )
    }
  })
})
