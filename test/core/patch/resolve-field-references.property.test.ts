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
import { caseNumbers, createDraw, type Draw, drawItem } from '../../support/arbitraries/items.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { pickSettable } from '../../support/items/patch-harness.js'

const caller = createCaller({ id: 'tester', vaults: '*' })

/** Calls `replaceItem` or `patchItem` with one form of a change. */
type ChangeForm = (service: VaultService, item: Item) => Promise<Item>

/** A change of one field, and perhaps of the sections, in every equivalent form. */
interface EquivalentForms {
  readonly forms: readonly ChangeForm[]
  /** The id of the field if the change is a mere reference, which must be accepted. */
  readonly referencedId?: string | undefined
}

const dialects = [
  { dialect: contractDialect, isNullAbsent: false },
  { dialect: connectDialect, isNullAbsent: true },
]

describe.each(dialects)('resolveFieldReferences in the $dialect.name dialect', (variant) => {
  it('returns the same item for PUT and every form of PATCH', async () => {
    const count = { accepted: 0, references: 0 }
    const law = fc.asyncProperty(caseNumbers, async (numbers) => {
      const created = await storedItem(variant.dialect, numbers)
      const draw = createDraw(numbers.toReversed())
      const { forms, referencedId } = equivalentForms(created.item, draw, variant)
      const outcomes = []
      for (const form of forms) {
        const { service, item } = await storedItem(variant.dialect, numbers)
        outcomes.push(await form(service, item).catch(ignoreInvalidInput))
      }
      const [first, ...others] = outcomes
      for (const other of others)
        if (!isDeepStrictEqual(other, first)) expect({ item: created.item, other }).toBe(first)
      if (first === undefined) return
      count.accepted += 1
      if (referencedId === undefined) return
      count.references += 1
      expect(withoutSection(first, referencedId)).toStrictEqual(
        withoutSection(created.item, referencedId),
      )
    })
    await fc.assert(law, { numRuns: propertyRuns(400) })
    expect(count.accepted).toBeGreaterThan(propertyRuns(120))
    expect(count.references).toBeGreaterThan(propertyRuns(100))
  })
})

/** Creates the item that the numbers determine, ids included, in a new store. */
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
  const item = await create(drawItem(createDraw(numbers))).catch(() =>
    create({ category: 'LOGIN' }),
  )
  return { service, item }
}

function equivalentForms(
  item: Item,
  draw: Draw,
  { isNullAbsent }: { readonly isNullAbsent: boolean },
): EquivalentForms {
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
  const exists = fields.some((field) => field.id === id)
  const next = fields.map((field) =>
    field.id === id ? reference : draw([field, field, { id: field.id }]),
  )
  const all = exists ? next : [...next, reference]
  const isDefinition = 'generate' in more || ('label' in more && more.label !== null)
  const referencedId = exists && !isDefinition ? id : undefined
  const fewer = draw([sections, sections, sections, [], sections.slice(1)])
  const body = { ...pickSettable(item), sections: fewer, fields: all }
  const put = replaceWith(body)
  const whole = patchWith(() => [
    { op: draw(['add', 'replace']), path: draw(['', '/']), value: body },
  ])
  if (fewer !== sections) {
    const steps = [
      { op: 'replace', path: '/sections', value: fewer },
      { op: 'replace', path: '/fields', value: all },
    ]
    // The connect dialect adds a section that another field names, so the steps differ there.
    const forms = isNullAbsent ? [put, whole] : [put, whole, patchWith(() => steps)]
    return { forms, referencedId }
  }
  const path = `/fields/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const value = draw([reference, { ...reference, id: undefined }])
  const single = [
    { op: 'replace', path, value },
    { op: 'add', path, value },
  ].filter(({ op }) => !(op === 'add' && path === '/fields/-'))
  return {
    forms: [
      put,
      whole,
      patchWith(() => [{ op: draw(['add', 'replace']), path: '/fields', value: all }]),
      // A missing field is added and replaced by different operations, unless it is a reference.
      ...(exists || !isDefinition ? single.map((operation) => patchWith(() => [operation])) : []),
    ],
    referencedId,
  }
}

function replaceWith(body: object): ChangeForm {
  return (service, { id: itemId, vault }) =>
    service.replaceItem(caller, {
      vaultId: vault.id,
      itemId,
      item: { ...body, vault } as ItemDraft,
    })
}

function patchWith(operations: () => readonly object[]): ChangeForm {
  const patch = operations() as never
  return (service, { id: itemId, vault }) =>
    service.patchItem(caller, { vaultId: vault.id, itemId, patch })
}

function ignoreInvalidInput(error: unknown): undefined {
  if (!(error instanceof InvalidInputError)) throw error
}

function withoutSection({ fields }: Item, id: string): object {
  const { section: _, ...field } = fields.find((each) => each.id === id) ?? { id }
  return field
}
