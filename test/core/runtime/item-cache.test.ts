import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { createItemCache, isSameRecord } from '../../../src/core/runtime/item-cache.js'
import { createVaultService, type VaultServiceOptions } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { storedItem } from '../../support/items/item-builders.js'
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

  const ref = (itemId: string) => ({ vaultId: storedItem().vault.id, itemId })
  const stored = (id: string) => ({ item: { ...storedItem(), id }, header: '{}', text: '{}' })
  const body = new Uint8Array(8)
  const [one, other] = ['a'.repeat(26), 'b'.repeat(26)] as const

  it('keeps an item from its second write on, and returns it once', () => {
    const items = createItemCache({ items: 16 })
    items.add(stored(one), body)
    expect(items.take(ref(one))).toBeUndefined()
    items.add(stored(one), body)
    const { version } = storedItem()
    expect(items.take(ref(one))).toEqual({ stored: stored(one), record: { version, body } })
    expect(items.take(ref(one))).toBeUndefined()
  })

  it('does not return an item when the vault is another one', () => {
    const items = createItemCache({ items: 16 })
    for (const _ of [1, 2]) items.add(stored(one), body)
    expect(items.take({ vaultId: 'z'.repeat(26), itemId: one })).toBeUndefined()
  })

  it('keeps at most `items` items', () => {
    const items = createItemCache({ items: 1 })
    for (const id of [one, one, other]) items.add(stored(id), body)
    expect(items.take(ref(other))).toBeUndefined()
    for (const id of [other, other]) items.add(stored(id), body)
    expect(items.take(ref(one))).toBeUndefined()
    expect(items.take(ref(other))?.stored.item.id).toBe(other)
  })

  it('does not keep an item when its record has more than maxRecordBytes', () => {
    const items = createItemCache({ items: 16, maxRecordBytes: 8 })
    for (const _ of [1, 2]) items.add(stored(one), new Uint8Array(9))
    expect(items.take(ref(one))).toBeUndefined()
    items.add(stored(one), body)
    expect(items.take(ref(one))).toBeDefined()
  })

  it('is empty after clear', () => {
    const items = createItemCache({ items: 16 })
    for (const _ of [1, 2]) items.add(stored(one), body)
    items.clear()
    expect(items.take(ref(one))).toBeUndefined()
    items.add(stored(one), body)
    expect(items.take(ref(one))).toBeUndefined()
  })
})

describe('isSameRecord', () => {
  const record = { version: 2, body: Uint8Array.of(1, 2) }
  it.each([
    ['true when bytes and version are equal', { version: 2, body: Uint8Array.of(1, 2) }, true],
    ['true when it is the same record', record, true],
    ['false when the version differs', { ...record, version: 3 }, false],
    ['false when a byte differs', { version: 2, body: Uint8Array.of(1, 3) }, false],
    ['false when the length differs', { version: 2, body: Uint8Array.of(1) }, false],
  ])('returns %s', (_, other, expected) => {
    expect(isSameRecord(record, other)).toBe(expected)
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
