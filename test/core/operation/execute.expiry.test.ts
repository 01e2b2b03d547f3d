import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { toChunks } from '../../../src/base/blob-content.js'
import { createCredentials } from '../../../src/credentials.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type VaultServiceOptions,
  type VaultStore,
} from '../../../src/index.js'
import { vaultGrants } from '../../../src/oauth.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { noteDraft } from '../../support/drafts.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse } from '../../support/http/requests.js'
import { itemRef } from '../../support/items/refs.js'
import { anyClient, createJoinableStore } from '../../support/stores/joinable-store.js'

const expired = { code: 'UNAUTHORIZED', status: 401, message: 'the caller has expired' }
const rename = [{ op: 'replace', path: '/title', value: 'Changed' }] as const

/** A test vault, and a caller who expires in a second of its clock. */
async function setUp(changes: Partial<VaultServiceOptions> = {}) {
  const vault = await createTestVault()
  const expiresAt = new Date(vault.clock().getTime() + 1000)
  const caller = createCaller({ id: 'guest', vaults: '*', expiresAt })
  const { store, clock } = vault
  const service = createVaultService({ store, now: clock, ...changes })
  const expire = () => clock.advance(1000)
  return { ...vault, service, caller, expiresAt, expire, owner: vault.caller, ref: itemRef(vault) }
}

/** Returns a store that calls `before` before each write of an item. */
function interceptWrites({ records, blobs }: VaultStore, before: () => void): VaultStore {
  const put: VaultStore['records']['put'] = (key, record, expectedVersion) => {
    if (key.collection.startsWith('items/')) before()
    return records.put(key, record, expectedVersion)
  }
  return { records: { ...records, put }, blobs }
}

describe('Caller.expiresAt', () => {
  it('rejects every call from then on, before a permission is checked', async () => {
    const { service, caller, clock, ref, item } = await setUp()
    clock.advance(999)
    expect(await service.getItem(caller, ref)).toEqual(item)
    clock.advance(1)
    const checks: string[] = []
    const can = (permission: string) => checks.push(permission) > 0
    const copy = { ...caller, can }
    for (const call of [
      () => service.getItem(copy, ref),
      () => service.as(copy).getItem(ref),
      () => service.listVaults(copy),
      () => service.getItem(copy, { ...ref, vaultId: 'malformed' }),
    ])
      await expect(call()).rejects.toMatchObject(expired)
    expect(checks).toEqual([])
  })

  it('follows the clock of the service, also backwards', async () => {
    let now = new Date('2026-01-01')
    const { service, caller, ref, expiresAt } = await setUp({ now: () => now })
    now = expiresAt
    await expect(service.getItem(caller, ref)).rejects.toMatchObject(expired)
    now = new Date(expiresAt.getTime() - 1)
    expect(await service.getItem(caller, ref)).toMatchObject({ id: ref.itemId })
  })

  it.each([new Date(Number.NaN), 'tomorrow', null, {}])(
    'rejects a caller whose until is %s',
    async (expiresAt) => {
      const { service, caller, ref } = await setUp()
      const call = service.getItem({ ...caller, expiresAt } as Caller, ref)
      await expect(call).rejects.toMatchObject(expired)
    },
  )

  it('is recorded with the caller', async () => {
    const activity = createMemoryActivityLog()
    const { service, caller, owner, ref, expire } = await setUp({ activity })
    expire()
    await expect(service.getItem(caller, ref)).rejects.toMatchObject(expired)
    const { entries } = await service.listActivity(owner, { vaultId: ref.vaultId })
    expect(entries).toMatchObject([
      { result: 'DENY', code: 'UNAUTHORIZED', actor: { id: 'guest' }, operation: 'getItem' },
    ])
  })

  it('is kept in a copy for HTTP, whose response is 401 before the body is read', async () => {
    const vault = await setUp()
    const { service, caller, expire } = vault
    const handler = createHttpHandler(service, { authenticate: () => caller })
    const send = () => handler(createRequest(vault, 'GET', itemUrl(vault)))
    expect((await send()).status).toBe(200)
    expire()
    const body = { status: 401, message: 'the caller has expired' }
    expect(await parseResponse(await send())).toMatchObject({ status: 401, body })
    const request = createRequest(vault, 'PATCH', itemUrl(vault))
    const unread = new ReadableStream({
      pull() {
        throw new Error('was read')
      },
    })
    expect((await handler({ ...request, body: toChunks(unread) })).status).toBe(401)
  })

  it('rejects a call for which around has waited too long', async () => {
    const around: VaultServiceOptions['around'] = (_, next) => {
      vault.expire()
      return next()
    }
    const vault = await setUp()
    const service = createVaultService({ store: vault.store, now: vault.clock, around })
    await expect(service.getItem(vault.caller, vault.ref)).rejects.toMatchObject(expired)
  })

  it('rejects a change whose body arrived too late', async () => {
    const vault = await setUp()
    const { service, caller, owner, ref, item, expire } = vault
    const handler = createHttpHandler(service, { authenticate: () => caller })
    async function* lateBody() {
      yield new TextEncoder().encode(JSON.stringify(rename))
      expire()
    }
    const headers = { 'content-type': 'application/json' }
    const request = createRequest(vault, 'PATCH', itemUrl(vault), { headers })
    expect((await handler({ ...request, body: toChunks(lateBody()) })).status).toBe(401)
    expect(await service.getItem(owner, ref)).toEqual(item)
  })

  it('rejects a change that has waited for its turn too long, and writes nothing', async () => {
    const activity = createMemoryActivityLog()
    const { store, clock, caller, owner, ref, expire } = await setUp()
    const slow = interceptWrites(store, expire)
    const service = createVaultService({ store: slow, now: clock, activity })
    const first = service.patchItem(owner, { ...ref, patch: rename })
    const patch = [{ op: 'replace', path: '/title', value: 'Late' }] as const
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toMatchObject(expired)
    expect(await service.getItem(owner, ref)).toEqual(await first)
    const { entries } = await service.listActivity(owner, { callerId: 'guest' })
    expect(entries).toMatchObject([{ result: 'DENY', code: 'UNAUTHORIZED' }])
  })

  it('ends a change that has begun', async () => {
    const { store, clock, caller, ref, expire } = await setUp()
    const slow = interceptWrites(store, expire)
    const service = createVaultService({ store: slow, now: clock, history: { maxVersions: 2 } })
    const patch = [{ op: 'replace', path: '/title', value: 'In time' }] as const
    expect(await service.patchItem(caller, { ...ref, patch })).toMatchObject({ title: 'In time' })
  })

  it('rejects calls in a transaction of the application', async () => {
    const world = await createTestVault({ store: createJoinableStore(createMemoryStore()) })
    const { service, vaultId, clock } = world
    const expiresAt = new Date(clock().getTime() + 1)
    const caller = createCaller({ id: 'guest', vaults: '*', expiresAt })
    const vault = service.inTransaction(anyClient)
    const item = noteDraft(vaultId)
    await vault.createItem(caller, { vaultId, item })
    clock.advance(1)
    await expect(vault.createItem(caller, { vaultId, item })).rejects.toMatchObject(expired)
    await expect(vault.as(caller).listItems({ vaultId })).rejects.toMatchObject(expired)
  })

  it('rejects the next page and the next call of several items', async () => {
    const { service, caller, ref, item, expire } = await setUp()
    const { vaultId, itemId } = ref
    const read = () => service.getItems(caller, { vaultId, itemIds: [itemId] })
    expect(await read()).toEqual([item])
    expire()
    await expect(read()).rejects.toMatchObject(expired)
  })

  it('ends an upload, of which nothing is stored', async () => {
    const { service, caller, owner, ref, item, expire } = await setUp()
    let isReleased = false
    async function* chunks() {
      try {
        yield Uint8Array.of(1)
        expire()
        yield Uint8Array.of(2)
      } finally {
        isReleased = true
      }
    }
    const input = { ...ref, name: 'scan', content: chunks() }
    await expect(service.attachFile(caller, input)).rejects.toMatchObject(expired)
    expect(isReleased).toBe(true)
    expect(await service.getItem(owner, ref)).toEqual(item)
    expect(await service.collectGarbage(owner, { vaultId: ref.vaultId })).toBe(0)
  })

  it('adds a file whose content was read in time', async () => {
    const { store, clock, caller, owner, ref, expire } = await setUp()
    const { records, blobs } = store
    const write: VaultStore['blobs']['write'] = async (id, content) => {
      await blobs.write(id, content)
      expire()
    }
    const service = createVaultService({
      store: { records, blobs: { ...blobs, write } },
      now: clock,
    })
    const content = Uint8Array.of(1)
    const file = await service.attachFile(caller, { ...ref, name: 'scan', content })
    expect((await service.getItem(owner, ref)).files).toContainEqual(file)
  })

  it('ends a download, and releases its source', async () => {
    const { store, clock, caller, ref, largeFile, expire } = await setUp()
    let isReleased = false
    async function* chunks(bytes: Uint8Array) {
      try {
        for (let start = 0; start < bytes.length; start += 1024)
          yield bytes.subarray(start, start + 1024)
      } finally {
        isReleased = true
      }
    }
    const { records, blobs } = store
    const read = async (id: string) => chunks((await blobs.read(id)) as Uint8Array)
    const service = createVaultService({
      store: { records, blobs: { ...blobs, read } },
      now: clock,
    })
    const { content } = await service.readFileContent(caller, { ...ref, fileId: largeFile.id })
    const reader = content.getReader()
    expect((await reader.read()).value).toHaveLength(1024)
    expire()
    await expect(reader.read()).rejects.toMatchObject(expired)
    expect(isReleased).toBe(true)
  })

  it('returns a content of bytes as it is', async () => {
    const { service, caller, ref, largeFile, expire } = await setUp()
    const { content } = await service.readFileContent(caller, { ...ref, fileId: largeFile.id })
    expire()
    expect((await new Response(content).arrayBuffer()).byteLength).toBe(largeFile.size)
  })

  it('stores no credential that was verified too late', async () => {
    const { service, caller, owner, ref, expire } = await setUp()
    const verify = async () => {
      expire()
      return true
    }
    const credentials = createCredentials(service, { stripe: { fields: { key: {} }, verify } })
    const saving = credentials.of(caller, ref.vaultId).save('stripe', { key: 'new' })
    await expect(saving).rejects.toMatchObject(expired)
    expect(await credentials.of(owner, ref.vaultId).list()).toEqual([])
  })

  it('is refused for the caller of a token keeper, whose tokens could not be stored', async () => {
    const { service, caller } = await setUp()
    expect(() => vaultGrants(service, caller)).toThrow(
      new TypeError('caller must not have expiresAt: it stores what a provider has issued'),
    )
  })
})
