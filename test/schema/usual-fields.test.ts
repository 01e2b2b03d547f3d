import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fieldDraftSchema, fieldSchema } from '../../src/schema/field.js'
import { itemSchema } from '../../src/schema/item.js'
import { areUsualFields, copyUsualDrafts, omitUsualFields } from '../../src/schema/usual-fields.js'
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

describe('omitUsualFields', () => {
  const jsonOf = (...stored: readonly unknown[]): string =>
    `{"id":"x","sections":[],"fields":${JSON.stringify(stored)},"files":[]}`

  it.each<readonly [string, readonly unknown[]]>([
    ['no field', []],
    ['a field with all usual members', [draft]],
    ['a field without any optional member', [{ id: '', type: 'MENU' }]],
    ['a type of another dialect', [{ id: 'a', type: 'SSH_KEY' }]],
    ['fields in sections', [inSection, { ...draft, section: {} }]],
    ['escapes in texts', [{ id: '"\\\n\u0000', type: 'URL', value: '\ud800","fields":[' }]],
    ['texts that are not ASCII', [{ id: 'ä', type: 'STRING', label: 'パス', value: '🔑' }]],
  ])('returns the JSON without %s', (_, stored) => {
    expect(omitUsualFields(jsonOf(...stored))).toBe(jsonOf())
  })

  it.each<readonly [string, unknown]>([
    ['has an entropy', { id: 'a', type: 'STRING', entropy: 7.5 }],
    ['has its members in another order', { type: 'STRING', id: 'a' }],
    ['has another member', { ...draft, other: 1 }],
    ['has an invalid type', { id: 'a', type: 'string' }],
    ['has an unknown purpose', { id: 'a', type: 'STRING', purpose: 'OTHER' }],
    ['has no id', { type: 'STRING' }],
    ['is no object', 'x'],
  ])('returns the same JSON when a field %s', (_, field) => {
    const json = jsonOf(draft, field)
    expect(omitUsualFields(json)).toBe(json)
  })

  it.each([
    ['many escapes', [{ id: 'a', type: 'STRING', value: '\n'.repeat(2 ** 24) }]],
    ['many fields', Array.from({ length: 10_000 }, () => draft)],
  ])('returns the same JSON when it is long, with %s', (_, stored) => {
    const json = jsonOf(...stored)
    expect(omitUsualFields(json) === json).toBe(true)
  })

  it('returns the JSON of an item if and only if it was given one', () => {
    const ids = { id: 'i'.repeat(26), vault: { id: 'v'.repeat(26) }, category: 'LOGIN' }
    const rest = { favorite: false, tags: [], urls: [], version: 1, lastEditedBy: '' }
    const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' }
    const before = JSON.stringify({ ...ids, ...rest, ...times, sections: [] }).slice(0, -1)
    const usual = fc.record(
      {
        id: fc.string({ unit: 'binary' }),
        type: fc.constantFrom('STRING', 'URL', 'SSH_KEY'),
        label: fc.string({ unit: 'grapheme' }),
        value: fc.string({ unit: fc.constantFrom('"', '\\', '{', '\n', 'a') }),
        purpose: fc.constantFrom('', 'NOTES'),
        section: fc.record({ id: fc.string() }, { requiredKeys: [] }),
      },
      { requiredKeys: ['id', 'type'] },
    )
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      removed: fc.nat(3),
      added: fc.constantFrom(
        '',
        '',
        '"',
        ',',
        '{',
        '}',
        '[',
        ']',
        ':',
        '\\',
        '\n',
        '0',
        ',"fields":[',
      ),
    })
    const counts = { changed: 0, valid: 0, invalid: 0 }
    const isItem = (json: string): boolean => {
      try {
        return itemSchema.safeParse(JSON.parse(json)).success
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(
        fc.array(usual, { maxLength: 3 }),
        fc.array(edit, { maxLength: 2 }),
        (stored, edits) => {
          let json = `${before},"fields":${JSON.stringify(stored)},"files":[]}`
          for (const { at, removed, added } of edits) {
            const position = Math.floor(at * json.length)
            json = json.slice(0, position) + added + json.slice(position + removed)
          }
          const omitted = omitUsualFields(json)
          const isValid = isItem(json)
          expect(isItem(omitted), json).toBe(isValid)
          if (omitted !== json) counts.changed++
          counts[isValid ? 'valid' : 'invalid']++
        },
      ),
      { numRuns: propertyRuns(10_000) },
    )
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(10)
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
