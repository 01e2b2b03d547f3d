import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson } from '../../../src/core/patch/apply-patch.js'
import { isUnpolluted } from '../../support/source/prototype-pollution.js'

describe('cloneJson', () => {
  it('copies any JSON value like JSON.parse(JSON.stringify(value))', () => {
    const law = fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value, (key, member) =>
        key === '__proto__' ? undefined : member,
      )
      expect(JSON.stringify(cloneJson(value))).toBe(text)
    })
    fc.assert(law, { numRuns: 10_000 })
  })

  it('shares nothing with the original on any level', () => {
    const value = { list: [{ deep: ['x'] }] }
    const copy = cloneJson(value) as typeof value
    copy.list[0]?.deep.push('y')
    copy.list.push({ deep: [] })
    expect(value).toEqual({ list: [{ deep: ['x'] }] })
  })

  it('omits undefined members and keeps null', () => {
    expect(cloneJson({ a: undefined, b: { c: undefined, d: null } })).toStrictEqual({
      b: { d: null },
    })
  })

  it('omits a key __proto__ on every level and modifies no prototype', () => {
    const copy = cloneJson(JSON.parse('{"a":{"__proto__":{"bad":1}},"__proto__":{"bad":1}}'))
    expect(copy).toStrictEqual({ a: {} })
    expect(Reflect.get(Object(copy), 'bad')).toBeUndefined()
    expect(isUnpolluted()).toBe(true)
  })

  it('copies own members only, into a plain object', () => {
    const value = Object.assign(Object.create({ inherited: 1 }), { own: 1 })
    expect(cloneJson(value)).toStrictEqual({ own: 1 })
  })
})
