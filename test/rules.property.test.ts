import { connectDialect } from 'cofferkit/connect'
import { createItemRules, type ItemRules, type ItemRulesOptions } from 'cofferkit/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invalidInputError } from '../src/base/fixed-errors.js'
import { formatHeader, itemKey } from '../src/core/records/item-record.js'
import { encodeText } from '../src/core/records/stored-json.js'
import { contractDialect } from '../src/dialects/contract.js'
import {
  createCaller,
  createVaultService,
  ForbiddenError,
  InvalidInputError,
  type Item,
  type ItemDraft,
  isVaultError,
  type PatchOperation,
  type VaultService,
} from '../src/index.js'
import { itemSchema } from '../src/schema/item.js'
import { createMemoryStore } from '../src/storage/memory.js'
import { createSeededRandomBytes, createTestClock } from '../src/testing.js'
import { itemBody, patchBody } from './support/arbitraries/bodies.js'
import { caseNumbers, createDraw, drawItem } from './support/arbitraries/items.js'
import { drawPatch } from './support/arbitraries/patches.js'
import { propertyRuns } from './support/arbitraries/property-runs.js'
import { itemId, storedItem, vaultId } from './support/items/item-builders.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const operations = ['create', 'replace', 'patch'] as const

/** A call of one of the functions, on an item that `create` ignores. */
interface RulesCase {
  readonly operation: (typeof operations)[number]
  readonly item: Item
  readonly body: unknown
  readonly options: ItemRulesOptions
  readonly seed: number
}

/** A rule that rejects some items, and some changes. */
function validateItem(item: Item, { before }: { readonly before: Item | undefined }): void {
  if (item.tags.includes('work') && item.title === undefined)
    throw InvalidInputError.at('title', 'must name the work')
  if (before !== undefined && before.category !== item.category)
    throw new ForbiddenError('the category stays')
}

const arbitraryOptions: fc.Arbitrary<ItemRulesOptions> = fc.record(
  {
    dialect: fc.constantFrom(contractDialect, connectDialect),
    strict: fc.boolean(),
    limits: fc.constantFrom({}, { fields: 2, tags: 1 }, { stringBytes: 8 }, { itemBytes: 300 }),
    validateItem: fc.constant(validateItem),
  },
  { requiredKeys: ['dialect'], noNullPrototype: true },
)

/** An item as it is stored, of any state but `DELETED`, with a file and a field of a foreign type. */
const arbitraryItem: fc.Arbitrary<Item> = fc
  .tuple(caseNumbers, fc.constantFrom(1, 2, 41), fc.constantFrom(undefined, undefined, 'ARCHIVED'))
  .map(([numbers, version, state]) => {
    const content = drawn(numbers)
    const file = {
      id: 'f'.repeat(26),
      name: 'a',
      size: 1,
      content_path: '/v1/f',
      section: { id: 'more' },
    }
    const item = storedItem({
      ...content,
      id: itemId,
      version,
      fields: [...content.fields, { id: 'foreign', type: 'FOREIGN', value: 'x' }],
      files: content.sections.length === 0 ? [] : [file],
      ...(state === 'ARCHIVED' && { state }),
    })
    // In the order in which the vault stores it.
    return itemSchema.parse(item)
  })

/** Returns the stored form of a drawn item, with nothing in it if it is invalid. */
function drawn(numbers: readonly number[]): Item {
  const draft = { vault: { id: vaultId }, ...drawItem(createDraw(numbers)) }
  try {
    return createItemRules({ randomBytes: createSeededRandomBytes() }).create(draft as never)
  } catch {
    return storedItem()
  }
}

/** Parts of a draft that refer to a stored field, or that need new ids and values. */
const arbitraryParts = fc.constantFrom(
  {},
  { fields: [{ id: 'foreign' }] },
  { fields: [{ generate: true }, { generate: true }], sections: [{ label: 'New' }] },
)

const arbitraryDraft: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: itemBody, weight: 4 },
  {
    arbitrary: fc
      .tuple(caseNumbers, arbitraryParts)
      .map(([numbers, parts]) => ({ ...drawItem(createDraw(numbers)), ...parts })),
    weight: 4,
  },
  { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
)

const arbitraryCase: fc.Arbitrary<RulesCase> = fc
  .record({
    operation: fc.constantFrom(...operations),
    item: arbitraryItem,
    options: arbitraryOptions,
    seed: fc.nat(),
  })
  .chain((call) => {
    const body =
      call.operation === 'patch'
        ? fc.oneof(
            fc.constant([]),
            patchBody,
            caseNumbers.map((numbers) => drawPatch({ ...call.item }, createDraw(numbers), 4)),
            caseNumbers.map((numbers) => drawPatch({ ...call.item }, createDraw(numbers), 1)),
          )
        : arbitraryDraft.map((draft) => withVault(draft))
    return body.map((each) => ({ ...call, body: each }))
  })

/** The rules take the vault from the draft, where the service can complete it. */
function withVault(draft: unknown): unknown {
  const isObject = typeof draft === 'object' && draft !== null && !Array.isArray(draft)
  return isObject ? { ...draft, vault: { id: vaultId } } : draft
}

/** The result of a call, in the order of its members; or what the error says. */
async function outcomeOf(call: () => Item | Promise<Item>): Promise<string> {
  try {
    return JSON.stringify(await call())
  } catch (error) {
    if (!isVaultError(error)) throw error
    const { name, code, message } = error
    return JSON.stringify({ name, code, message, issues: Reflect.get(error, 'issues') })
  }
}

/** Returns a service whose store has the vault and the item. */
async function serviceWith({ item, options, seed }: RulesCase): Promise<VaultService> {
  const store = createMemoryStore()
  const setUp = createVaultService({ store })
  await setUp.createVault(caller, { vaultId, name: 'Vault' })
  const body = encodeText(`${formatHeader(item, {})}\n${JSON.stringify(item)}`)
  for (let version = 0; version < item.version; version++)
    await store.records.put(itemKey({ vaultId, itemId }), { body }, version)
  return createVaultService({ ...options, store, ...sameEveryTime(seed) })
}

function sameEveryTime(seed: number) {
  return { now: createTestClock(), randomBytes: createSeededRandomBytes(seed) }
}

async function callService(call: RulesCase): Promise<string> {
  const service = await serviceWith(call)
  const ref = { vaultId, itemId }
  const item = call.body as ItemDraft
  const patch = call.body as PatchOperation[]
  return outcomeOf(() => {
    if (call.operation === 'create') return service.createItem(caller, { vaultId, item })
    if (call.operation === 'replace') return service.replaceItem(caller, { ...ref, item })
    return service.patchItem(caller, { ...ref, patch })
  })
}

function callRules(call: RulesCase, makeRules: typeof createItemRules): Promise<string> {
  const rules = makeRules({ ...call.options, caller, ...sameEveryTime(call.seed) })
  return outcomeOf(() => {
    if (call.operation === 'create') return rules.create(call.body as ItemDraft)
    if (call.operation === 'replace') return rules.replace(call.item, call.body as ItemDraft)
    return rules.patch(call.item, call.body as PatchOperation[])
  })
}

/** The law: both give the same result, or an error with the same message and issues. */
function agreement(makeRules: typeof createItemRules, counts: Record<string, number> = {}) {
  return fc.asyncProperty(arbitraryCase, async (call) => {
    const before = JSON.stringify(call)
    const expected = await callService(call)
    expect(await callRules(call, makeRules)).toBe(expected)
    expect(JSON.stringify(call)).toBe(before)
    const key = `${call.operation} ${expected.includes('"issues"') ? 'rejected' : 'accepted'}`
    counts[key] = (counts[key] ?? 0) + 1
  })
}

/** Returns rules with a defect: functions of these rules that replace the right ones. */
function withDefect(
  defect: (rules: ItemRules, options: ItemRulesOptions) => Partial<ItemRules>,
): typeof createItemRules {
  return (options = {}) => {
    const rules = createItemRules(options)
    return { ...rules, ...defect(rules, options) }
  }
}

const brokenVariants: Readonly<Record<string, typeof createItemRules>> = {
  'do not draw the id first': withDefect((rules, { randomBytes }) => ({
    create(draft) {
      randomBytes?.(1)
      return rules.create(draft)
    },
  })),
  'leave the version of a replaced item': withDefect((rules) => ({
    replace: (item, draft) => ({ ...rules.replace(item, draft), version: item.version }),
  })),
  'change archived items': withDefect((rules) => ({
    replace({ state: _, ...item }, draft) {
      return rules.replace(item, draft)
    },
  })),
  'do not name the operations of a patch': withDefect((rules) => ({
    patch(item, patch) {
      try {
        return rules.patch(item, patch)
      } catch (error) {
        throw error instanceof InvalidInputError ? invalidInputError(error.issues) : error
      }
    },
  })),
  'report only the first issue': withDefect((rules) => ({
    create(draft) {
      try {
        return rules.create(draft)
      } catch (error) {
        if (!(error instanceof InvalidInputError)) throw error
        throw new InvalidInputError(error.message, { issues: error.issues.slice(0, 1) })
      }
    },
  })),
  'do not call the rule of the embedder': (options) =>
    createItemRules({ ...options, validateItem() {} }),
  'are never strict': (options) => createItemRules({ ...options, strict: false }),
  'have other limits': (options) => createItemRules({ ...options, limits: {} }),
}

describe('createItemRules', () => {
  it('agrees with the service in results, messages and issues', async () => {
    const counts: Record<string, number> = {}
    await fc.assert(agreement(createItemRules, counts), { numRuns: propertyRuns() })
    expect(Object.keys(counts)).toHaveLength(2 * operations.length)
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(propertyRuns(20))
  })

  it.each(Object.entries(brokenVariants))('would not agree if they %s', async (_, broken) => {
    const { errorInstance } = await fc.check(agreement(broken), {
      numRuns: 1000,
      endOnFailure: true,
    })
    expect(errorInstance).toHaveProperty('name', 'AssertionError')
  })
})
