import { connectDialect } from 'cofferkit/connect'
import { createItemRules } from 'cofferkit/rules'
import { describe, expect, it } from 'vitest'
import { createCaller, InvalidInputError, type Item, type ItemDraft } from '../src/index.js'
import { createSeededRandomBytes, createTestClock, createTestVault } from '../src/testing.js'
import { loginDraft } from './support/drafts.js'
import { captureIssues, storedField, storedItem, vaultId } from './support/items/item-builders.js'
import { itemRef } from './support/items/refs.js'

const rename = [{ op: 'replace', path: '/title', value: 'Renamed' }] as const
const foreign = storedField({ id: 'foreign', type: 'FOREIGN', value: 'x' })

/** Returns a frozen item, as the items of a test often are. */
function frozenItem(changes: Partial<Item> = {}): Item {
  const item = storedItem({ title: 'Title', ...changes })
  for (const member of Object.values(item)) if (typeof member === 'object') Object.freeze(member)
  return Object.freeze(item)
}

describe('createItemRules', () => {
  it('creates an item of version 1 with the id, the time and the caller of the options', () => {
    const now = createTestClock()
    const options = { now, caller: createCaller({ id: 'wendy', vaults: {} }) }
    const rules = createItemRules(options)
    const item = rules.create(loginDraft(vaultId, { title: 'Mail' }))
    expect(item).toMatchObject({
      id: expect.stringMatching(/^[0189][a-z2-7]{25}$/),
      ...{ vault: { id: vaultId }, title: 'Mail', version: 1, lastEditedBy: 'wendy' },
      ...{ createdAt: now().toISOString(), updatedAt: now().toISOString(), files: [] },
    })
    expect(rules.create(loginDraft(vaultId)).id).not.toBe(item.id)
  })

  it('has a caller with the id rules by default', () => {
    expect(createItemRules().create(loginDraft(vaultId)).lastEditedBy).toBe('rules')
  })

  it('changes an item of any version, with fields of types that it does not know', () => {
    const item = frozenItem({ version: 41, fields: [foreign] })
    const { replace, patch } = createItemRules()
    expect(patch(item, rename)).toMatchObject({ version: 42, title: 'Renamed', fields: [foreign] })
    const draft = { ...item, title: 'Replaced', fields: [{ id: 'foreign' }] } as ItemDraft
    expect(replace(item, draft)).toMatchObject({
      ...{ id: item.id, version: 42, title: 'Replaced', fields: [foreign] },
    })
  })

  it('returns nothing that the item contains, even for an empty patch', () => {
    const { patch } = createItemRules()
    const item = frozenItem({ fields: [foreign], tags: ['a'], files: [] })
    for (const changed of [patch(item, []), patch(item, rename)]) {
      expect(changed.fields[0]).not.toBe(item.fields[0])
      expect(changed.fields).toEqual(item.fields)
      expect(changed.tags).not.toBe(item.tags)
    }
    expect(patch(item, [])).toEqual(item)
  })

  it('rejects changes of an archived item, which it can describe', () => {
    const { replace, patch, describe: describeItem } = createItemRules()
    const item = frozenItem({ state: 'ARCHIVED' })
    const issues = [{ path: '', message: 'an archived item cannot be changed' }]
    expect(captureIssues(() => replace(item, loginDraft(vaultId)))).toEqual(issues)
    expect(captureIssues(() => patch(item, rename))).toEqual(issues)
    expect(patch(item, [])).toEqual(item)
    expect(describeItem(item)).toMatchObject({ state: 'ARCHIVED' })
  })

  it('rejects a deleted item after an invalid body', () => {
    const { replace, patch, describe: describeItem } = createItemRules()
    const item = frozenItem({ state: 'DELETED' })
    const issues = [{ path: '', message: 'a deleted item cannot be read or changed' }]
    expect(captureIssues(() => replace(item, loginDraft(vaultId)))).toEqual(issues)
    expect(captureIssues(() => patch(item, rename))).toEqual(issues)
    expect(captureIssues(() => patch(item, []))).toEqual(issues)
    expect(captureIssues(() => describeItem(item))).toEqual(issues)
    expect(captureIssues(() => patch(item, 'all' as never))[0]?.path).toBe('patch')
  })

  it('names every invalid path of a draft', () => {
    const fields = [
      { id: 'a', type: 'DATE', value: '2026-02-30' },
      { id: 'a', section: { id: 'lost' } },
    ] as const
    expect(captureIssues(() => createItemRules().create({ ...draft, fields }))).toEqual([
      { path: 'fields/0/value', message: 'must be a day as YYYY-MM-DD or whole seconds' },
      { path: 'fields/1/id', message: 'must not be the id of another field' },
      { path: 'fields/1/section/id', message: 'must be the id of a section of the item' },
    ])
  })

  it.each([undefined, null, {}, { id: '' }, { id: 'x' }, { id: 5 }, 'vault'])(
    'rejects a draft whose vault is %j in both dialects',
    (vault) => {
      for (const dialect of [undefined, connectDialect]) {
        const { create } = createItemRules({ ...(dialect && { dialect }) })
        const [issue] = captureIssues(() => create({ category: 'LOGIN', vault } as never))
        expect(issue?.path).toMatch(/^vault(?:\/id)?$/)
      }
    },
  )

  it('names the operation of a patch that makes the item too large, unless it shrinks', () => {
    const item = frozenItem({ title: 'x'.repeat(900) })
    const { patch } = createItemRules({ limits: { itemBytes: 500 } })
    const withTitle = (value: string) => [{ op: 'replace', path: '/title', value }] as const
    expect(() => patch(item, withTitle('x'.repeat(950)))).toThrow(
      'operation 0 ("/title"): the item must be at most 500 bytes long',
    )
    expect(patch(item, withTitle('x'.repeat(800)))).toMatchObject({ version: 4 })
  })

  it('calls validateItem with the item before the change, the caller and the time', () => {
    const changes: unknown[] = []
    const caller = createCaller({ id: 'wendy', vaults: {} })
    const now = createTestClock()
    const { create, patch } = createItemRules({
      ...{ caller, now },
      validateItem: (item, change) => void changes.push([item.title, change]),
    })
    const item = create({ ...draft, title: 'First' })
    patch(item, [])
    patch(item, rename)
    expect(changes).toEqual([
      ['First', { before: undefined, caller, now: now() }],
      ['Renamed', { before: item, caller, now: now() }],
    ])
  })

  it('throws what validateItem throws, and RuleError if it is asynchronous', () => {
    const tagged = createItemRules({
      validateItem({ tags }) {
        if (tags.length === 0) throw InvalidInputError.at('tags', 'must name the environment')
      },
    })
    expect(() => tagged.create(draft)).toThrow('tags must name the environment')
    const validateItem = (async () => {}) as unknown as () => void
    expect(() => createItemRules({ validateItem }).create(draft)).toThrow(
      expect.objectContaining({ code: 'RULE_FAILED' }),
    )
  })

  it('rejects unknown names when strict', () => {
    const { create, replace, patch } = createItemRules({ strict: true })
    const misspelt = { ...draft, titel: 'Mail' } as ItemDraft
    const message = 'titel: unknown, did you mean title?'
    expect(() => create(misspelt)).toThrow(message)
    expect(() => replace(storedItem(), misspelt)).toThrow(message)
    const step = { op: 'add', path: '/title', valeu: 'Mail', value: 'Mail' } as const
    expect(() => patch(storedItem(), [step])).toThrow('valeu: unknown, did you mean value?')
    expect(createItemRules().create(misspelt)).not.toHaveProperty('titel')
  })

  it('describes an item as the service does', async () => {
    const vault = await createTestVault()
    expect(createItemRules().describe(vault.item)).toEqual(
      await vault.service.describeItem(vault.caller, itemRef(vault)),
    )
  })

  it('generates values with the random bytes of the options', () => {
    const make = () => createItemRules({ randomBytes: createSeededRandomBytes() })
    const { value, entropy } = make().generate({ characterSets: ['DIGITS'], length: 6 })
    expect(value).toMatch(/^\d{6}$/)
    expect(entropy).toBeCloseTo(6 * Math.log2(10))
    expect(make().generate({ characterSets: ['DIGITS'], length: 6 }).value).toBe(value)
    expect(make().generate().value).toHaveLength(32)
    expect(captureIssues(() => make().generate({ length: 0 }))[0]?.path).toBe('length')
  })

  it.each([
    [
      loginDraft(vaultId),
      /^item must be an item: id must be a string; favorite must be a boolean; /,
    ],
    [{ ...storedItem(), category: 'SECRET' }, /^item must be an item: category must be one of /],
    [undefined, 'item must be an object with any members'],
    [Promise.resolve(storedItem()), 'item is a promise: is await missing?'],
  ])('throws TypeError instead of an InvalidInputError for the item %#', (item, message) => {
    const rules = createItemRules()
    const calls = [
      () => rules.replace(item as Item, draft),
      () => rules.patch(item as Item, []),
      () => rules.describe(item as Item),
    ]
    for (const call of calls) {
      expect(call).toThrow(TypeError)
      expect(call).toThrow(message)
    }
  })

  it('passes on the error of a getter of an item', () => {
    const item: Item = {
      ...storedItem(),
      get title(): string {
        throw new RangeError('lost')
      },
    }
    expect(() => createItemRules().describe(item)).toThrow(RangeError)
  })
})

const draft: ItemDraft = { category: 'LOGIN', vault: { id: vaultId } }
