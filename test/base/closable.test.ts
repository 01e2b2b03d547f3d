import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { describe, expect, it, vi } from 'vitest'
import { asyncDispose, toClosable } from '../../src/base/closable.js'
import { type Closable, createCaller, createVaultService } from '../../src/index.js'
import { createSealer } from '../../src/seal.js'
import { createEncryptedStore } from '../../src/storage/encrypted.js'
import { createEtcdStore } from '../../src/storage/etcd.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { openSqliteStore } from '../../src/storage/sqlite.js'
import { createTestVault } from '../../src/testing.js'
import { createKeys } from '../support/stores/encrypted-stores.js'
import { createDatabasePath } from '../support/stores/sqlite.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const key = { collection: 'c', id: 'a' }
const ref = { vaultId: 'a'.repeat(26), itemId: 'b'.repeat(26) }
const closed = { code: 'STORAGE_UNAVAILABLE', status: 503 }

/** A thing that is closed, a call of it, and a call of what it was made from. */
interface Opened {
  readonly thing: Closable
  readonly use: () => Promise<unknown>
  readonly usePassed?: () => Promise<unknown>
}

function fetchEmpty(): Promise<Response> {
  const header = { cluster_id: '1', member_id: '2', revision: '3', raft_term: '4' }
  return Promise.resolve(Response.json({ header }))
}

const things: Readonly<Record<string, () => Promise<Opened>>> = {
  async createVaultService() {
    const store = createMemoryStore()
    const service = createVaultService({ store })
    const usePassed = () => store.records.get(key)
    return { thing: service, use: () => service.listVaults(caller), usePassed }
  },
  async openSqliteStore() {
    const store = await openSqliteStore(createDatabasePath())
    return { thing: store, use: () => store.records.get(key) }
  },
  async createEtcdStore() {
    const store = createEtcdStore({ endpoints: ['http://127.0.0.1:2379'], fetch: fetchEmpty })
    return { thing: store, use: () => store.records.get(key), usePassed: fetchEmpty }
  },
  async createEncryptedStore() {
    const inner = await openSqliteStore(createDatabasePath())
    const store = createEncryptedStore(inner, { keys: createKeys() })
    const usePassed = () => inner.records.get(key)
    return { thing: store, use: () => store.records.get(key), usePassed }
  },
  async createSealer() {
    const { records } = createMemoryStore()
    const sealer = createSealer(records, { keys: createKeys() })
    return { thing: sealer, use: () => sealer.box('acme'), usePassed: () => records.get(key) }
  },
  async createTokenKeeper() {
    const { service, store, vaultId, item } = await createTestVault()
    const grants = vaultGrants(service, caller)
    const grantRef = await grants.save(vaultId, { name: 'mail', accessToken: 'token' })
    const refresh = () => Promise.resolve(false as const)
    const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
    const usePassed = () => service.getItem(caller, { vaultId, itemId: item.id })
    return { thing: keeper, use: () => keeper.accessToken(grantRef, caller), usePassed }
  },
  async createTestVault() {
    const store = createMemoryStore()
    const vault = await createTestVault({ store })
    const usePassed = () => store.records.get(key)
    return { thing: vault, use: () => vault.service.listVaults(vault.caller), usePassed }
  },
}

describe('toClosable', () => {
  it.each(Object.entries(things))(
    'ends what %s made, with await using, and nothing that was passed in',
    async (_, open) => {
      const { thing, use, usePassed } = await open()
      {
        await using used = thing
        expect(used).toBe(thing)
        await use()
      }
      await expect(use()).rejects.toMatchObject(closed)
      await usePassed?.()
    },
  )

  it.each(Object.entries(things))('closes the result of %s once', async (_, open) => {
    const { thing } = await open()
    const closing = thing.close()
    expect(thing.close()).toBe(closing)
    expect(thing[Symbol.asyncDispose]()).toBe(closing)
    await closing
  })

  it('calls the function once, and rejects with its error each time', async () => {
    const error = new Error('the disk is gone')
    const end = vi.fn(() => Promise.reject(error))
    const thing = toClosable(end)
    await expect(thing.close()).rejects.toBe(error)
    await expect(thing[asyncDispose]()).rejects.toBe(error)
    expect(end).toHaveBeenCalledOnce()
  })
})

describe('createTestVault: close', () => {
  it('closes the servers of listen, and leaves a fork alone', async () => {
    const vault = await createTestVault()
    const fork = await vault.fork()
    const { origin } = await vault.listen()
    expect((await fetch(`${origin}/v1/vaults`)).status).toBe(401)
    await vault.close()
    await expect(fetch(`${origin}/v1/vaults`)).rejects.toThrow('fetch failed')
    expect(await fork.service.listVaults(fork.caller)).toHaveLength(1)
    await fork.close()
  })

  it('closes one server with await using', async () => {
    const vault = await createTestVault()
    let origin = ''
    {
      await using server = await vault.listen()
      origin = server.origin
    }
    await expect(fetch(origin)).rejects.toThrow('fetch failed')
    expect(await vault.service.listVaults(vault.caller)).toHaveLength(1)
  })
})

describe('createEtcdStore: close', () => {
  it('waits for the calls in progress, and sends nothing afterwards', async () => {
    const requests: string[] = []
    const store = createEtcdStore({
      endpoints: ['http://127.0.0.1:2379'],
      ...{ username: 'vault', password: 'hunter2' },
      fetch(url) {
        requests.push(new URL(url).pathname)
        return url.endsWith('/authenticate')
          ? Promise.resolve(Response.json({ token: 'token' }))
          : fetchEmpty()
      },
    })
    const reading = store.records.get(key)
    await store.close()
    expect(await reading).toBeUndefined()
    await expect(store.blobs.read(`${ref.vaultId}/a`)).rejects.toMatchObject(closed)
    expect(requests).toEqual(['/v3/auth/authenticate', '/v3/kv/range'])
  })
})

describe('inTransaction', () => {
  it('returns a service that cannot be closed', async () => {
    const store = createMemoryStore()
    const { records } = store
    const joinable = { ...store, records: { ...records, inTransaction: () => records } }
    const vault = createVaultService({ store: joinable }).inTransaction({ query: vi.fn() })
    const dispose = Reflect.get(vault, Symbol.asyncDispose)
    await expect(dispose()).rejects.toThrow('close cannot be called in a transaction')
  })
})
