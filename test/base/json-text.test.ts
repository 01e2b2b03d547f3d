import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfJsonString, escapePointerToken } from '../../src/base/json-text.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

describe('endOfJsonString', () => {
  it('returns the offset behind any string that JSON.stringify writes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('\\', '"', 'u', 'a', '\n', '😀') }),
        (value) => {
          const before = '{"a":'
          const json = JSON.stringify(value)
          const text = `${before}${json},"b":"c"}`
          expect(endOfJsonString(text, before.length)).toBe(before.length + json.length)
        },
      ),
      { numRuns: propertyRuns() },
    )
  })

  it.each(['"', '"abc', '"\\"', '"\\\\\\"'])(
    'returns the length of %j, whose string does not end',
    (text) => {
      expect(endOfJsonString(text, 0)).toBe(text.length)
    },
  )
})

describe('escapePointerToken', () => {
  it.each([
    ['', ''],
    ['label', 'label'],
    ['a/b~c', 'a~1b~0c'],
    ['~1/', '~01~1'],
  ])('escapes %j as %j', (token, text) => {
    expect(escapePointerToken(token)).toBe(text)
  })
})
