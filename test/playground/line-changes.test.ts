import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareJson } from '../../site/playground/line-changes.js'

const withoutComma = (text: string): string => text.replace(/,$/, '')
const linesOf = (value: unknown): readonly string[] => JSON.stringify(value, null, 2).split('\n')

describe('compareJson', () => {
  it('has the lines of both values in order, for any two values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const lines = compareJson(before, after)
        const now = lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)
        const old = lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text)
        expect(now).toEqual(linesOf(after))
        expect(old.map(withoutComma)).toEqual(linesOf(before).map(withoutComma))
      }),
    )
  })

  it('has the lines of both values in order, for lists with much in common', () => {
    const list = fc.array(fc.nat({ max: 3 }))
    fc.assert(
      fc.property(list, list, (before, after) => {
        const lines = compareJson(before, after)
        const now = lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)
        const old = lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text)
        expect(now).toEqual(linesOf(after))
        expect(old.map(withoutComma)).toEqual(linesOf(before).map(withoutComma))
      }),
    )
  })

  it('marks nothing for equal values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(compareJson(value, value).every(({ kind }) => kind === 'same')).toBe(true)
      }),
    )
  })

  it('marks only the lines that differ, and no comma', () => {
    const marked = compareJson({ title: 'A', tags: ['x'] }, { title: 'B', tags: ['x', 'y'] })
      .filter(({ kind }) => kind !== 'same')
      .map(({ kind, text }) => `${kind} ${text.trim()}`)
    expect(marked).toEqual(['removed "title": "A",', 'added "title": "B",', 'added "y"'])
  })

  it('marks one line of an item with 400 fields', () => {
    const field = { id: 'x', type: 'STRING', label: 'x', value: 'x' }
    const item = (title: string) => ({ title, fields: Array(400).fill(field), version: 1 })
    const marked = compareJson(item('A'), item('B')).filter(({ kind }) => kind !== 'same')
    expect(marked.map(({ text }) => text)).toEqual(['  "title": "A",', '  "title": "B",'])
  })

  it('replaces all lines that differ where there are very many', () => {
    const list = (count: number, first: number) =>
      Array.from({ length: count }, (_, index) => first + index)
    const kinds = compareJson(list(2500, 0), list(2500, 10_000)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'removed')).toHaveLength(2500)
    expect(kinds.filter((kind) => kind === 'added')).toHaveLength(2500)
  })
})
