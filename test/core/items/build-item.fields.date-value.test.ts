import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDay, isMonth } from '../../../src/core/items/build-item.js'
import { builtField, issuesOf } from '../../support/items/item-builders.js'

const days =
  '2020-02-29 2000-02-29 2026-01-01 2026-12-31 1969-12-31 0001-01-01 0000-02-29 9999-12-31 ' +
  '0 1 -1 1577836800 -62135596800 00 999999999999999'
const invalidDays =
  '2020-02-30 2021-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-01 2026-01-00 2026-01-32 ' +
  '2026-1-1 26-01-01 12026-01-01 -2026-01-01 +002026-01-01 +012026-01-01 -002026-01-01 ' +
  '2026/01/01 2026-01-01T00:00:00Z 2026-01 01-01-2026 1.5 1e9 +1 -- - 0x10 1577836800.0 ' +
  '1000000000000000 ٢٠٢٦-٠١-٠١ NaN Infinity today'
const daysWithSpaces = [
  '',
  ' ',
  ' 2026-01-01',
  '2026-01-01 ',
  '2026-01-01\n',
  '1\n',
  ' 1',
  '2026-01-01\n2026-01-01',
]

const months = '202601 202612 2026/01 2026/12 2026-01 2026-12 000001 999912'
const invalidMonths =
  '202600 202613 2026/00 2026/13 2026-00 2026-13 2026-1 2026/1 20261 2026.01 2026--01 ' +
  '2026-/01 2026-01-01 2026//01 2026/ 26/01 0126 01/2026 12026/01 2026/011 2026011 202620 ' +
  '202699 jan/2026 ٢٠٢٦٠١'

describe('isDay', () => {
  it.each(days.split(' '))('returns true for %s, which buildFields keeps in a DATE', (value) => {
    expect(isDay(value)).toBe(true)
    expect(builtField({ type: 'DATE', value }).value).toBe(value)
  })

  it.each([...invalidDays.split(' '), ...daysWithSpaces])(
    'returns false for %j, which buildFields rejects in a DATE',
    (value) => {
      expect(isDay(value)).toBe(false)
      expect(issuesOf(() => builtField({ type: 'DATE', value }))).toEqual([
        { path: 'fields/0/value', message: 'must be a day as YYYY-MM-DD or whole seconds' },
      ])
    },
  )

  it('returns true for exactly the days of the calendar', () => {
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
    expect(() => fc.assert(law, { numRuns: 10_000 })).not.toThrow()
  })
})

describe('isMonth', () => {
  it.each(months.split(' '))(
    'returns true for %s, which buildFields keeps in a MONTH_YEAR',
    (value) => {
      expect(isMonth(value)).toBe(true)
      expect(builtField({ type: 'MONTH_YEAR', value }).value).toBe(value)
    },
  )

  it.each([...invalidMonths.split(' '), '', ' ', '202601\n', ' 202601', '202601 '])(
    'returns false for %j, which buildFields rejects in a MONTH_YEAR',
    (value) => {
      expect(isMonth(value)).toBe(false)
      expect(issuesOf(() => builtField({ type: 'MONTH_YEAR', value }))).toEqual([
        { path: 'fields/0/value', message: 'must be a month as YYYYMM, YYYY/MM or YYYY-MM' },
      ])
    },
  )
})

describe('buildFields', () => {
  it.each(['STRING', 'EMAIL', 'CONCEALED', 'URL', 'TOTP', 'MENU'])(
    'accepts any string in a field of the type %s',
    (type) => {
      expect(builtField({ type, value: '2020-02-30' }).value).toBe('2020-02-30')
    },
  )

  it.each(['DATE', 'MONTH_YEAR'])('accepts a field of the type %s without a value', (type) => {
    expect(builtField({ type })).toEqual({ id: 'f', type })
  })
})
