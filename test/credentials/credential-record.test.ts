import {
  createCaller,
  createVaultService,
  NotFoundError,
  type RecordKey,
  type StoredRecord,
  type VaultStore,
} from 'cofferkit'
import { createCredentials, type VaultCredentials } from 'cofferkit/credentials'
import { createEncryptedStore } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { createFaultyStore } from 'cofferkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { unreadableRecordError } from '../../src/base/fixed-errors.js'
import { findItemId } from '../../src/credentials/credential-item.js'
import { interceptStore } from '../../src/testing/store-calls.js'
import { loginDraft } from '../support/drafts.js'
import { createKeys } from '../support/stores/encrypted-stores.js'
import { createInterruptedStore } from '../support/stores/interrupted-store.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const vaultId = 'v'.repeat(26)
const collection = `credentials/${vaultId}`

type Options = Partial<Parameters<typeof createVaultService>[0]>

/** Returns the service of another process, and its credentials. */
function open(store: VaultStore, options: Options = {}) {
  const verify = vi.fn(async () => true)
  const fields = { key: {} }
  const service = createVaultService({ store, ...options })
  const own = createCredentials(service, { stripe: { fields, verify } }).of(caller, vaultId)
  return { service, own, verify }
}

async function createStore(): Promise<VaultStore> {
  const store = createMemoryStore()
  await open(store).service.createVault(caller, { vaultId, name: 'Acme' })
  return store
}

async function readNames(own: VaultCredentials): Promise<readonly (string | undefined)[]> {
  return (await own.list()).map(({ account }) => account)
}

const listRecords = ({ records }: VaultStore) => records.list(collection, { limit: 1000 })
const parse = ({ body }: StoredRecord): object => JSON.parse(new TextDecoder().decode(body))
const tombstone = { deleted: true }

/** What was stored before the process that changes it, by the method that changes it. */
const changes = {
  'the first save': [undefined, ({ own }) => own.save('stripe', { key: 'new' })],
  'a save': ['saved', ({ own }) => own.save('stripe', { key: 'new' })],
  'a save after a removal': ['removed', ({ own }) => own.save('stripe', { key: 'new' })],
  'a save after a collection': ['collected', ({ own }) => own.save('stripe', { key: 'new' })],
  'a rejecting verify': [
    'saved',
    ({ own, verify }) => {
      verify.mockResolvedValue(false)
      return own.verify('stripe')
    },
  ],
  'an accepting verify': ['rejected', ({ own }) => own.verify('stripe')],
  'a removal': ['saved', ({ own }) => own.remove('stripe')],
  'a collection': ['removed', ({ service }) => service.collectGarbage(caller, { vaultId })],
} satisfies Record<
  string,
  readonly [string | undefined, (world: ReturnType<typeof open>) => Promise<unknown>]
>

async function prepare(start: string | undefined): Promise<VaultStore> {
  const store = await createStore()
  const { own, service, verify } = open(store)
  if (start !== undefined) await own.save('stripe', { key: 'old' })
  if (start === 'removed' || start === 'collected') await own.remove('stripe')
  if (start === 'collected') await service.collectGarbage(caller, { vaultId })
  verify.mockResolvedValue(false)
  if (start === 'rejected') await own.verify('stripe')
  return store
}

/** A credential that can be described is listed. */
async function assertListed(store: VaultStore): Promise<void> {
  const { own } = open(store)
  const view = await own.describe('stripe').catch(() => undefined)
  expect(await own.list()).toEqual(view === undefined ? [] : [view])
}

/** Calls of other processes, which may be paused anywhere. */
const processes = {
  save: ({ own }) => own.save('stripe', { key: 'new' }),
  remove: ({ own }) => own.remove('stripe'),
  collectGarbage: ({ service }) => service.collectGarbage(caller, { vaultId }),
} satisfies Record<string, (world: ReturnType<typeof open>) => Promise<unknown>>

/** Returns a store whose call with this index waits for `wait`. */
function pauseAt(store: VaultStore, index: number, wait: () => Promise<unknown>): VaultStore {
  return interceptStore(store, async (call, run) => {
    if (call.index === index) await wait()
    return run()
  })
}

/**
 * Runs `one` until its call to the store with the first index, then `other` until the one with the
 * second index, then the rest of `one`, then the rest of `other`. After each call to the store, the
 * item has its record, so no process could die there and leave it without.
 * @returns Whether the calls were reached.
 */
async function interleave(
  start: string | undefined,
  [one, other]: readonly [keyof typeof processes, keyof typeof processes],
  [first, second]: readonly [number, number],
): Promise<readonly [boolean, boolean]> {
  const store = await prepare(start)
  const itemKey = {
    collection: `items/${vaultId}`,
    id: await findItemId(vaultId, 'stripe', undefined),
  }
  const isStored = async (key: RecordKey): Promise<boolean> => {
    const record = await store.records.get(key)
    return record !== undefined && !/"deleted":true/.test(new TextDecoder().decode(record.body))
  }
  const checked = interceptStore(store, async (_, run) => {
    const result = await run()
    if (await isStored(itemKey)) expect(await isStored({ collection, id: itemKey.id })).toBe(true)
    return result
  })
  const failures: unknown[] = []
  const run = (name: keyof typeof processes, of: VaultStore): Promise<unknown> =>
    processes[name](open(of, { retry: { sleep: async () => {} } })).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) failures.push(error)
    })
  const gate = Promise.withResolvers<void>()
  let rest: Promise<unknown> | undefined
  let isSecondReached = false
  const paused = pauseAt(checked, first, async () => {
    await new Promise<void>((reached) => {
      const waiting = pauseAt(checked, second, () => {
        isSecondReached = true
        reached()
        return gate.promise
      })
      rest = run(other, waiting).then(() => reached())
    })
  })
  await run(one, paused)
  gate.resolve()
  await rest
  expect(failures).toEqual([])
  await assertListed(store)
  return [rest !== undefined, isSecondReached]
}

describe('putCredentialRecord', () => {
  it('lists what another process has saved, with name and account', async () => {
    const store = await createStore()
    await open(store).own.save('stripe', { key: 'k' }, { account: 'live' })
    expect(await open(store).own.list()).toMatchObject([
      { name: 'stripe', account: 'live', status: 'ok', version: 1 },
    ])
    const [record] = await listRecords(store)
    expect(record?.id).toBe(await findItemId(vaultId, 'stripe', 'live'))
    expect(record && parse(record)).toEqual({ name: 'stripe', account: 'live' })
  })

  it.each(Object.entries(changes))(
    'leaves no credential that is not listed when the process dies in %s',
    async (_, [start, change]) => {
      let deaths = 0
      for (const isMade of [false, true])
        for (let index = 0; ; index++) {
          const store = await prepare(start)
          const dying = createFaultyStore(store, (call) => {
            if (call.index < index) return undefined
            return call.index === index && isMade ? 'fail-after' : 'fail-before'
          })
          let isReached = false
          const counted = interceptStore(dying, (call, run) => {
            isReached ||= call.index >= index
            return run()
          })
          await change(open(counted)).catch(() => {})
          await assertListed(store)
          if (!isReached) break
          deaths++
        }
      expect(deaths).toBeGreaterThan(5)
    },
  )

  it.each(['before', 'after'] as const)(
    'lists a credential that was removed and saved again %s each write of a save',
    async (when) => {
      for (const name of ['credentials/', 'items/']) {
        const store = await createStore()
        const { own } = open(store)
        const interrupted = createInterruptedStore(store, name, when, async () => {
          await own.save('stripe', { key: 'other' })
          await own.remove('stripe')
        })
        const saving = open(interrupted).own.save('stripe', { key: 'k' })
        expect(await saving).toMatchObject({ status: 'ok' })
        await assertListed(store)
        // After its own write, the item was removed again.
        expect(await readNames(own)).toHaveLength(name === 'items/' && when === 'after' ? 0 : 1)
      }
    },
  )

  it.each([
    ['save', 'save'],
    ['save', 'remove'],
    ['remove', 'save'],
    ['save', 'collectGarbage'],
    ['collectGarbage', 'save'],
  ] as const)(
    'keeps the record of an item when %s and %s are paused anywhere',
    async (...names) => {
      let runs = 0
      for (const start of [undefined, 'saved', 'removed', 'collected'])
        for (let first = 0, isFirst = true; isFirst; first++)
          for (let second = 0, isSecond = true; isSecond && isFirst; second++) {
            const reached = await interleave(start, names, [first, second])
            ;[isFirst, isSecond] = reached
            runs++
          }
      expect(runs).toBeGreaterThan(50)
    },
  )

  it('writes no record when the item exists and has one', async () => {
    const store = await createStore()
    const { own, verify } = open(store)
    await own.save('stripe', { key: 'k' })
    await own.save('stripe', { key: 'l' })
    for (const isAccepted of [true, false, true]) {
      verify.mockResolvedValueOnce(isAccepted)
      await own.verify('stripe')
    }
    expect(await listRecords(store)).toMatchObject([{ version: 1 }])
  })

  it.each(['save', 'verify'] as const)(
    'writes a record again that is missing at a %s',
    async (method) => {
      const store = await createStore()
      const { own } = open(store)
      await own.save('stripe', { key: 'k' })
      const [record] = await listRecords(store)
      await store.records.delete({ collection, id: String(record?.id) }, 1)
      expect(await own.list()).toEqual([])
      await (method === 'save' ? own.save('stripe', { key: 'k' }) : own.verify('stripe'))
      expect(await readNames(own)).toHaveLength(1)
    },
  )

  it('fails with a conflict when the record can never be written', async () => {
    const store = await createStore()
    const contended = createFaultyStore(store, ({ method, collection: name }) =>
      method === 'put' && name === collection ? 'conflict' : undefined,
    )
    const sleep = async () => {}
    const { own } = open(contended, { retry: { maxAttempts: 3, sleep } })
    await expect(own.save('stripe', { key: 'k' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(own.describe('stripe')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('writes a record again that was collected while the process was paused', async () => {
    const store = await createStore()
    const other = open(store)
    const paused = createInterruptedStore(store, 'items/', 'before', async () => {
      await other.service.collectGarbage(caller, { vaultId })
      expect((await listRecords(store)).map(parse)).toEqual([tombstone])
    })
    await open(paused).own.save('stripe', { key: 'k' })
    expect(await readNames(other.own)).toHaveLength(1)
  })
})

describe('scanCredentials', () => {
  it('calls the store as often with 1,000 other items as with 10', async () => {
    const counts: number[] = []
    for (const items of [10, 1000]) {
      const store = await createStore()
      const { service, own } = open(store)
      for (let index = 0; index < 10; index++)
        await own.save('stripe', { key: 'k' }, { account: String(index) })
      for (let index = 0; index < items; index++)
        await service.createItem(caller, { vaultId, item: loginDraft(vaultId) })
      const calls: string[] = []
      const counted = interceptStore(store, (call, run) => {
        calls.push(call.method)
        return run()
      })
      expect(await open(counted).own.list()).toHaveLength(10)
      counts.push(calls.length)
    }
    expect(counts[1]).toBe(counts[0])
    // The vault, a page of records, and the items.
    expect(counts[0]).toBeLessThan(15)
  })

  it('reads every page', async () => {
    const store = await createStore()
    const { own } = open(store)
    const accounts = Array.from({ length: 120 }, (_, index) => String(1000 + index))
    for (const account of accounts) await own.save('stripe', { key: 'k' }, { account })
    const pages: string[] = []
    const counted = interceptStore(store, (call, run) => {
      if (call.method === 'list') pages.push(String(call.collection))
      return run()
    })
    expect(await readNames(open(counted).own)).toEqual(accounts)
    // The first call also looks whether the store is encrypted.
    expect(pages.filter((name) => name.startsWith('items/'))).toEqual([])
    expect(pages).toContain(collection)
  })
})

describe('collectGarbage', () => {
  it('replaces the records of items that do not exist, and no list reads these items again', async () => {
    const store = await createStore()
    const { own, service } = open(store)
    await own.save('stripe', { key: 'k' })
    await own.save('stripe', { key: 'k' }, { account: 'kept' })
    await own.remove('stripe')
    await service.collectGarbage(caller, { vaultId })
    const records = (await listRecords(store)).map(parse)
    expect(records).toHaveLength(2)
    expect(records).toContainEqual(tombstone)
    expect(records).toContainEqual({ name: 'stripe', account: 'kept' })
    const items: string[] = []
    const counted = interceptStore(store, (call, run) => {
      if (call.collection === `items/${vaultId}`) items.push(String(call.id))
      return run()
    })
    expect(await readNames(open(counted).own)).toEqual(['kept'])
    expect(items).toEqual([await findItemId(vaultId, 'stripe', 'kept')])
  })

  it('replaces a record once', async () => {
    const store = await createStore()
    const { own, service } = open(store)
    await own.save('stripe', { key: 'k' })
    await own.remove('stripe')
    for (let call = 0; call < 2; call++) await service.collectGarbage(caller, { vaultId })
    expect(await listRecords(store)).toMatchObject([{ version: 2 }])
  })

  it('keeps the record of an item that is marked as deleted', async () => {
    const store = await createStore()
    const { own, service } = open(store)
    const { itemId } = await own.save('stripe', { key: 'k' })
    await service.setItemState(caller, { vaultId, itemId, state: 'DELETED' })
    await service.collectGarbage(caller, { vaultId })
    expect(await readNames(own)).toEqual([])
    await service.setItemState(caller, { vaultId, itemId, state: 'ACTIVE' })
    expect(await readNames(own)).toHaveLength(1)
  })

  it('keeps a record that another collection has replaced, and another save has written again', async () => {
    const store = await createStore()
    const { own } = open(store)
    await own.save('stripe', { key: 'k' })
    await own.remove('stripe')
    const two = open(store)
    const one = createInterruptedStore(store, 'credentials/', 'before', async () => {
      await two.service.collectGarbage(caller, { vaultId })
      await two.own.save('stripe', { key: 'k' })
    })
    await open(one).service.collectGarbage(caller, { vaultId })
    expect(await readNames(own)).toHaveLength(1)
  })

  it('replaces what a crash has left before the item was written', async () => {
    const store = await createStore()
    const dying = createFaultyStore(store, ({ method, collection: name }) =>
      method === 'put' && name?.startsWith('items/') ? 'fail-before' : undefined,
    )
    const saving = open(dying).own.save('stripe', { key: 'k' })
    await expect(saving).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect((await listRecords(store)).map(parse)).toEqual([{ name: 'stripe' }])
    await open(store).service.collectGarbage(caller, { vaultId })
    expect((await listRecords(store)).map(parse)).toEqual([tombstone])
  })
})

describe('deleteVault', () => {
  it('deletes the records, even damaged ones', async () => {
    const store = await createStore()
    const { own, service } = open(store)
    await own.save('stripe', { key: 'k' })
    await own.save('stripe', { key: 'k' }, { account: 'live' })
    const [record] = await listRecords(store)
    const key = { collection, id: String(record?.id) }
    await store.records.put(key, { body: new Uint8Array(3) }, 1)
    await service.deleteVault(caller, { vaultId })
    expect(await listRecords(store)).toEqual([])
  })

  it('leaves no record that eraseKeys does not delete', async () => {
    const inner = createMemoryStore()
    const store = createEncryptedStore(inner, { keys: createKeys() })
    const { own, service } = open(store)
    await service.createVault(caller, { vaultId, name: 'Acme' })
    // Another process saves while the vault is deleted.
    const late = createInterruptedStore(store, 'items/', 'before', () =>
      service.deleteVault(caller, { vaultId }),
    )
    await expect(open(late).own.save('stripe', { key: 'k' })).rejects.toThrow()
    await own.save('stripe', { key: 'k' }).catch(() => {})
    await store.eraseKeys({ scopes: [vaultId], backupsKeepThem: true })
    for (const name of [collection, `items/${vaultId}`])
      expect(await inner.records.list(name, { limit: 9 })).toEqual([])
  })
})

describe('collectGarbage and the item of a credential that cannot be read', () => {
  /** A vault with a credential, and another process whose reads of items are those of `get`. */
  async function createWorld(get: () => Promise<StoredRecord>) {
    const store = await createStore()
    await open(store).own.save('stripe', { key: 'k' })
    const { records, blobs } = store
    const isItem = (name: string): boolean => name === `items/${vaultId}`
    const other: VaultStore = {
      blobs,
      records: { ...records, get: (key) => (isItem(key.collection) ? get() : records.get(key)) },
    }
    return { store, service: open(other).service }
  }

  it('keeps the record when the item is damaged', async () => {
    const { store, service } = await createWorld(async () => {
      const id = await findItemId(vaultId, 'stripe', undefined)
      throw unreadableRecordError({ collection: `items/${vaultId}`, id, version: 1 })
    })
    await service.collectGarbage(caller, { vaultId })
    expect(await listRecords(store)).toHaveLength(1)
  })

  it('rejects and keeps the record when the store fails', async () => {
    const { store, service } = await createWorld(async () => {
      throw new Error('out of reach')
    })
    await expect(service.collectGarbage(caller, { vaultId })).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    })
    expect(await listRecords(store)).toHaveLength(1)
  })
})

describe('a record of a credential that cannot be read', () => {
  /** A vault with a credential whose record has these bytes. */
  async function createWorld(body: Uint8Array) {
    const store = await createStore()
    await open(store).own.save('stripe', { key: 'k' })
    const [record] = await listRecords(store)
    const key = { collection, id: String(record?.id) }
    await store.records.put(key, { body }, Number(record?.version))
    const onError = vi.fn()
    return { store, onError, ...open(store, { onError }) }
  }

  it('is replaced by collectGarbage when it is damaged and its item is gone', async () => {
    const { store, service, own, onError } = await createWorld(new Uint8Array(3))
    await service.collectGarbage(caller, { vaultId })
    expect(await listRecords(store)).toMatchObject([{ version: 2 }])
    await own.remove('stripe')
    await service.collectGarbage(caller, { vaultId })
    expect((await listRecords(store)).map(parse)).toEqual([tombstone])
    expect(onError).not.toHaveBeenCalled()
  })

  it('fails the list when it is encrypted and the service has no key', async () => {
    const { own } = await createWorld(Uint8Array.of(1, 0, 0, 1))
    await expect(own.list()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })
})
