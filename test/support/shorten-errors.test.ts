import { describe, expect, it } from 'vitest'
import { dropLines, shortenLines } from './shorten-errors.js'

describe('shortenLines', () => {
  it('keeps short lines', () => {
    expect(shortenLines('- a\n+ b')).toBe('- a\n+ b')
  })

  it('keeps the first difference of two long lines', () => {
    const [left, right] = ['left', 'right'].map(
      (word) => `${'a'.repeat(90_000)}${word}${'b'.repeat(90_000)}`,
    )
    const text = shortenLines(`- ${left}\n+ ${right}`)
    expect(text.length).toBeLessThan(1000)
    expect(text).toMatch(/aleftb.*\n.*arightb/)
  })

  it('cuts a long line that is alone', () => {
    expect(shortenLines(`message\n${'a'.repeat(1000)}`)).toBe(`message\n${'a'.repeat(400)} …`)
  })
})

describe('dropLines', () => {
  it('keeps the first 60 lines, and says how many it drops', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
    const expected = [...lines.slice(0, 60), '… 40 more lines'].join('\n')
    expect(dropLines(lines.join('\n'))).toBe(expected)
    expect(dropLines('one\ntwo')).toBe('one\ntwo')
  })
})
