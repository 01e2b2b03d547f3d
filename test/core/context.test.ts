import { describe, expect, it } from 'vitest'
import { contractDialect } from '../../src/dialects/contract.js'
import {
  createVaultService,
  type Dialect,
  grant,
  type VaultServiceOptions,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault, noteDraft } from '../../src/testing/index.js'
import { invalid } from '../support/refusals.js'

const caller = grant('tester', '*')

describe('the options of a vault service', () => {
  it.each([-1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, '100', null])(
    'maxInlineFileSizeKb is not %s',
    (value) => {
      const options = { store: createMemoryStore(), maxInlineFileSizeKb: value as number }
      expect(() => createVaultService(options)).toThrow(
        new RangeError('maxInlineFileSizeKb must be 0 or more'),
      )
    },
  )

  it.each(['fields', 'sections', 'urls', 'tags', 'stringBytes', 'patchOperations', 'depth'])(
    'the limit of %s is a whole number, 0 or more',
    (name) => {
      const create = (value: unknown) =>
        createVaultService({ store: createMemoryStore(), limits: { [name]: value } })
      for (const value of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null]) {
        expect(() => create(value)).toThrow(RangeError)
      }
      expect(() => create(0)).not.toThrow()
    },
  )

  it('takes a limit that is given and the default for the others', async () => {
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

  it('needs no more than a store: the clock is the system, ids are random', async () => {
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

  it('reads bodies as the dialect says', async () => {
    const { store, vaultId } = await createTestVault()
    const loud: Dialect = {
      ...contractDialect,
      readItem: (body, place) => {
        const item = contractDialect.readItem(body, place)
        return { ...item, title: item.title?.toUpperCase() }
      },
    }
    const service = createVaultService({ store, dialect: loud })
    const item = noteDraft(vaultId, { title: 'loud' })
    expect(await service.createItem(caller, { vaultId, item })).toMatchObject({ title: 'LOUD' })
  })
})
