import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DecryptionError, type VaultStore } from '../../../../src/index.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  createTenantKeyProvider,
  type KeyProvider,
} from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { utf8 } from '../../../support/bytes.js'
import { overwriteInner } from '../../../support/stores/encrypted-stores.js'

const [acme, globex] = ['acme'.padEnd(26, '0'), 'globex'.padEnd(26, '0')]
const body = utf8('x')

function keyNamed(...names: readonly [string, ...string[]]): KeyProvider {
  const bytes = (name: string) => createHash('sha256').update(name).digest()
  const keys = Object.fromEntries(names.map((name) => [name, bytes(name)]))
  return createLocalKeyProvider({ keys, keyId: names[0] })
}

const ours = keyNamed('ours')

/** Opens a store whose tenants bring the providers that `theirs` has at the moment. */
function openStore(inner: VaultStore, theirs: Record<string, KeyProvider | undefined>) {
  const asked: string[] = []
  const keys = createTenantKeyProvider({
    ours,
    async ofVault(vaultId) {
      asked.push(vaultId)
      return theirs[vaultId]
    },
  })
  return { asked, store: createEncryptedStore(inner, { keys }) }
}

const itemOf = (scope: string) => ({ collection: `items/${scope}`, id: 'a' })

const idOf = (name: string): string => keyNamed(name).currentKekId

async function kekIdOf({ records }: VaultStore, scope: string): Promise<string> {
  const record = await records.get({ collection: 'keys', id: scope })
  return JSON.parse(new TextDecoder().decode(record?.body)).kekId
}

describe('createTenantKeyProvider', () => {
  it('wraps with the KEK of the tenant in its vault, and with ours everywhere else', async () => {
    const inner = createMemoryStore()
    const { asked, store } = openStore(inner, { [acme]: keyNamed('acme-key') })
    for (const key of [
      itemOf(acme),
      itemOf(globex),
      itemOf('short'),
      { collection: 'vaults', id: acme },
    ])
      await store.records.put(key, { body }, 0)
    expect(await kekIdOf(inner, acme)).toBe(idOf('acme-key'))
    for (const scope of [globex, 'short', 'vaults'])
      expect(await kekIdOf(inner, scope)).toBe(ours.currentKekId)
    expect(new Set(asked)).toEqual(new Set([acme, globex]))
  })

  it('lets rewrapKeys move exactly the ring of the tenant whose KEK has changed', async () => {
    const inner = createMemoryStore()
    const theirs: Record<string, KeyProvider> = { [acme]: keyNamed('old') }
    const { store } = openStore(inner, theirs)
    for (const scope of [acme, globex]) await store.records.put(itemOf(scope), { body }, 0)
    expect(await store.rewrapKeys()).toBe(0)
    theirs[acme] = keyNamed('new', 'old')
    const before = await inner.records.get({ collection: 'keys', id: globex })
    expect(await store.rewrapKeys()).toBe(1)
    expect(await kekIdOf(inner, acme)).toBe(idOf('new'))
    expect(await inner.records.get({ collection: 'keys', id: globex })).toEqual(before)
    const { store: restarted } = openStore(inner, { [acme]: keyNamed('new') })
    expect((await restarted.records.get(itemOf(acme)))?.body).toEqual(body)
  })

  it('lets a tenant bring a KEK to an existing vault in three steps', async () => {
    const inner = createMemoryStore()
    const theirs: Record<string, KeyProvider> = {}
    const { store } = openStore(inner, theirs)
    for (const scope of [acme, globex]) await store.records.put(itemOf(scope), { body }, 0)
    theirs[acme] = keyNamed('acme-key')
    const scopes = [acme]
    expect(await store.rewrapKeys({ scopes })).toBe(1)
    expect(await store.rotateDataKeys({ scopes })).toBe(1)
    expect(await store.reencrypt({ scopes })).toMatchObject({ records: 1 })
    expect(await kekIdOf(inner, acme)).toBe(idOf('acme-key'))
    const { store: withoutIt } = openStore(inner, {})
    await expect(withoutIt.records.get(itemOf(acme))).rejects.toThrow(DecryptionError)
    expect((await withoutIt.records.get(itemOf(globex)))?.body).toEqual(body)
  })

  it('rejects a stored KEK that is neither ours nor that of the tenant', async () => {
    const inner = createMemoryStore()
    const both = { [acme]: keyNamed('acme-key'), [globex]: keyNamed('globex-key') }
    await openStore(inner, both).store.records.put(itemOf(acme), { body }, 0)
    const { store } = openStore(inner, { [acme]: keyNamed('globex-key') })
    await expect(store.records.get(itemOf(acme))).rejects.toThrow(DecryptionError)
  })

  it('rejects what a provider has wrapped for another vault', async () => {
    const inner = createMemoryStore()
    const shared = keyNamed('shared')
    const { store } = openStore(inner, { [acme]: shared, [globex]: shared })
    await store.records.put(itemOf(acme), { body }, 0)
    const ring = await inner.records.get({ collection: 'keys', id: acme })
    await overwriteInner(inner, { collection: 'keys', id: globex }, { body: ring?.body ?? body })
    await expect(store.records.put(itemOf(globex), { body }, 0)).rejects.toThrow(DecryptionError)
    // Nor does a provider that ignores the context, and unwraps the key of the other vault.
    const { secret } = JSON.parse(new TextDecoder().decode(ring?.body))
    const confused: KeyProvider = {
      ...shared,
      unwrap: (kekId, _bytes, context) =>
        shared.unwrap(kekId, Buffer.from(secret, 'base64'), { ...context, scope: acme }),
    }
    const { store: other } = openStore(inner, { [globex]: confused })
    await expect(other.records.put(itemOf(globex), { body }, 0)).rejects.toThrow(DecryptionError)
  })

  it('rejects calls of a vault, and of no other, when its provider cannot be used', async () => {
    const ofVault = async (vaultId: string) => {
      if (vaultId === acme) throw new Error('the database of tenants is down')
      return undefined
    }
    const down = createTenantKeyProvider({ ours, ofVault })
    const store = createEncryptedStore(createMemoryStore(), { keys: down })
    await store.records.put(itemOf(globex), { body }, 0)
    await expect(store.records.put(itemOf(acme), { body }, 0)).rejects.toMatchObject({
      status: 503,
      message: `the key provider failed to return the provider of ${acme}`,
    })
    for (const [found, message] of [
      [{} as KeyProvider, 'ofVault must return a key provider'],
      [keyNamed('ours'), 'ofVault must return a key provider with other kekIds than ours'],
    ] as const) {
      const { store } = openStore(createMemoryStore(), { [acme]: found })
      await store.records.put(itemOf(globex), { body }, 0)
      await expect(store.records.put(itemOf(acme), { body }, 0)).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message,
      })
    }
  })

  it('processes the other vaults, then fails, when the KEK of one is denied', async () => {
    const inner = createMemoryStore()
    const theirs = { [acme]: keyNamed('acme-key') }
    const { store } = openStore(inner, theirs)
    for (const scope of [acme, globex]) await store.records.put(itemOf(scope), { body }, 0)
    const denied = { ...keyNamed('acme-key'), unwrap: () => Promise.reject(new Error('denied')) }
    const { store: other } = openStore(inner, { [acme]: denied })
    await expect(other.rotateDataKeys()).rejects.toMatchObject({ status: 503 })
    await expect(other.reencrypt()).rejects.toMatchObject({ status: 503 })
    expect((await inner.records.get(itemOf(globex)))?.body[3]).toBe(2)
  })
})

describe('KeyProvider.ofScope', () => {
  it('rejects calls when it returns no key provider', async () => {
    const keys = { ...ours, ofScope: async () => undefined as never }
    const { records } = createEncryptedStore(createMemoryStore(), { keys })
    await expect(records.put(itemOf('v1'), { body }, 0)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: 'keys.ofScope must return a key provider',
    })
  })
})
