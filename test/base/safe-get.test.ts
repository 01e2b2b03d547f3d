import { describe, expect, it } from 'vitest'
import { safeGet } from '../../src/base/safe-get.js'

describe('safeGet', () => {
  it('returns the property of an object or a function', () => {
    expect(safeGet(class Quota {}, 'name')).toBe('Quota')
    expect(safeGet({ code: 5 }, 'code')).toBe(5)
    expect(safeGet(new Error('x'), 'message')).toBe('x')
    expect(safeGet(['a'], 0)).toBe('a')
  })

  it.each([undefined, null, 'text', 5, {}])('returns undefined for %o', (value) => {
    expect(safeGet(value, 'code')).toBeUndefined()
  })

  it('returns undefined when reading the property throws', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(safeGet(proxy, 'code')).toBeUndefined()
  })
})
