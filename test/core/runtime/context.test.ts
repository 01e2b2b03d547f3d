import { describe, expect, it } from 'vitest'
import { contractDialect } from '../../../src/dialects/contract.js'
import {
  createCaller,
  createVaultService,
  type Dialect,
  type VaultServiceOptions,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { invalid } from '../../support/service/rejections.js'
import { useVirtualTime } from '../../support/virtual-time.js'

const caller = createCaller({ id: 'tester', vaults: '*' })

describe('createContext', () => {
  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '100', null])(
    'throws when maxInlineFileSizeKb is %s',
    (value) => {
      const options = { store: createMemoryStore(), maxInlineFileSizeKb: value as number }
      const Wrong = typeof value === 'number' ? RangeError : TypeError
      expect(() => createVaultService(options)).toThrow(
        new Wrong('options.maxInlineFileSizeKb must be a whole number of 0 or more'),
      )
    },
  )

  it('uses the default of every limit that is not set', async () => {
    const { service, vaultId } = await createTestVault({ limits: { tags: 2 } })
    const create = (tags: number, sections: number) =>
      service.createItem(caller, {
        vaultId,
        item: noteDraft(vaultId, {
          tags: Array(tags).fill('t'),
          sections: Array(sections).fill({}),
        }),
      })
    await expect(create(3, 0)).rejects.toMatchObject(
      invalid('tags must be at most 2 elements long'),
    )
    await expect(create(2, 101)).rejects.toMatchObject(
      invalid('sections must be at most 100 elements long'),
    )
    expect(await create(2, 100)).toMatchObject({ tags: ['t', 't'] })
  })

  it('requires only a store and defaults to the system clock and random ids', async () => {
    const options: VaultServiceOptions = { store: createMemoryStore() }
    const service = createVaultService(options)
    const start = Date.now()
    const one = await service.createVault(caller, { name: 'One' })
    const two = await service.createVault(caller, { name: 'Two' })
    expect(one.id).not.toBe(two.id)
    expect(Date.parse(one.createdAt)).toBeGreaterThanOrEqual(start)
    expect(Date.parse(one.createdAt)).toBeLessThanOrEqual(Date.now())
    expect(one.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it.each([
    ['in the year 58860', 1_795_303_391_000_000],
    ['in a year before 0', -62_167_219_200_001],
    ['that is invalid', Number.NaN],
  ])('rejects writes and allows reads when the clock returns a time %s', async (_, time) => {
    const { store, vaultId, item } = await createTestVault()
    const service = createVaultService({ store, now: () => new Date(time) })
    const [ref, draft] = [{ vaultId, itemId: item.id }, noteDraft(vaultId)]
    const patch = [{ op: 'replace' as const, path: '/title', value: 'Later' }]
    for (const change of [
      service.createVault(caller, { name: 'Later' }),
      service.createItem(caller, { vaultId, item: draft }),
      service.replaceItem(caller, { ...ref, item: draft }),
      service.patchItem(caller, { ...ref, patch }),
      service.attachFile(caller, { ...ref, name: 'f', content: new Uint8Array(1) }),
    ])
      await expect(change).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
        message: 'the clock is not within the years 0000 to 9999',
      })
    expect(await service.getItem(caller, ref)).toEqual(item)
    expect(await service.listItems(caller, { vaultId })).toHaveLength(1)
    expect(await service.listVaults(caller)).toHaveLength(1)
  })

  it.each([-62_167_219_200_000, 253_402_300_799_999])(
    'accepts a clock at the first or last moment of the years 0000 to 9999 (%d)',
    async (time) => {
      const { store, vaultId } = await createTestVault()
      const service = createVaultService({ store, now: () => new Date(time) })
      const created = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      expect(created.createdAt).toBe(new Date(time).toISOString())
      expect(await service.getItem(caller, { vaultId, itemId: created.id })).toEqual(created)
    },
  )

  it('limits the wait for earlier changes to twice storeTimeoutMs', async () => {
    useVirtualTime()
    const vault = await createTestVault()
    const { vaultId, item } = vault
    const { records, blobs } = vault.store
    const store = { blobs, records: { ...records, put: () => new Promise<never>(() => {}) } }
    const service = createVaultService({ store, storeTimeoutMs: 100 })
    const startedAt = performance.now()
    const patch = [{ op: 'replace' as const, path: '/title', value: 'Later' }]
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, () =>
        service.patchItem(caller, { vaultId, itemId: item.id, patch }),
      ),
    )
    expect(outcomes).toMatchObject(Array(40).fill({ reason: { code: 'STORAGE_UNAVAILABLE' } }))
    // 4,000 if each change waited for the store in turn.
    expect(performance.now() - startedAt).toBeLessThanOrEqual(300)
    expect(service.stats.storeErrors).toBeLessThan(5)
  })

  it('parses bodies with the dialect', async () => {
    const { store, vaultId } = await createTestVault()
    const upperCaseDialect: Dialect = {
      ...contractDialect,
      parseItem: (body, ref) => {
        const item = contractDialect.parseItem(body, ref)
        return { ...item, title: item.title?.toUpperCase() }
      },
    }
    const service = createVaultService({ store, dialect: upperCaseDialect })
    const item = noteDraft(vaultId, { title: 'upper' })
    expect(await service.createItem(caller, { vaultId, item })).toMatchObject({ title: 'UPPER' })
  })
})
