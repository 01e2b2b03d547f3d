import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { InvalidInputError, type Item } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestClock,
  createTestVault,
  type TestClock,
} from '../../src/testing.js'
import { anyClient, createJoinableStore } from '../support/stores/joinable-store.js'

describe('createTestVault with validateItem', () => {
  const refused = InvalidInputError.at('category', 'must be API_CREDENTIAL')
  const validateItem = ({ category }: Item): void => {
    if (category !== 'API_CREDENTIAL') throw refused
  }

  it('begins with a login that the rule refuses, and checks every change', async () => {
    const vault = await createTestVault({ validateItem })
    const { service, caller, vaultId, item } = vault
    const patch = [{ op: 'replace', path: '/title', value: 'New' }] as const
    const change = { vaultId, itemId: item.id, patch }
    await expect(service.patchItem(caller, change)).rejects.toBe(refused)
    await vault.reset()
    const copy = await vault.fork()
    await expect(copy.service.patchItem(caller, change)).rejects.toBe(refused)
  })

  it('passes the time by the clock of the vault', async () => {
    const times: string[] = []
    const vault = await createTestVault({
      now: createTestClock('2027-05-04T03:02:01.000Z'),
      validateItem: (_, { now }) => void times.push(now.toISOString()),
    })
    const { service, caller, vaultId, item, clock } = vault
    clock.advance(1000)
    const patch = [{ op: 'replace', path: '/title', value: 'New' }] as const
    const changed = await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    expect(times).toEqual(['2027-05-04T03:02:02.000Z'])
    expect(changed.updatedAt).toBe(times[0])
  })
})

describe('createTestVault with rules', () => {
  const seed = {
    vaults: [{ name: 'a', items: [{ category: 'LOGIN', tags: ['a', 'b'] }] }],
  } as const

  it.each([undefined, seed])('begins before the rules apply, with the seed %j', async (own) => {
    const operations: string[] = []
    const beforeCreateVault = vi.fn()
    const validateItem = vi.fn()
    const vault = await createTestVault({
      around(call, next) {
        operations.push(call.operation)
        return next()
      },
      ...{ beforeCreateVault, validateItem, limits: { tags: 1 } },
      ...(own && { seed: own }),
    })
    const { service, caller, vaultId, vaults } = vault
    expect(operations).toEqual([])
    expect(service.stats.storeErrors).toBe(0)
    const [item] = vaults[0]?.items ?? []
    const ref = { vaultId, itemId: item?.id ?? '' }
    expect((await service.getItem(caller, ref)).tags).toHaveLength(2)
    const patch = [{ op: 'add', path: '/title', value: 'New' }] as const
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toThrow('tags')
    await vault.reset()
    await service.createVault(caller, { name: 'Second' })
    expect(operations).toEqual(['getItem', 'patchItem', 'createVault'])
    expect(beforeCreateVault).toHaveBeenCalledTimes(1)
    expect(validateItem).not.toHaveBeenCalled()
  })

  it('rejects unknown attributes in a seed even when it is not strict', async () => {
    const items = [{ category: 'LOGIN', titel: 'Mail' }] as const
    const call = createTestVault({ strict: false, seed: { vaults: [{ name: 'a', items }] } })
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('createTestVault with a clock', () => {
  it('uses it for the service, for what it begins with and as its member', async () => {
    const now = createTestClock('2027-05-04T03:02:01.000Z')
    const { clock, service, item } = await createTestVault({ now })
    expect(clock).toBe(now)
    expect(item.createdAt).toBe('2027-05-04T03:02:01.000Z')
    now.advance(1000)
    expect(service.now().toISOString()).toBe('2027-05-04T03:02:02.000Z')
  })

  it('resets it, and gives a copy its own clock', async () => {
    const now = createTestClock('2027-05-04T03:02:01.000Z')
    const vault = await createTestVault({ now })
    now.advance(1000)
    const copy = await vault.fork()
    copy.clock.advance(5000)
    expect(copy.service.now().toISOString()).toBe('2027-05-04T03:02:07.000Z')
    expect(now().toISOString()).toBe('2027-05-04T03:02:02.000Z')
    await vault.reset()
    expect(now().toISOString()).toBe('2027-05-04T03:02:01.000Z')
  })

  it('rejects any other clock, which it could not move', async () => {
    const now = (() => new Date(0)) as TestClock
    await expect(createTestVault({ now })).rejects.toThrow(
      new TypeError('options.now must be the result of createTestClock'),
    )
  })
})

describe('createTestVault', () => {
  it('creates the same ids, times and generated values every time', async () => {
    const [left, right] = [await createTestVault(), await createTestVault()]
    expect(left.item).toEqual(right.item)
    expect(left.vaultId).toBe(right.vaultId)
    const { id } = left.item
    const patch = [{ op: 'add', path: '/fields/-', value: { id: 'new', generate: true } }] as const
    const [one, two] = await Promise.all(
      [left, right].map((vault) =>
        vault.service.patchItem(vault.caller, { vaultId: vault.vaultId, itemId: id, patch }),
      ),
    )
    expect(one).toEqual(two)
  })

  it('uses the default of an option that is undefined', async () => {
    const options = { store: undefined, now: undefined, randomBytes: undefined, seed: undefined }
    const sizes = { maxInlineFileSizeKb: undefined, strict: undefined }
    const retry = { sleep: undefined, maxAttempts: undefined }
    const vault = await createTestVault(
      { ...options, ...sizes, retry },
      { authenticate: undefined },
    )
    const usual = await createTestVault()
    expect([vault.item, vault.tokens]).toEqual([usual.item, usual.tokens])
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    const files = await vault.service.listFiles(vault.caller, { ...ref, inlineFiles: true })
    expect(files.map(({ content }) => content)).toEqual(['aGVsbG8=', undefined])
    const headers = { authorization: `Bearer ${vault.tokens.reader}` }
    expect((await vault.fetch('/v1/vaults', { headers })).status).toBe(200)
  })

  it('has a file that is inlined and one that is one byte too large', async () => {
    const { service, caller, vaultId, item, smallFile, largeFile } = await createTestVault()
    const inlined = (fileId: string) =>
      service.getFileDetails(caller, { vaultId, itemId: item.id, fileId, inlineFiles: true })
    expect((await inlined(smallFile.id)).content).toBe(btoa('hello'))
    await expect(inlined(largeFile.id)).rejects.toMatchObject({ status: 413 })
    expect(item.files).toEqual([smallFile, largeFile])
  })

  it('has a clock that only moves when advance is called', async () => {
    const { clock, service, caller, vaultId, item } = await createTestVault()
    clock.advance(1500)
    const patch = [{ op: 'replace', path: '/title', value: 'x' }] as const
    const { createdAt, updatedAt } = await service.patchItem(caller, {
      vaultId,
      itemId: item.id,
      patch,
    })
    expect([createdAt, updatedAt]).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.500Z'])
  })
})

describe('createTestVault with write conflicts', () => {
  it.each([
    [{}, 32],
    [{ maxAttempts: 3 }, 3],
  ] as const)('tries again without a timer with the options %j', async (retry, expected) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let attempts = 0
    const store = createFaultyStore(createMemoryStore(), ({ method, collection, nth }) => {
      if (method !== 'put' || collection !== 'vaults' || nth === 1) return undefined
      attempts++
      return 'conflict'
    })
    const { service, caller, vaultId } = await createTestVault({ store, retry })
    const update = service.updateVault(caller, { vaultId, name: 'Other' })
    await expect(update).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(attempts).toBe(expected)
  })
})

describe('createTestClock and createSeededRandomBytes', () => {
  it('start at the given time or seed', () => {
    expect(createTestClock('2020-02-02T02:02:02.002Z')().toISOString()).toBe(
      '2020-02-02T02:02:02.002Z',
    )
    expect(createSeededRandomBytes(7)(32)).toEqual(createSeededRandomBytes(7)(32))
    expect(createSeededRandomBytes(7)(32)).not.toEqual(createSeededRandomBytes(8)(32))
    expect(createSeededRandomBytes(0)(32)).toEqual(createSeededRandomBytes(1)(32))
  })

  it('return every byte', () => {
    expect(new Set(createSeededRandomBytes()(10_000)).size).toBe(256)
  })
})

describe('createFaultyStore', () => {
  const key = { collection: 'c', id: 'a' }
  const record = { body: new Uint8Array(1) }

  it('fails before a call, fails after it, returns a conflict, or succeeds', async () => {
    const inner = createMemoryStore()
    const faults = ['fail-before', 'fail-after', 'conflict', undefined] as const
    const { records } = createFaultyStore(inner, ({ index }) => faults[index])
    await expect(records.put(key, record, 0)).rejects.toThrow('the store fails')
    expect(await inner.records.get(key)).toBeUndefined()
    await expect(records.put(key, record, 0)).rejects.toThrow('the store fails')
    expect(await inner.records.get(key)).toMatchObject({ version: 1 })
    expect(await records.put(key, record, 1)).toBe(false)
    expect(await records.put(key, record, 1)).toBe(true)
  })

  it('fails the calls within a transaction when the store joins one', async () => {
    const { records } = createFaultyStore(createJoinableStore(createMemoryStore()), ({ method }) =>
      method === 'put' ? 'fail-before' : undefined,
    )
    const joined = records.inTransaction?.(anyClient)
    await expect(joined?.put(key, record, 0)).rejects.toThrow('the store fails')
    expect(await joined?.get(key)).toBeUndefined()
    expect(createFaultyStore(createMemoryStore(), () => undefined).records.inTransaction).toBe(
      undefined,
    )
  })

  it('returns a conflict only from put and delete of records', async () => {
    const { records, blobs } = createFaultyStore(createMemoryStore(), () => 'conflict')
    expect([await records.put(key, record, 0), await records.delete(key, 1)]).toEqual([
      false,
      false,
    ])
    expect([await records.get(key), await blobs.read('x'), await blobs.delete('x')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('passes the call with its index across both halves', async () => {
    const calls: unknown[] = []
    const store = createFaultyStore(createMemoryStore(), (call) => {
      calls.push(call)
      return undefined
    })
    await store.records.get(key)
    await store.blobs.read('x')
    expect(calls).toEqual([
      { store: 'records', method: 'get', collection: 'c', id: 'a', nth: 1, index: 0 },
      { store: 'blobs', method: 'read', id: 'x', nth: 1, index: 1 },
    ])
  })

  it('fails the n-th call of a method for a record, a blob or a list', async () => {
    const { records, blobs } = createFaultyStore(
      createMemoryStore(),
      ({ method, collection, id, nth }) =>
        (method === 'put' && id === 'a' && nth === 2) ||
        (method === 'list' && collection === 'c' && id === undefined && nth === 2) ||
        (method === 'delete' && collection === undefined && id === 'x' && nth === 1)
          ? 'fail-before'
          : undefined,
    )
    const failed = { message: 'the store fails' }
    expect(await records.put(key, record, 0)).toBe(true)
    expect(await records.put({ ...key, id: 'b' }, record, 0)).toBe(true)
    await expect(records.put(key, record, 1)).rejects.toMatchObject(failed)
    expect(await records.put(key, record, 1)).toBe(true)
    expect(await records.list('c', { limit: 9 })).toHaveLength(2)
    expect(await records.list('d', { limit: 9 })).toEqual([])
    await expect(records.list('c', { limit: 9 })).rejects.toMatchObject(failed)
    await expect(blobs.delete('x')).rejects.toMatchObject(failed)
    await blobs.delete('x')
    await records.delete({ ...key, id: 'x' }, 0)
  })

  it('wraps a store that is a class instance', async () => {
    class Records {
      readonly inner = createMemoryStore().records
      get(ref: typeof key) {
        return this.inner.get(ref)
      }
      put(...input: Parameters<typeof this.inner.put>) {
        return this.inner.put(...input)
      }
      delete(...input: Parameters<typeof this.inner.delete>) {
        return this.inner.delete(...input)
      }
      list(...input: Parameters<typeof this.inner.list>) {
        return this.inner.list(...input)
      }
    }
    const { records } = createFaultyStore(
      { ...createMemoryStore(), records: new Records() },
      () => undefined,
    )
    expect(await records.put(key, record, 0)).toBe(true)
    expect(await records.get(key)).toMatchObject({ version: 1 })
  })
})
