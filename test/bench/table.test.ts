import { describe, expect, it } from 'vitest'
import { replaceTable } from '../../tools/bench/table.js'

const table = {
  id: 'http',
  title: 'Figures',
  rows: [
    ['', 'create'],
    ['bare', '1.0'],
  ],
}

describe('replaceTable', () => {
  it('replaces the text between the markers of the table', () => {
    const page = 'a\n<!-- bench:http -->\nold\n<!-- /bench:http -->\nb'
    const [start = '', end = ''] = replaceTable(page, table).split(/\n\n\*Run of [^\n]*\*\n\n/)
    expect(start).toBe(
      'a\n<!-- bench:http -->\n\nFigures:\n\n| | create |\n|---|--:|\n| bare | 1.0 |',
    )
    expect(end).toBe('<!-- /bench:http -->\nb')
  })

  it('returns the page unchanged when the table has no place in it', () => {
    const page = '<!-- bench:http-cold -->\n<!-- /bench:http-cold -->'
    expect(replaceTable(page, table)).toBe(page)
  })
})
