import { describe, expect, it } from 'vitest'
import { measureSizes } from '../../tools/reliability/scale/measure-sizes.js'
import { sizesTable } from '../../tools/reliability/scale/sizes-table.js'
import { readPage } from '../support/source/pages.js'

describe('docs/scaling.md', { timeout: 120_000 }, () => {
  it('has the sizes that npm run prove -- sizes measures', async () => {
    const measured = rowsOf(sizesTable(await measureSizes(), 1_000_000))
    const written = rowsOf(readPage('docs/scaling.md'))
    expect([...written.keys()]).toEqual([...measured.keys()])
    for (const [name, cells] of measured) {
      const found = written.get(name) ?? []
      // Records are always of the same size. Pages are filled in the order of random index keys.
      expect([name, ...found.slice(0, 5)]).toEqual([name, ...cells.slice(0, 5)])
      for (const [index, cell] of cells.slice(5).entries())
        expect(toNumber(found[index + 5]) / toNumber(cell)).toBeCloseTo(1, 1)
    }
  })
})

/** The cells after the first one of each row of the table, by the first one. */
function rowsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const [, table = ''] = /^\| collection .*\n\|[ :|-]+\n((?:\|.*(?:\n|$))+)/m.exec(text) ?? []
  const rows = table.trim().split('\n')
  return new Map(
    rows.map((row) => {
      const [, name = '', ...cells] = row.split('|').map((cell) => cell.trim())
      return [name, cells.slice(0, -1)]
    }),
  )
}

/** The number of a cell such as `1,040` or `134 GB`; 1 for an empty cell. */
function toNumber(cell = ''): number {
  return cell === '' ? 1 : Number(cell.replaceAll(',', '').replace(' GB', ''))
}
