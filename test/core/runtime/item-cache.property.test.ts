import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  createVaultService,
  type PatchOperation,
  type RandomBytes,
  type VaultService,
  type VaultServiceOptions,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createSeededRandomBytes, createTestClock, loginDraft } from '../../../src/testing.js'
import { mutateDeeply } from '../../support/arbitraries/mutate-deeply.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { readRecords } from '../../support/stores/stores.js'

const { constantFrom, nat, record } = fc
const itemCount = 3

const patches: readonly (readonly PatchOperation[])[] = [
  [],
  [{ op: 'replace', path: '/title', value: 'Other' }],
  [{ op: 'add', path: '/tags/-', value: 'tag' }],
  [{ op: 'replace', path: '/fields/password/value', value: 'secret' }],
  [{ op: 'add', path: '/fields/-', value: { id: 'new', section: { id: 'more' }, value: 'n' } }],
  [{ op: 'remove', path: '/fields/new' }],
  [{ op: 'remove', path: '/urls' }],
]

const step = record({
  operation: constantFrom(
    ...['patchItem', 'patchItem', 'patchItem', 'replaceItem', 'regenerateField', 'setItemState'],
    ...['getItem', 'deleteItem', 'attachFile', 'corrupt'],
  ),
  /** Whether another process makes the call, on the same store. */
  isOther: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
  item: nat(itemCount - 1),
  choice: nat(20),
  ifVersion: constantFrom(undefined, undefined, undefined, 2, 3, 4),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A store with two processes; the first one has the options. */
async function createWorld(options: Partial<VaultServiceOptions>) {
  const store = createMemoryStore()
  const shared = { store, now: createTestClock(), retry: { sleep: async () => {} } }
  // Seeded again for each step: a change that is made from a cached record takes random bytes, also
  // if it is then refused.
  let steps = 0
  let random = createSeededRandomBytes()
  const randomBytes: RandomBytes = (length) => random(length)
  const self = createVaultService({ ...shared, randomBytes, ...options })
  const other = createVaultService({ ...shared, randomBytes })
  const caller = createCaller('tester', '*')
  const { id: vaultId } = await self.createVault(caller, { name: 'V' })
  const itemIds: string[] = []
  for (let index = 0; index < itemCount; index++)
    itemIds.push((await self.createItem(caller, { vaultId, item: loginDraft(vaultId) })).id)
  const resultOf = async (one: Step): Promise<unknown> => {
    const itemId = itemIds[one.item] ?? ''
    random = createSeededRandomBytes(++steps)
    const call =
      one.operation === 'corrupt'
        ? corrupt(itemId)
        : run(one.isOther ? other : self, caller, { vaultId, itemId }, one)
    const result = await call.catch((error) => `${error}`)
    const text = JSON.stringify(result)
    mutateDeeply(result)
    return text
  }
  const corrupt = async (itemId: string): Promise<void> => {
    const key = { collection: `items/${vaultId}`, id: itemId }
    const version = (await store.records.get(key))?.version ?? 0
    await store.records.put(key, { body: new Uint8Array(5) }, version)
  }
  return { resultOf, self, readAll: () => readRecords(store, vaultId) }
}

async function run(
  service: VaultService,
  caller: Caller,
  ref: { readonly vaultId: string; readonly itemId: string },
  { operation, choice, ifVersion }: Step,
): Promise<unknown> {
  const changed = { ...ref, ...(ifVersion !== undefined && { ifVersion }) }
  switch (operation) {
    case 'patchItem':
      return service.patchItem(caller, {
        ...changed,
        patch: patches[choice % patches.length] ?? [],
      })
    case 'replaceItem': {
      const item = { ...loginDraft(ref.vaultId), title: `Title ${choice}` }
      const fields = choice % 2 === 0 ? item.fields : [{ id: 'password' }]
      return service.replaceItem(caller, { ...changed, item: { ...item, fields } })
    }
    case 'regenerateField':
      return service.regenerateField(caller, { ...changed, fieldId: 'password' })
    case 'setItemState': {
      const state = (['ARCHIVED', 'DELETED', 'ACTIVE', 'ACTIVE'] as const)[choice % 4]
      return service.setItemState(caller, { ...changed, state })
    }
    case 'deleteItem':
      return choice % 3 === 0 ? service.deleteItem(caller, changed) : undefined
    case 'attachFile': {
      const content = Uint8Array.of(choice)
      return service.attachFile(caller, { ...changed, name: 'f', content, fileId: uuid(choice) })
    }
    default:
      return service.getItem(caller, ref)
  }
}

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

describe('createItemCache', () => {
  it.each([
    ['items', { cache: { items: 256 } }, {}],
    ['items in a single slot', { cache: { items: 1 } }, {}],
    [
      'items with a history',
      { cache: { items: 256 }, history: { maxVersions: 2 } },
      { history: { maxVersions: 2 } },
    ],
  ])(
    'changes no result when other processes write and each result is modified in depth: %s',
    async (_, options, without) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const cached = await createWorld(options)
          const plain = await createWorld(without)
          for (const one of steps)
            expect(await cached.resultOf(one), JSON.stringify(one)).toEqual(
              await plain.resultOf(one),
            )
          expect(await cached.readAll()).toEqual(await plain.readAll())
        }),
        { numRuns: propertyRuns(2000) },
      )
    },
  )
})
