import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDay, isMonth } from '../../../src/base/calendar.js'
import { buildItem, parseDraft } from '../../../src/core/items/build-item.js'
import { createDraws } from '../../../src/core/items/draws.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { InvalidInputError } from '../../../src/errors.js'
import { itemSchema } from '../../../src/schema/item.js'
import { itemContent, marker } from '../../support/arbitraries/bodies.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import {
  type Body,
  buildFieldFromBody,
  buildFromBody,
  captureIssues,
  createBody,
  createBuildContext,
  itemId,
  storedField,
  storedItem,
  vaultId,
} from '../../support/items/item-builders.js'

const anId = /^[0189][a-z2-7]{25}$/
const tooStrictRecipe = { characterSets: ['DIGITS'], excludeCharacters: '012345678' }
const file = { id: 'f'.repeat(26), name: 'a.txt', size: 5, content_path: '/v1/x' }

describe('buildItem', () => {
  it('keeps the managed members of the stored item, whatever the body contains', () => {
    const before = storedItem({ state: 'ARCHIVED', files: [file] })
    const managed = {
      id: itemId,
      state: 'DELETED',
      version: 99,
      createdAt: '0001-01-01T00:00:00Z',
      updatedAt: '9999-12-31T23:59:59.999Z',
      lastEditedBy: 'the client',
      files: [],
    }
    expect(buildFromBody(managed, before)).toEqual(before)
  })

  it('returns every member that a client can set, in the given order', () => {
    const set = {
      category: 'CUSTOM',
      title: '',
      favorite: true,
      tags: ['b', 'a', 'b'],
      urls: [
        { href: 'https://b.example', label: '', primary: false },
        { href: 'https://a.example' },
      ],
      sections: [{ id: 'z', label: 'Z' }, { id: '' }, { id: 'a' }],
      fields: [
        { id: 'z', type: 'MENU', label: '', value: '', purpose: 'NOTES', section: { id: '' } },
        { id: '', type: 'STRING', section: {} },
        { id: 'a~1/b "c" \u{1f600}', type: 'CONCEALED', value: 'v', section: { id: 'z' } },
      ],
    }
    expect(buildFromBody(set)).toEqual({ ...storedItem(), ...set })
  })

  it('reports the path of every broken rule', () => {
    const changes = {
      sections: [{ id: 's' }, { id: 's' }],
      urls: [
        { href: 'javascript:x', primary: true },
        { href: 'data:,x', primary: true },
      ],
      fields: [
        { id: 'f', section: { id: '' }, type: 'DATE', value: 'x' },
        { id: 'f', value: null, generate: false },
        { id: 'g', generate: true, recipe: tooStrictRecipe },
        { id: 'h', type: 'MONTH_YEAR', value: null, generate: true },
      ],
    }
    expect(captureIssues(() => buildFromBody(changes)).map(({ path }) => path)).toEqual([
      'sections/1/id',
      'urls/0/href',
      'urls/1/href',
      'urls/1/primary',
      'fields/0/section/id',
      'fields/0/value',
      'fields/1/id',
      'fields/1/value',
      'fields/2/recipe/excludeCharacters',
      'fields/3/generate',
    ])
  })

  it('returns a valid item or throws an error that contains no part of the body', () => {
    const counts = { built: 0, rejected: 0 }
    const law = fc.property(itemContent, (body) => {
      const item = resultOrInvalidInput(() => buildFromBody(body))
      if (item instanceof InvalidInputError) {
        counts.rejected++
        expect(JSON.stringify([item.message, item.issues, item.stack])).not.toContain(marker)
      } else {
        counts.built++
        expect(itemSchema.parse(item)).toEqual(item)
      }
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(propertyRuns(2))
  })

  it('changes neither the body nor the stored item', () => {
    const before = storedItem({ fields: [storedField({ id: 'f', value: 'old' })] })
    const body = { tags: ['a'], fields: [{ id: 'f', generate: true }], sections: [{}] }
    const copies = structuredClone([before, body])
    buildFromBody(body, before)
    expect([before, body]).toEqual(copies)
  })
})

describe('buildFields', () => {
  it('generates an id for each field without one', () => {
    const draft = {
      category: 'LOGIN',
      vault: { id: vaultId },
      fields: [{}, { id: 'f' }, {}],
    } as const
    const context = createBuildContext()
    const { fields } = buildItem(context, draft, storedItem(), createDraws(context.randomBytes))
    const ids = fields.map(({ id }) => id)
    expect(ids).toEqual([expect.stringMatching(anId), 'f', expect.stringMatching(anId)])
    expect(new Set(ids).size).toBe(3)
  })

  it.each([{}, { generate: false }, { generate: true, value: 'x' }])(
    'ignores the recipe when it generates no value: %j',
    (draft) => {
      const { generate: _, ...rest } = draft
      const field = buildFieldFromBody({ ...draft, recipe: tooStrictRecipe })
      expect(field).toStrictEqual({ id: 'f', type: 'STRING', ...rest })
    },
  )

  describe('entropy', () => {
    const before = storedItem({
      fields: [
        storedField({ id: 'other', value: 'same', entropy: 7 }),
        storedField({ id: 'f', purpose: 'PASSWORD', value: 'same', entropy: 42 }),
      ],
    })
    const same = { purpose: 'PASSWORD', value: 'same' }

    it('is kept when the password is unchanged, whatever else changes', () => {
      const draft = { ...same, label: 'New', type: 'CONCEALED', entropy: 1 }
      expect(buildFieldFromBody(draft, before).entropy).toBe(42)
      expect(buildFieldFromBody({ ...draft, generate: true }, before).entropy).toBe(42)
    })

    it.each([
      ['another value', { ...same, value: 'Same', entropy: 500 }],
      ['an empty value', { ...same, value: '' }],
      ['no value', { purpose: 'PASSWORD' }],
      ['another purpose', { ...same, purpose: 'NOTES' }],
      ['no purpose', { value: 'same' }],
      ['another id', { ...same, id: 'g' }],
    ])('is removed with %s', (_case, draft) => {
      expect(buildFieldFromBody(draft, before)).not.toHaveProperty('entropy')
    })
  })
})

// Rows that the contract (rules-10 to rules-12) and the property of `isDay` have are left out.
const days = '1970-01-01 0001-01-01 0000-02-29 9999-12-31 1 00 -62135596800 999999999999999'
const months = '2026/01 2026-01 000001 999912'
const invalidDays = [
  ...'2026-00-01 26-01-01 12026-01-01 -2026-01-01 +002026-01-01 +012026-01-01'.split(' '),
  ...'-002026-01-01 2026/01/01 2026-01 01-01-2026 1e9 +1 -- - 0x10 1577836800.0'.split(' '),
  ...'1000000000000000 ٢٠٢٦-٠١-٠١ NaN Infinity'.split(' '),
  ...[' ', '2026-01-01 ', '2026-01-01\n', '1\n', ' 1', '2026-01-01\n2026-01-01'],
]
const invalidMonths = [
  ...'202600 2026/00 2026/13 2026-13 2026/1 20261 2026--01 2026-/01 2026//01 2026/'.split(' '),
  ...'26/01 0126 12026/01 2026/011 2026011 202620 202699 jan/2026 ٢٠٢٦٠١'.split(' '),
  ...[' ', '202601\n', ' 202601', '202601 '],
]
const isDate = { DATE: isDay, MONTH_YEAR: isMonth }

describe('isDay and isMonth', () => {
  it.each([
    ...days.split(' ').map((value) => ['DATE', value] as const),
    ...months.split(' ').map((value) => ['MONTH_YEAR', value] as const),
  ])('keep the %s %s', (type, value) => {
    expect(isDate[type](value)).toBe(true)
    expect(buildFieldFromBody({ type, value }).value).toBe(value)
  })

  it.each([
    ...invalidDays.map((value) => ['DATE', value] as const),
    ...invalidMonths.map((value) => ['MONTH_YEAR', value] as const),
  ])('reject the %s %j', (type, value) => {
    expect(isDate[type](value)).toBe(false)
    const message =
      type === 'DATE'
        ? 'must be a day as YYYY-MM-DD or whole seconds'
        : 'must be a month as YYYYMM, YYYY/MM or YYYY-MM'
    expect(captureIssues(() => buildFieldFromBody({ type, value }))).toEqual([
      { path: 'fields/0/value', message },
    ])
  })

  it('accept exactly the days of the calendar', () => {
    const daysInMonth = (year: number, month: number): number =>
      new Date(Date.UTC(year, month, 0)).getUTCDate()
    const law = fc.property(
      fc.integer({ min: 100, max: 9999 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 35 }),
      (year, month, day) => {
        const text = [
          String(year).padStart(4, '0'),
          ...[month, day].map((part) => String(part).padStart(2, '0')),
        ]
        return isDay(text.join('-')) === (day >= 1 && day <= daysInMonth(year, month))
      },
    )
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})

describe('parseDraft', () => {
  it('checks the counts again after the dialect has added sections', () => {
    const context = { ...createBuildContext({ limits: { sections: 2 } }), dialect: connectDialect }
    const bodyWithSections = (count: number): Body => {
      const ids = Array.from({ length: count }, (_, index) => `s${index}`)
      return createBody({
        sections: [{ id: 's0' }],
        fields: ids.map((id) => ({ section: { id } })),
      })
    }
    expect(parseDraft(context, bodyWithSections(2), { vaultId }).sections).toHaveLength(2)
    expect(captureIssues(() => parseDraft(context, bodyWithSections(3), { vaultId }))).toEqual([
      { path: 'sections', message: 'must be at most 2 elements long' },
    ])
  })
})

function resultOrInvalidInput<Result>(work: () => Result): Result | InvalidInputError {
  try {
    return work()
  } catch (error) {
    if (error instanceof InvalidInputError) return error
    throw error
  }
}
