import { formatFilter, isVaultError } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import {
  arbitraryFilter,
  arbitraryHostileString,
  arbitraryId,
  arbitraryInvalidFilter,
  arbitraryInvalidId,
  arbitraryInvalidItemDraft,
  arbitraryInvalidPatch,
  arbitraryInvalidString,
  arbitraryItemDraft,
  arbitraryPatch,
} from 'cofferkit/testing/arbitraries'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { isFileId, isId } from '../../../src/schema/ids.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const numRuns = propertyRuns(2000)
let vault: TestVault

beforeEach(async () => {
  vault = await createTestVault()
})

/** Requires that a call rejects with InvalidInputError. */
async function expectInvalid(call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(isVaultError(error) && error.code).toBe('INVALID_INPUT')
}

describe('arbitraryItemDraft', () => {
  it.each([undefined, connectDialect])('is accepted when the dialect is %o', async (dialect) => {
    const options = { ...(dialect && { dialect }), strict: true }
    const { service, caller, vaultId } = await createTestVault(options)
    await fc.assert(
      fc.asyncProperty(arbitraryItemDraft(), async (item) => {
        const { fields, title } = await service.createItem(caller, { vaultId, item })
        expect(title).toBe(item.title)
        for (const [index, { value }] of (item.fields ?? []).entries())
          if (value) expect(fields[index]?.value).toBe(value)
      }),
      { numRuns },
    )
  })

  it('has every category, values, generated values, sections and purposes', () => {
    const drafts = fc.sample(arbitraryItemDraft(), 1000)
    expect(new Set(drafts.map(({ category }) => category)).size).toBe(22)
    const fields = drafts.flatMap((draft) => draft.fields ?? [])
    expect(fields.some(({ value }) => value)).toBe(true)
    expect(fields.some(({ generate }) => generate)).toBe(true)
    expect(fields.some(({ section }) => section)).toBe(true)
    expect(new Set(fields.map(({ purpose }) => purpose)).size).toBe(5)
  })
})

describe('arbitraryInvalidItemDraft', () => {
  it('is rejected, and nothing is stored', async () => {
    const { service, caller, vaultId } = vault
    await fc.assert(
      fc.asyncProperty(arbitraryInvalidItemDraft(), (item) =>
        expectInvalid(service.createItem(caller, { vaultId, item: item as never })),
      ),
      { numRuns },
    )
    expect(await service.listItems(caller, { vaultId })).toHaveLength(1)
  })
})

describe('arbitraryPatch', () => {
  it('is applied to any item', async () => {
    const { service, caller, vaultId } = vault
    await fc.assert(
      fc.asyncProperty(arbitraryItemDraft(), fc.gen(), async (draft, draw) => {
        await vault.reset()
        const item = await service.createItem(caller, { vaultId, item: draft })
        const patch = draw(arbitraryPatch, item)
        const input = { vaultId, itemId: item.id, patch }
        expect((await service.patchItem(caller, input)).version).toBe(2)
      }),
      { numRuns },
    )
  })

  it('throws TypeError without an item', () => {
    expect(() => arbitraryPatch(undefined as never)).toThrow(TypeError)
  })
})

describe('arbitraryPatch in a property that fails', () => {
  it('is shrunk in a limited number of steps', async () => {
    const { service, caller, vaultId } = vault
    const property = fc.asyncProperty(arbitraryItemDraft(), fc.gen(), async (draft, draw) => {
      await vault.reset()
      const item = await service.createItem(caller, { vaultId, item: draft })
      const patch = draw(arbitraryPatch, item)
      return patch.every(({ path }) => path !== '/favorite')
    })
    const { counterexample, numShrinks } = await fc.check(property, { numRuns: 300, seed: 7 })
    const [draft, draw] = counterexample ?? []
    expect(JSON.stringify(draft).length).toBeLessThan(200)
    const [patch] = draw?.values() ?? []
    expect(patch).toContainEqual({ op: 'add', path: '/favorite', value: false })
    expect(numShrinks).toBeLessThan(1000)
  })
})

describe('arbitraryInvalidPatch', () => {
  it('is rejected, and changes nothing', async () => {
    const { service, caller, vaultId } = vault
    await fc.assert(
      fc.asyncProperty(arbitraryItemDraft(), fc.gen(), async (draft, draw) => {
        await vault.reset()
        const item = await service.createItem(caller, { vaultId, item: draft })
        const ref = { vaultId, itemId: item.id }
        const patch = draw(arbitraryInvalidPatch, item)
        await expectInvalid(service.patchItem(caller, { ...ref, patch: patch as never }))
        expect(await service.getItem(caller, ref)).toEqual(item)
      }),
      { numRuns },
    )
  })
})

describe('arbitraryFilter', () => {
  it('is accepted by lists', async () => {
    const { service, caller, vaultId } = vault
    await fc.assert(
      fc.asyncProperty(arbitraryFilter(), async (filter) => {
        await service.listItems(caller, { vaultId, filter: formatFilter(filter) })
      }),
      { numRuns },
    )
  })
})

describe('arbitraryInvalidFilter', () => {
  it('is rejected by lists', async () => {
    const { service, caller, vaultId } = vault
    await fc.assert(
      fc.asyncProperty(arbitraryInvalidFilter(), (filter) =>
        expectInvalid(service.listItems(caller, { vaultId, filter })),
      ),
      { numRuns },
    )
  })
})

describe('arbitraryId and arbitraryInvalidId', () => {
  it('are ids, and are not', () => {
    fc.assert(
      fc.property(arbitraryId(), (id) => isId(id) && isFileId(id)),
      { numRuns },
    )
    fc.assert(
      fc.property(arbitraryInvalidId(), (id) => !isId(id) && !isFileId(id)),
      { numRuns },
    )
  })
})

describe('arbitraryHostileString', () => {
  it('is stored unchanged as a title, a tag, a label and a value', async () => {
    const { service, caller, vaultId } = vault
    await fc.assert(
      fc.asyncProperty(arbitraryHostileString(), async (text) => {
        const fields = [{ id: 'a', label: text, value: text }]
        const draft = { category: 'LOGIN', title: text, tags: [text], fields } as const
        const { id: itemId } = await service.createItem(caller, { vaultId, item: draft })
        expect(await service.getItem(caller, { vaultId, itemId })).toMatchObject(draft)
      }),
      { numRuns },
    )
  })
})

describe('arbitraryInvalidString', () => {
  it('is rejected as a title', async () => {
    const { service, caller, vaultId } = vault
    await fc.assert(
      fc.asyncProperty(arbitraryInvalidString(), (title) => {
        const item = { category: 'LOGIN', title } as const
        return expectInvalid(service.createItem(caller, { vaultId, item }))
      }),
      { numRuns },
    )
  })
})
