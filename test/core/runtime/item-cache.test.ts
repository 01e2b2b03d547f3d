import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { createItemCache } from '../../../src/core/runtime/item-cache.js'
import { createVaultService, type VaultServiceOptions } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const cache = { items: 16 }
const rename = [{ op: 'replace', path: '/title', value: 'New' }] as const

/** Returns the calls of the store that a call makes. */
async function callsOf(
  options: Partial<VaultServiceOptions>,
  call: (vault: TestVault) => Promise<unknown>,
): Promise<readonly string[]> {
  const store = createRecordingStore()
  const vault = await createTestVault({ cache, ...options, store })
  store.calls.length = 0
  await call(vault)
  return store.calls
}

const patchItem = ({ service, caller, ...vault }: TestVault) =>
  service.patchItem(caller, { ...itemRef(vault), patch: rename })

describe('createItemCache', () => {
  it.each([0, -1, 1.5, Number.NaN, '1', null, undefined])(
    'throws RangeError when items is %s',
    (items) => {
      expect(() =>
        createVaultService({ store: createMemoryStore(), cache: { items: items as number } }),
      ).toThrow(new RangeError('cache.items must be an integer of 1 or more'))
    },
  )

  it.each([0, -1, Number.NaN, 'x', null])(
    'throws RangeError when maxRecordBytes is %s',
    (bytes) => {
      const options = { items: 1, maxRecordBytes: bytes as number }
      expect(() => createItemCache(options)).toThrow(
        new RangeError('cache.maxRecordBytes must be 1 or more'),
      )
    },
  )

  const keyOf = (id: string) => ({ collection: 'items/one', id })
  const record = 'a record'
  const [one, other] = [keyOf('a'.repeat(26)), keyOf('b'.repeat(26))] as const

  it('returns a record once', () => {
    const items = createItemCache({ items: 16 })
    items.add(one, record, 8)
    expect(items.take(one)).toBe(record)
    expect(items.take(one)).toBeUndefined()
  })

  it('does not return a record when the collection is another one', () => {
    const items = createItemCache({ items: 16 })
    items.add(one, record, 8)
    expect(items.take({ ...one, collection: 'items/other' })).toBeUndefined()
    expect(items.take(one)).toBe(record)
  })

  it('keeps at most `items` records', () => {
    const items = createItemCache({ items: 1 })
    items.add(one, record, 8)
    items.add(other, record, 8)
    expect(items.take(one)).toBeUndefined()
    expect(items.take(other)).toBe(record)
  })

  it('does not keep a record when it has more than maxRecordBytes', () => {
    const items = createItemCache({ items: 16, maxRecordBytes: 8 })
    items.add(one, record, 9)
    expect(items.take(one)).toBeUndefined()
    items.add(one, record, 8)
    expect(items.take(one)).toBe(record)
  })

  it('is empty after clear', () => {
    const items = createItemCache({ items: 16 })
    items.add(one, record, 8)
    items.clear()
    expect(items.take(one)).toBeUndefined()
  })
})

describe('updateItem with a cache', () => {
  it('patches an item with one call of the store when no other process has written it', async () => {
    expect(await callsOf({}, patchItem)).toEqual(['records.put'])
  })

  it.each<[string, Partial<VaultServiceOptions>, readonly string[]]>([
    ['there is an activity log', { activity: createMemoryActivityLog() }, ['get', 'put']],
    ['versions are kept', { history: { maxVersions: 1 } }, ['get', 'put', 'put', 'list', 'delete']],
  ])('reads the item first when %s', async (_, options, methods) => {
    expect(await callsOf(options, patchItem)).toEqual(methods.map((name) => `records.${name}`))
  })

  it('reads the item after a refused put, and counts no conflict', async () => {
    const store = createRecordingStore()
    const vault = await createTestVault({ cache, store, retry: { maxAttempts: 1 } })
    const { version } = await patchItem({ ...vault, service: createVaultService({ store }) })
    store.calls.length = 0
    const patched = await patchItem(vault)
    expect([patched.version, store.calls, vault.service.stats.writeConflicts]).toEqual([
      version + 1,
      ['records.put', 'records.get', 'records.put'],
      0,
    ])
  })

  it.each<[string, (vault: TestVault) => Promise<unknown>, object]>([
    [
      'another version is required',
      ({ service, caller, ...vault }) =>
        service.patchItem(caller, { ...itemRef(vault), patch: rename, ifVersion: 2 }),
      { status: 412 },
    ],
    [
      'the path does not exist',
      ({ service, caller, ...vault }) =>
        service.patchItem(caller, {
          ...itemRef(vault),
          patch: [{ op: 'remove', path: '/tags/9' }],
        }),
      { status: 400 },
    ],
  ])('refuses a change only after a read when %s', async (_, call, error) => {
    const refused = (vault: TestVault) => expect(call(vault)).rejects.toMatchObject(error)
    expect(await callsOf({}, refused)).toEqual(['records.get'])
  })

  it('forgets an item when it is deleted', async () => {
    const calls = await callsOf({}, async ({ service, caller, ...vault }) => {
      await service.deleteItem(caller, itemRef(vault))
      await expect(patchItem({ service, caller, ...vault })).rejects.toMatchObject({ status: 404 })
    })
    expect(calls.at(-1)).toBe('records.get')
  })

  it('emits an event for a change without a read', async () => {
    const types: unknown[] = []
    await callsOf({}, async (vault) => {
      vault.service.on('item.updated', ({ version }) => types.push(version))
      await patchItem(vault)
    })
    expect(types).toEqual([4])
  })
})
