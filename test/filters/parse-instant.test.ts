import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInstant } from '../../src/filters/syntax.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

describe('parseInstant', () => {
  it.each([
    ['2026-01-31T08:00:00Z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31t08:00:00z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31T08:00:00+09:30', Date.UTC(2026, 0, 30, 22, 30)],
    ['2026-01-31T08:00:00.5-01:00', Date.UTC(2026, 0, 31, 9, 0, 0, 500)],
    ['2026-01-31T08:00:00.123000Z', Date.UTC(2026, 0, 31, 8, 0, 0, 123)],
    ['2026-01-31T08:00:00.123001Z', Date.UTC(2026, 0, 31, 8, 0, 0, 123) + 0.5],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['0000-01-01', -62_167_219_200_000],
  ])('parses %s', (text, milliseconds) => {
    expect(parseInstant(text)).toBe(milliseconds)
  })

  it.each([
    ...['', 'today', '2026', '2026-1-31', '2026-01-31 08:00:00Z', '2026-01-31T08:00:00'],
    ...['2026-02-30', '2026-13-01', '2026-02-29T08:00:00Z', '2026-00-10', '2026-01-00'],
    ...['2026-01-31T25:00:00Z', '2026-01-31T08:60:00Z', '2026-01-31T08:00:00+9:30'],
    ...['2026-01-31T08:00:00.Z', '1769846400000', '2026-01-31T08:00:00Z\n'],
  ])('returns undefined for %j', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })

  it('parses every date as it was formatted', () => {
    const [min, max] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(parseInstant(date.toISOString())).toBe(date.getTime())
      }),
      { numRuns: propertyRuns() },
    )
  })
})
