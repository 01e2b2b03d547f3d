import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCsv, rowId } from '../../../src/import/csv/read-rows.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { runAll } from '../../support/run-all.js'

const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '"', '\n', '\r', ' ', '😀') })
const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 6 })

function quoted(value: string): string {
  return `"${value.replaceAll('"', '""')}"`
}

/** Quotes a cell only where it must be, as most programs do. */
function quotedIfNeeded(value: string): string {
  return /[",\r\n]/.test(value) ? quoted(value) : value
}

describe('parseCsv', () => {
  it.each([
    ['', []],
    ['\n\r\n\n', []],
    ['a', [['a']]],
    [
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,\n,b',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['a,', [['a', '']]],
    ['"a\r\nb","c""d"', [['a\r\nb', 'c"d']]],
    ['a"b,c', [['a"b', 'c']]],
    ['"a"b,c', [['ab', 'c']]],
  ])('parses %j', (text, expected) => {
    expect([...parseCsv(text, 100)]).toEqual(expected)
  })

  it('rejects a quoted cell that does not end, and too many rows', () => {
    expect(() => [...parseCsv('a,"SWORDFISH', 100)]).toThrow(
      'a quoted cell of the CSV does not end',
    )
    expect(() => [...parseCsv('a\nb\nc', 2)]).toThrow('the export has more than 1 rows')
  })

  it('returns the rows that were written', () => {
    const property = fc.property(
      rows,
      fc.constantFrom(quoted, quotedIfNeeded),
      fc.constantFrom('\n', '\r\n'),
      (table, quote, newline) => {
        const text = table.map((row) => row.map(quote).join(',')).join(newline)
        const written = table.filter((row) => row.length > 1 || row[0] !== '')
        expect([...parseCsv(text, 100)]).toEqual(written)
      },
    )
    fc.assert(property, { numRuns: propertyRuns() })
  })

  it('agrees with csv-parse on everything that csv-parse accepts', () => {
    const options = { relax_column_count: true, skip_empty_lines: true, relax_quotes: true }
    const property = fc.property(rows, fc.constantFrom('\n', '\r\n'), (table, newline) => {
      const text = table.map((row) => row.map(quotedIfNeeded).join(',')).join(newline)
      const record_delimiter = newline
      const expected = parse(text, { ...options, record_delimiter }) as string[][]
      expect([...parseCsv(text, 100)]).toEqual(
        expected.filter((row) => row.length > 1 || row[0] !== ''),
      )
    })
    fc.assert(property, { numRuns: propertyRuns() })
  })

  it('rejects a row with more than 1,000 cells', () => {
    expect([...parseCsv(','.repeat(999), 100)]).toHaveLength(1)
    const message = 'the CSV has more than 1000 columns'
    expect(() => [...parseCsv(`a\n${','.repeat(1001)}`, 100)]).toThrow(message)
  })

  it('reads a cell that is longer than a block', () => {
    const value = `${'"'.repeat(65_535)}a"${'b'.repeat(65_535)}"c""`
    expect([...parseCsv(`${quoted(value)},d`, 100)]).toEqual([[value, 'd']])
  })

  it('takes little more memory than its text for quotes', () => {
    const text = `"${'a""'.repeat(1_000_000)}"`
    const start = process.memoryUsage().heapUsed
    const rows = [...parseCsv(text, 100)]
    // A piece for each pair of quotes took 64 MB.
    expect(process.memoryUsage().heapUsed - start).toBeLessThan(24_000_000)
    expect(rows[0]?.[0]).toHaveLength(2_000_000)
  })

  // Quadratic time would take minutes.
  it.runIf(runAll).each(['"a""b"', '\n', '""', 'a', 'a\r'])(
    'parses a million %j in linear time',
    (unit) => {
      expect(() => [...parseCsv(unit.repeat(1_000_000), 10_000_000)]).not.toThrow()
    },
  )
})

describe('rowId', () => {
  it('returns the 64 bits of FNV-1a', () => {
    const expected = (text: string): string => {
      let hash = 0xcbf29ce484222325n
      for (const byte of new TextEncoder().encode(text))
        hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
      return hash.toString(16).padStart(16, '0')
    }
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(rowId(text)).toBe(expected(text))
    })
    fc.assert(property, { numRuns: propertyRuns() })
    expect(rowId('foobar')).toBe('85944171f73967e8')
  })
})
