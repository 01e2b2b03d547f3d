import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exceedsElementCount } from '../../src/http/exceeds-element-count.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { runAll } from '../support/run-all.js'

const encoder = new TextEncoder()

/** Returns the smallest limit that the text does not exceed. */
function countOf(text: string): number {
  let limit = 0
  while (exceedsElementCount(encoder.encode(text), limit)) limit++
  return limit
}

describe('exceedsElementCount', () => {
  it.each([
    ['1', 0],
    ['[]', 1],
    ['[1,2,3]', 3],
    ['{"a":1,"b":[1]}', 3],
    ['"a,[{"', 0],
    ['["a\\",[{"]', 1],
    ['["a\\\\",1]', 2],
    ['["a\\\\\\",1]', 1],
    ['"', 0],
    ['["a', 1],
  ])('counts the elements of %s as %d', (text, count) => {
    expect(countOf(text)).toBe(count)
  })

  it('counts members and elements, and an empty array or object as one', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(countOf(JSON.stringify(value))).toBe(elementsIn(value))
      }),
      { numRuns: propertyRuns() },
    )
  })

  it.runIf(runAll)('takes time proportional to the length of the text', () => {
    for (const unit of ['"', '\\', '\\"', '"\\', ',', '["']) {
      const bytes = encoder.encode(unit.repeat(1_000_000 / unit.length))
      const cpuTime = measureCpuTime()
      exceedsElementCount(bytes, Number.POSITIVE_INFINITY)
      expect(cpuTime()).toBeLessThan(500)
    }
  })
})

function elementsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return (
    Math.max(1, members.length) +
    members.reduce<number>((sum, member) => sum + elementsIn(member), 0)
  )
}
