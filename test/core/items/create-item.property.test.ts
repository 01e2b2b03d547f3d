import { connectDialect } from 'cofferkit/connect'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestVault } from '../../../src/testing.js'
import { arbitraryItemDraft } from '../../support/arbitraries/item-drafts.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { arbitraryHostileString } from '../../support/arbitraries/strings.js'

const numRuns = propertyRuns(200)

describe('createItem', () => {
  it.each([undefined, connectDialect])(
    'stores every valid draft in a strict service when the dialect is %o',
    async (dialect) => {
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
    },
  )

  it('stores any string unchanged as a title, a tag, a label and a value', async () => {
    const { service, caller, vaultId } = await createTestVault()
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
