import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import { compareStores } from '../../../src/command/copy/compare-stores.js'
import { beginCopy, copyStore, endCopy } from '../../../src/command/copy/copy-store.js'
import { createCaller, createVaultService, type VaultStore } from '../../../src/index.js'
import { createEncryptedStore, createLocalKeyProvider } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore } from '../../../src/testing.js'
import { createSeededRandom } from '../../../tools/reliability/support/seeded-random.js'
import { chosenIds } from '../../support/stores/use-every-form.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const options = { skipsUnreadable: false, onProgress: () => {} }

/** Returns random numbers from 0 to 1, the same ones for each seed. */
function createRandom(seed: number): () => number {
  const { below } = createSeededRandom(seed)
  return () => below(1_000_000) / 1_000_000
}

/** A service that keeps its history and its log in the store. */
function openService(store: VaultStore) {
  return createVaultService({
    store,
    history: { maxVersions: 3 },
    activity: createStoredActivityLog(store),
  })
}

/** Makes a change of the service that depends on a random number from 0 to 1. */
function createWriter(store: VaultStore, random: () => number) {
  const service = openService(store)
  const pick = <Element>(elements: readonly Element[]): Element | undefined =>
    elements[Math.floor(random() * elements.length)]
  return async (): Promise<void> => {
    const vaults = await service.listVaults(caller)
    const vaultId = pick(vaults)?.id
    if (vaultId === undefined || random() < 0.05) {
      await service.createVault(caller, { name: `Vault ${vaults.length}` })
      return
    }
    const itemId = pick(await service.listItems(caller, { vaultId }))?.id
    const title = `Item ${random()}`
    if (itemId === undefined || random() < 0.3) {
      const chosen = { ...chosenIds, vaultId }
      const isChosen = random() < 0.2
      const item = { category: 'LOGIN', title } as const
      await service
        .createItem(caller, isChosen ? { ...chosen, item } : { vaultId, item })
        .catch(() => {})
      return
    }
    const ref = { vaultId, itemId }
    const { files } = await service.getItem(caller, ref)
    const [file] = files
    const step = random()
    if (step < 0.4) {
      const patch = [{ op: 'replace', path: '/title', value: title }] as const
      await service.patchItem(caller, { ...ref, patch })
    } else if (step < 0.7) {
      const content = randomBytes(random() < 0.1 ? 100_000 : 20)
      await service.attachFile(caller, { ...ref, name: 'a', content })
    } else if (step < 0.85 && file !== undefined)
      await service.removeFile(caller, { ...ref, fileId: file.id })
    else if (random() < 0.1) await service.deleteVault(caller, { vaultId })
    else await service.deleteItem(caller, ref)
  }
}

function encrypt(inner: VaultStore): VaultStore {
  const key = new Uint8Array(32).fill(7)
  return createEncryptedStore(inner, { keys: createLocalKeyProvider({ key }) })
}

async function compare(from: VaultStore, to: VaultStore) {
  return compareStores({ from, to }, { ...options, key: new Uint8Array(32) })
}

/** Returns the ids of all blobs, which a memory store does not list. */
function trackBlobs(store: VaultStore): { readonly store: VaultStore; readonly ids: Set<string> } {
  const ids = new Set<string>()
  return {
    ids,
    store: {
      records: store.records,
      blobs: {
        read: (id) => store.blobs.read(id),
        async write(id, content) {
          await store.blobs.write(id, content)
          ids.add(id)
        },
        async delete(id) {
          await store.blobs.delete(id)
          ids.delete(id)
        },
      },
    },
  }
}

describe('copyStore', () => {
  const forms = [
    ['plaintext', 'plaintext'],
    ['plaintext', 'encrypted'],
    ['encrypted', 'plaintext'],
  ] as const

  it.each(forms)(
    'makes an equal store of a %s one, %s, whatever is interrupted and written meanwhile',
    async (fromForm, toForm) => {
      for (let seed = 1; seed <= 8; seed++) {
        const random = createRandom(seed)
        const source = trackBlobs(createMemoryStore())
        const from = fromForm === 'encrypted' ? encrypt(source.store) : source.store
        const target = trackBlobs(createMemoryStore())
        const write = createWriter(from, random)
        for (let step = 0; step < 40; step++) await write()
        // Each run ends at a random call, as if it was killed, while the service goes on.
        for (let run = 0; run < 12; run++) {
          const end = Math.floor(random() * 120)
          const faulty = createFaultyStore(target.store, ({ index }) => {
            if (index < end) return undefined
            return random() < 0.5 ? 'fail-before' : 'fail-after'
          })
          const to = toForm === 'encrypted' ? encrypt(faulty) : faulty
          const copying = beginCopy({ to }).then(() => copyStore({ from, to }, options))
          const writing = (async () => {
            for (let step = 0; step < 6; step++) await write()
          })()
          await Promise.allSettled([copying, writing])
        }
        const to = toForm === 'encrypted' ? encrypt(target.store) : target.store
        await beginCopy({ to })
        await copyStore({ from, to }, options)
        const { differences, from: ofFrom, to: ofTo } = await compare(from, to)
        expect({ seed, differences, ...ofTo }).toEqual({ seed, differences: [], ...ofFrom })
        await endCopy({ to })
        // Nothing is left over: no content, and no record of the copy.
        const sealed = (ids: Iterable<string>) =>
          [...ids].map((id) => id.replace(/\.sealed$/, '')).sort()
        expect(sealed(target.ids)).toEqual(sealed(source.ids))
        const vaults = await to.records.list('vaults', { limit: 99 })
        for (const name of ['copy/vaults', ...vaults.map(({ id }) => `pending-blobs/${id}`)])
          expect(await to.records.list(name, { limit: 1 })).toEqual([])
        // And a service goes on with it.
        const service = openService(to)
        const [vault] = await service.listVaults(caller)
        const item = { category: 'LOGIN', title: 'New' } as const
        if (vault) await service.createItem(caller, { vaultId: vault.id, item })
      }
    },
  )

  it('leaves no content of an item that is deleted after a run ended between two of its versions', async () => {
    const from = createMemoryStore()
    const service = openService(from)
    const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
    const item = { category: 'LOGIN', title: 'Mail' } as const
    const { id: itemId } = await service.createItem(caller, { vaultId, item })
    const ref = { vaultId, itemId }
    await service.attachFile(caller, { ...ref, name: 'a', content: new Uint8Array(9) })
    const target = trackBlobs(createMemoryStore())
    await copyStore({ from, to: target.store }, options)
    expect(target.ids.size).toBe(1)
    for (const value of ['Mail 2', 'Mail 3'])
      await service.patchItem(caller, { ...ref, patch: [{ op: 'replace', path: '/title', value }] })
    let puts = 0
    const faulty = createFaultyStore(target.store, ({ method, collection }) => {
      const isWrite = method === 'put' && collection === `items/${vaultId}`
      return isWrite && ++puts === 2 ? 'fail-before' : undefined
    })
    await expect(copyStore({ from, to: faulty }, options)).rejects.toThrow()
    await service.deleteItem(caller, ref)
    await copyStore({ from, to: target.store }, options)
    expect([...target.ids]).toEqual([])
  })

  it('writes nothing again that is equal', async () => {
    const from = createMemoryStore()
    const write = createWriter(from, createRandom(3))
    for (let step = 0; step < 30; step++) await write()
    let writes = 0
    const to = createFaultyStore(createMemoryStore(), ({ method }) => {
      if (method === 'put' || method === 'write' || method === 'delete') writes++
      return undefined
    })
    await beginCopy({ to })
    expect((await copyStore({ from, to }, options)).records).toBeGreaterThan(30)
    writes = 0
    expect(await copyStore({ from, to }, options)).toMatchObject({ records: 0, files: 0 })
    expect(writes).toBe(0)
  })

  it('copies leases and credentials with their versions', async () => {
    const [from, to] = [createMemoryStore(), createMemoryStore()]
    const { id: vaultId } = await openService(from).createVault(caller, { name: 'Team' })
    const body = new TextEncoder().encode('{"name":"stripe"}')
    for (const [collection, versions] of [
      ['leases', 7],
      [`credentials/${vaultId}`, 3],
    ] as const)
      for (let version = 0; version < versions; version++)
        await from.records.put({ collection, id: 'a' }, { body }, version)
    await copyStore({ from, to }, options)
    const [lease] = await to.records.list('leases', { limit: 2 })
    expect(lease?.version).toBe(7)
    const [credential] = await to.records.list(`credentials/${vaultId}`, { limit: 2 })
    expect(credential?.version).toBe(3)
  })

  it('finds a difference of one byte', async () => {
    const [from, to] = [createMemoryStore(), createMemoryStore()]
    const { id: vaultId } = await openService(from).createVault(caller, { name: 'Team' })
    await copyStore({ from, to }, options)
    expect((await compare(from, to)).differences).toEqual([])
    const key = { collection: 'vaults', id: vaultId }
    const stored = await to.records.get(key)
    const body = new Uint8Array(stored?.body ?? [])
    body[10] = (body[10] ?? 0) ^ 1
    await to.records.delete(key, 1)
    await to.records.put(key, { body }, 0)
    const comparison = await compare(from, to)
    expect(comparison.differences).toEqual([`vaults/${vaultId}`])
    expect(comparison.from.digest).not.toBe(comparison.to.digest)
  })

  it('leaves out what is damaged only on request', async () => {
    const inner = createMemoryStore()
    const from = encrypt(inner)
    const to = createMemoryStore()
    const service = openService(from)
    const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
    const item = { category: 'LOGIN', title: 'Mail' } as const
    const ids: string[] = []
    for (let count = 0; count < 3; count++)
      ids.push((await service.createItem(caller, { vaultId, item })).id)
    const key = { collection: `items/${vaultId}`, id: ids[1] ?? '' }
    const stored = await inner.records.get(key)
    const body = new Uint8Array(stored?.body ?? [])
    body[90] = (body[90] ?? 0) ^ 1
    await inner.records.delete(key, 1)
    await inner.records.put(key, { body }, 0)
    await expect(copyStore({ from, to }, options)).rejects.toMatchObject({ record: key })
    const skipping = { ...options, skipsUnreadable: true }
    const { skipped } = await copyStore({ from, to }, skipping)
    expect([...skipped]).toEqual([`${key.collection}/${key.id}`])
    expect(await to.records.list(key.collection, { limit: 9 })).toHaveLength(2)
    const { differences } = await compareStores({ from, to }, { ...skipping, key: randomBytes(32) })
    expect(differences).toEqual([])
  })
})

describe('beginCopy', () => {
  it('refuses a store that has data, and one whose copy was ended', async () => {
    const to = createMemoryStore()
    await beginCopy({ to })
    await beginCopy({ to })
    await openService(to).createVault(caller, { name: 'Team' })
    await endCopy({ to })
    await expect(beginCopy({ to })).rejects.toThrow('has data that is no unfinished copy')
  })

  it('refuses a store with the key rings of a sealer, which a copy would delete', async () => {
    const [from, to] = [createMemoryStore(), createMemoryStore()]
    const rings = { from: from.records, to: to.records }
    await beginCopy({ to, rings })
    await endCopy({ to })
    const body = new TextEncoder().encode('{}')
    await to.records.put({ collection: 'seal', id: 'tenant-1' }, { body }, 0)
    await expect(beginCopy({ to, rings })).rejects.toThrow('has data that is no unfinished copy')
  })
})
