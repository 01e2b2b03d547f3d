import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fieldDraftSchema, fieldSchema } from '../../src/schema/field.js'
import { areUsualFields, copyUsualDrafts } from '../../src/schema/usual-fields.js'
import { fieldBody } from '../support/arbitraries/bodies.js'
import { mutateDeeply } from '../support/arbitraries/mutate-deeply.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

const draft = { id: 'pin', type: 'STRING', label: 'PIN', value: '1234', purpose: '' } as const
const inSection = { ...draft, section: { id: 'more' } }

const wrongMembers: readonly (readonly [string, unknown])[] = [
  ['id', undefined],
  ['id', 7],
  ['type', 'OTHER'],
  ['type', undefined],
  ['type', ['STRING']],
  ['label', 7],
  ['label', null],
  ['value', null],
  ['value', {}],
  ['purpose', 'OTHER'],
  ['purpose', null],
  ['section', null],
  ['section', 'more'],
  ['section', []],
  ['section', { id: 7 }],
]

const fields = fc.array(fieldBody, { maxLength: 3 })

describe('copyUsualDrafts', () => {
  it.each([
    ['no field', []],
    ['a field with all usual members', [draft]],
    ['a field without any optional member but its type', [{ id: '', type: 'MENU' }]],
    ['fields in sections', [inSection, { ...draft, section: {} }]],
  ])('returns a copy of %s', (_, drafts) => {
    const copies = copyUsualDrafts(drafts)
    expect(copies).toEqual(drafts)
    expect(copies?.[0]).not.toBe(drafts[0] ?? {})
  })

  it.each<readonly [string, unknown]>([
    ...wrongMembers,
    ['generate', false],
    ['recipe', {}],
    ['entropy', 1],
  ])('returns undefined when the %s of a field is %j', (name, value) => {
    expect(copyUsualDrafts([draft, { ...inSection, [name]: value }])).toBeUndefined()
  })

  it.each([undefined, null, 'x', {}, { length: 0 }, [undefined], ['x'], [[]], [null]])(
    'returns undefined for %j',
    (drafts) => {
      expect(copyUsualDrafts(drafts)).toBeUndefined()
    },
  )

  it.each([
    ['a function', Object.assign(() => {}, draft)],
    ['an array', Object.assign([], draft)],
  ])('returns undefined for %s with the members of a field', (_, field) => {
    expect(copyUsualDrafts([field])).toBeUndefined()
  })

  it('returns what the schema returns, and shares no object with the drafts', () => {
    const schema = z.array(fieldDraftSchema)
    let usual = 0
    fc.assert(
      fc.property(fields, (drafts) => {
        const copies = copyUsualDrafts(drafts)
        if (copies === undefined) return
        usual++
        const text = JSON.stringify(copies)
        expect(JSON.stringify(schema.parse(drafts))).toBe(text)
        mutateDeeply(drafts)
        expect(JSON.stringify(copies)).toBe(text)
      }),
      { numRuns: propertyRuns(10_000) },
    )
    expect(usual).toBeGreaterThan(10)
  })
})

describe('areUsualFields', () => {
  it.each([
    ['no field', []],
    ['usual fields', [draft, inSection, { id: 'pin', type: 'DATE', entropy: 7.5 }]],
  ])('returns true for %s', (_, stored) => {
    expect(areUsualFields(stored)).toBe(true)
  })

  it.each<readonly [string, unknown]>([...wrongMembers, ['entropy', '7'], ['entropy', null]])(
    'returns false when the %s of a field is %j',
    (name, value) => {
      expect(areUsualFields([draft, { ...inSection, [name]: value }])).toBe(false)
    },
  )

  it.each([undefined, null, {}, [null], ['x'], [[]]])('returns false for %j', (stored) => {
    expect(areUsualFields(stored)).toBe(false)
  })

  it('returns true only for JSON that the schema accepts', () => {
    const schema = z.array(fieldSchema)
    let usual = 0
    fc.assert(
      fc.property(fields, (drafts) => {
        const stored = JSON.parse(JSON.stringify(drafts))
        if (!areUsualFields(stored)) return
        usual++
        expect(schema.safeParse(stored).success).toBe(true)
      }),
      { numRuns: propertyRuns(10_000) },
    )
    expect(usual).toBeGreaterThan(10)
  })
})
