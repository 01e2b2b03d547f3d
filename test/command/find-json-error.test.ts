import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonError } from '../../src/command/find-json-error.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

describe('findJsonError', () => {
  it.each([
    ['', 1, 1],
    ['{"a"', 1, 5],
    ['{\n  "a": s3cret\n}', 2, 8],
    ['{"a":1,}', 1, 8],
    ['[1,]', 1, 4],
    ['[1 2]', 1, 4],
    ['{"a":1}\n}', 2, 1],
    ['{"a" 1}', 1, 6],
    ['{1:1}', 1, 2],
    ['["a\nb"]', 1, 4],
    ['["\\x"]', 1, 3],
    ['[01]', 1, 3],
    ['[]]', 1, 3],
    ['[}', 1, 2],
  ])('returns for %j line %i and column %i', (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(findJsonError(text)).toEqual({ line, column })
  })

  it('reads every JSON text to its end, and stops before the end of what is not JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ unit: 'binary' }), (json, at, insert) => {
        expect(offsetOf(json)).toBe(json.length)
        const index = at % (json.length + 1)
        const changed = json.slice(0, index) + insert + json.slice(index)
        const offset = offsetOf(changed)
        if (isJson(changed)) expect(offset).toBe(changed.length)
        // A text is a beginning of JSON up to its error: no error of a shorter one is before it.
        else expect(offsetOf(changed.slice(0, offset))).toBe(offset)
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  it('reads strings that are longer than the stack', () => {
    const text = `["${'\\n'.repeat(5_000_000)}" 1]`
    expect(findJsonError(text).column).toBe(text.length - 1)
  })
})

function offsetOf(text: string): number {
  const { line, column } = findJsonError(text)
  const lines = text.split('\n').slice(0, line - 1)
  return lines.reduce((sum, one) => sum + one.length + 1, column - 1)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
