import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import {
  createCaller,
  createVaultService,
  InvalidInputError,
  type Item,
  type ItemDraft,
  type VaultService,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createSeededRandomBytes, createTestClock } from '../../../src/testing.js'
import { type Draw, drawItem, drawing, drawnNumbers } from '../../support/arbitraries/items.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { settable } from '../../support/items/patch-harness.js'

const caller = createCaller('tester', '*')

/** A change of an item: what is called, and with what. */
type Spelling = (service: VaultService, item: Item) => Promise<Item>

/** The change of one field, and perhaps of the sections, in every spelling that has one. */
interface Spelled {
  readonly spellings: readonly Spelling[]
  /** The field that is meant, if it is a mere reference that must be taken. */
  readonly kept?: string | undefined
}

const dialects = [
  { dialect: contractDialect, isNullAbsent: false },
  { dialect: connectDialect, isNullAbsent: true },
]

describe.each(dialects)('a reference to a field, in the $dialect.name dialect', (one) => {
  it('is the same in PUT and in every spelling of PATCH', { timeout: 120_000 }, async () => {
    const count = { taken: 0, kept: 0 }
    const law = fc.asyncProperty(drawnNumbers, async (numbers) => {
      const created = await storedItem(one.dialect, numbers)
      const { spellings, kept } = spelled(created.item, drawing(numbers.toReversed()), one)
      const outcomes = []
      for (const spelling of spellings) {
        const { service, item } = await storedItem(one.dialect, numbers)
        outcomes.push(await spelling(service, item).catch(refused))
      }
      const [first, ...others] = outcomes
      for (const other of others)
        if (!isDeepStrictEqual(other, first)) expect({ item: created.item, other }).toBe(first)
      if (first === undefined) return
      count.taken += 1
      if (kept === undefined) return
      count.kept += 1
      expect(withoutSection(first, kept)).toStrictEqual(withoutSection(created.item, kept))
    })
    await fc.assert(law, { numRuns: propertyRuns(4000) })
    expect(count.taken).toBeGreaterThan(propertyRuns(1500))
    expect(count.kept).toBeGreaterThan(propertyRuns(1000))
  })
})

/** Always the same item for the same numbers, its ids too, in a store of its own. */
async function storedItem(
  dialect: (typeof dialects)[number]['dialect'],
  numbers: readonly number[],
): Promise<{ readonly service: VaultService; readonly item: Item }> {
  const service = createVaultService({
    store: createMemoryStore(),
    randomBytes: createSeededRandomBytes(),
    now: createTestClock(),
    dialect,
  })
  const { id: vaultId } = await service.createVault(caller, { name: 'Vault' })
  const create = (draft: object) =>
    service.createItem(caller, {
      vaultId,
      item: { ...draft, vault: { id: vaultId } } as ItemDraft,
    })
  const item = await create(drawItem(drawing(numbers))).catch(() => create({ category: 'LOGIN' }))
  return { service, item }
}

function spelled(
  item: Item,
  draw: Draw,
  { isNullAbsent }: { readonly isNullAbsent: boolean },
): Spelled {
  const { fields, sections } = item
  const id = draw([...fields.map((field) => field.id), ...fields.map((field) => field.id), 'lost'])
  const section = draw<object>([
    ...Array(8).fill({}),
    ...sections.map((each) => ({ section: { id: each.id } })),
    { section: {} },
    { section: { id: 'new' } },
    { section: 5 },
    { section: null },
  ])
  const more = draw<object>([
    ...Array(16).fill({}),
    { colour: 'red' },
    { entropy: 7 },
    { entropy: 'x' },
    { label: null },
    { type: null, value: null, purpose: null, generate: null, recipe: null, entropy: null },
    { type: '' },
    { label: 'A definition', type: 'URL' },
    { generate: true },
  ])
  const reference = { id, ...section, ...more }
  const isThere = fields.some((field) => field.id === id)
  const next = fields.map((field) =>
    field.id === id ? reference : draw([field, field, { id: field.id }]),
  )
  const all = isThere ? next : [...next, reference]
  const isDefinition = 'generate' in more || ('label' in more && more.label !== null)
  const kept = isThere && !isDefinition ? id : undefined
  const fewer = draw([sections, sections, sections, [], sections.slice(1)])
  const body = { ...settable(item), sections: fewer, fields: all }
  const put = putting(body)
  const whole = patching(() => [
    { op: draw(['add', 'replace']), path: draw(['', '/']), value: body },
  ])
  if (fewer !== sections) {
    const steps = [
      { op: 'replace', path: '/sections', value: fewer },
      { op: 'replace', path: '/fields', value: all },
    ]
    // In the connect dialect a section that another field names is there again.
    return { spellings: isNullAbsent ? [put, whole] : [put, whole, patching(() => steps)], kept }
  }
  const path = `/fields/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const value = draw([reference, { ...reference, id: undefined }])
  const alone = [
    { op: 'replace', path, value },
    { op: 'add', path, value },
  ].filter(({ op }) => !(op === 'add' && path === '/fields/-'))
  return {
    spellings: [
      put,
      whole,
      patching(() => [{ op: draw(['add', 'replace']), path: '/fields', value: all }]),
      // A field that is not there is added by another operation than it is replaced by, unless it is a reference.
      ...(isThere || !isDefinition ? alone.map((operation) => patching(() => [operation])) : []),
    ],
    kept,
  }
}

function putting(body: object): Spelling {
  return (service, { id: itemId, vault }) =>
    service.replaceItem(caller, {
      vaultId: vault.id,
      itemId,
      item: { ...body, vault } as ItemDraft,
    })
}

function patching(operations: () => readonly object[]): Spelling {
  const patch = operations() as never
  return (service, { id: itemId, vault }) =>
    service.patchItem(caller, { vaultId: vault.id, itemId, patch })
}

function refused(error: unknown): undefined {
  if (!(error instanceof InvalidInputError)) throw error
}

function withoutSection({ fields }: Item, id: string): object {
  const { section: _, ...field } = fields.find((each) => each.id === id) ?? { id }
  return field
}
