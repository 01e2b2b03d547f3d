import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/core/operations.js'
import { createCredentials } from '../../src/credentials.js'
import { connectDialect } from '../../src/dialects/connect.js'
import { contractDialect } from '../../src/dialects/contract.js'
import { type Item, isVaultError } from '../../src/index.js'
import { createTokenKeeper, vaultGrants } from '../../src/oauth.js'
import { createItemRules, type ItemRules } from '../../src/rules.js'
import { itemSchema } from '../../src/schema/item.js'
import { parse } from '../../src/schema/parse.js'
import { createTestVault, type TestVault } from '../../src/testing.js'
import { arbitraryItemDraft } from '../support/arbitraries/item-drafts.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { arbitraryHostileString } from '../support/arbitraries/strings.js'
import { itemRef } from '../support/items/refs.js'
import { exampleInput, toCallRef } from '../support/service/operation-examples.js'
import { callOperation } from '../support/service/vault-calls.js'

const dialects = { contract: contractDialect, connect: connectDialect }

/** The operations that write an item. */
const writers = Object.values(operations).flatMap(({ name, activity }) =>
  activity?.[1] === 'ITEM' && activity[0] !== 'READ' ? [name] : [],
)

/** Returns all items of a vault, in any state. */
async function readItems({ store, vaultId }: TestVault): Promise<readonly Item[]> {
  const records = await store.records.list(`items/${vaultId}`, { limit: 99 })
  return records.flatMap(({ body }) => {
    const [, text = ''] = new TextDecoder().decode(body).split('\n')
    return text === '{}' ? [] : [JSON.parse(text)]
  })
}

describe('every stored item', () => {
  it.each(
    Object.entries(dialects).flatMap(([name, dialect]) =>
      writers.map((writer) => ({ writer, name, dialect })),
    ),
  )('obeys the rules of items after $writer in the $name dialect', async ({ writer, dialect }) => {
    const rules = createItemRules({ dialect })
    await fc.assert(
      fc.asyncProperty(
        arbitraryItemDraft(),
        arbitraryItemDraft(),
        fc.nat(),
        arbitraryHostileString(),
        async (first, second, index, text) => {
          const vault = await createTestVault({ dialect, history: { maxVersions: 2 } })
          const { service, caller, vaultId } = vault
          const own = { vault: { id: vaultId } }
          const ref = itemRef(vault)
          const { version } = vault.item
          await service.replaceItem(caller, { ...ref, item: { ...first, ...own } })
          const { fields } = await service.getItem(caller, ref)
          const field = fields[index % (fields.length || 1)]?.id ?? ''
          const draft = { ...second, ...own }
          const parts = { ...toCallRef(vault), version, field, text, draft }
          const call = callOperation(service, writer, caller, exampleInput(writer, parts))
          await call.catch(expectVaultError)
          for (const item of await readItems(vault)) expectValid(item, rules)
        },
      ),
      { numRuns: propertyRuns(100) },
    )
  })

  it('obeys the rules of items after a credential is saved and verified', async () => {
    const texts = fc.record({ key: arbitraryHostileString(), user: arbitraryHostileString() })
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), arbitraryHostileString(), async (values, is, title) => {
        const vault = await createTestVault()
        const { service, caller, vaultId } = vault
        const fields = { key: {}, user: { secret: false, label: title } }
        const kinds = { stripe: { fields, verify: async () => is } }
        const own = createCredentials(service, kinds).of(caller, vaultId)
        await own.save('stripe', values).catch(expectVaultError)
        await own.verify('stripe').catch(expectVaultError)
        for (const item of await readItems(vault)) expectValid(item, createItemRules())
      }),
      { numRuns: propertyRuns(200) },
    )
  })

  it('obeys the rules of items after an OAuth grant is saved and refreshed', async () => {
    const text = arbitraryHostileString()
    const grants = fc.record({ name: text, account: text, accessToken: text, refreshToken: text })
    await fc.assert(
      fc.asyncProperty(grants, fc.double(), text, async (grant, seconds, accessToken) => {
        const vault = await createTestVault()
        const { service, caller, vaultId, store } = vault
        const refresh = async () => ({ accessToken, expiresInSeconds: seconds })
        const grants = vaultGrants(service, caller)
        const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
        const ref = await grants
          .save(vaultId, { ...grant, expiresInSeconds: 0 })
          .catch(expectVaultError)
        if (ref !== undefined) await keeper.accessToken(ref, caller).catch(expectVaultError)
        await keeper.close()
        for (const item of await readItems(vault)) expectValid(item, createItemRules())
      }),
      { numRuns: propertyRuns(200) },
    )
  })
})

function expectVaultError(error: unknown): undefined {
  expect(error).toSatisfy(isVaultError)
}

/** Expects that the item has the stored form, and that its content could be created again. */
function expectValid(item: Item, rules: ItemRules): void {
  expect(parse(itemSchema, item)).toEqual(item)
  const { id: _, files: __, state: ___, ...draft } = item
  const created = rules.create(draft)
  expect(created.fields).toEqual(expect.arrayContaining(item.fields.map(withoutEntropy)))
}

/** The entropy of a value is known only where it is generated. */
function withoutEntropy({ entropy: _, ...field }: Item['fields'][number]): object {
  return field
}
