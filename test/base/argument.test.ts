import { describe, expect, it } from 'vitest'
import {
  anyFunction,
  callback,
  clock,
  findProblem,
  flag,
  integer,
  type Kind,
  kindOf,
  like,
  limit,
  list,
  number,
  object,
  oneOf,
  readArgument,
  result,
  text,
} from '../../src/base/argument.js'

const promise = Promise.resolve('value')

/** Kinds, and the ends of their messages with the values that they are thrown for. */
const rejected: Readonly<Record<string, [Kind<unknown, never>, readonly unknown[]]>> = {
  'must be a boolean': [flag(), ['true', null, undefined]],
  'must be a string': [text(), [7, null, undefined, {}]],
  'must be 1 to 3 digits': [text('1 to 3 digits', /^\d{1,3}$/), ['', '1234', 12]],
  'must be low or high': [oneOf('low', 'high'), ['lo', undefined]],
  'must be a, b or c': [oneOf('a', 'b', 'c'), ['d', ['a']]],
  'must be one of a, b, c, d': [oneOf('a', 'b', 'c', 'd'), ['e']],
  'must be a function': [callback(), ['value', null, {}]],
  'must be a function, such as the result of createCallback': [
    result('createCallback', 'createOther'),
    [null, function createCallback() {}, function createOther() {}],
  ],
  'must be an object with get, of': [like({ get: anyFunction, of: {} }), [null, 'value', () => {}]],
  'must be an object with any members': [like({}), [undefined, 7]],
  'must be an object': [object(), [null, 'value', [], new Uint8Array(1), undefined]],
  'must be a list of names': [list('a list of names', text()), ['value', {}, new Set()]],
  'must be the letter a': [kindOf('the letter a', (value) => value === 'a'), ['b', undefined]],
  'must be a whole number of 0 or more': [integer({ min: 0 }), ['0', null, 7n]],
  'must be a number from 0.5 to 2,147,483,647': [number({ min: 0.5, max: 2 ** 31 - 1 }), ['1']],
  'must be a number of 1 or more, or Infinity': [limit({ min: 1 }), ['Infinity', undefined]],
}

describe('kinds of arguments', () => {
  const cases = Object.entries(rejected).map(([message, [kind, values]]) => ({
    ...{ message, kind, values },
  }))

  it.each(cases)('throw TypeError: path $message', ({ message, kind, values }) => {
    for (const value of values)
      expect(() => kind(value as never, 'path')).toThrow(new TypeError(`path ${message}`))
  })

  it.each(cases)('report a promise instead of a value that $message', ({ kind }) => {
    expect(() => kind(promise as never, 'path')).toThrow(
      new TypeError('path is a promise: is await missing?'),
    )
  })

  it.each([
    [
      'a whole number of 0 or more',
      integer({ min: 0 }),
      [-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY],
    ],
    ['a whole number from 1 to 5', integer({ min: 1, max: 5 }), [0, 6, 1.5]],
    ['a number of 0 or more', number({ min: 0 }), [-0.1, Number.NaN, Number.POSITIVE_INFINITY]],
    ['a number from 1 to 2', number({ min: 1, max: 2 }), [0.9, 2.1]],
    ['a number from 1 to 2 seconds', number({ unit: 'seconds', min: 1, max: 2 }), [0.9, 2.1]],
    ['a whole number of 5 milliseconds or more', integer({ unit: 'milliseconds', min: 5 }), [4]],
    ['a number from 1 to 2, or Infinity', limit({ min: 1, max: 2 }), [0.9, 2.1, Number.NaN]],
    [
      'a number of 1 or more, or Infinity',
      limit({ min: 1 }),
      [0.9, Number.NaN, Number.NEGATIVE_INFINITY],
    ],
  ])('throw RangeError: path must be %s', (expected, kind, values) => {
    for (const value of values)
      expect(() => kind(value, 'path')).toThrow(new RangeError(`path must be ${expected}`))
  })

  it('accept the values of their ranges', () => {
    for (const value of [0, 2 ** 53 - 1]) expect(integer({ min: 0 })(value, 'path')).toBe(value)
    for (const value of [1, 1.5, 2]) expect(number({ min: 1, max: 2 })(value, 'path')).toBe(value)
    for (const value of [1, Number.POSITIVE_INFINITY])
      expect(limit({ min: 1 })(value, 'path')).toBe(value)
  })

  it('name the member that is wrong', () => {
    const store = { records: { get: 'value' } }
    expect(findProblem(like({ records: { get: anyFunction } }), store)).toBe(
      '.records.get must be a function',
    )
    expect(() => list('a list', text())(['a', 7 as never], 'path')).toThrow(
      new TypeError('path[1] must be a string'),
    )
    expect(() => clock(Date.now as never, 'options.now')).toThrow(
      new TypeError('options.now().getTime must be a function'),
    )
  })

  it('keep the members of a function, and the object that it belongs to', () => {
    const owner = {
      name: 'owner',
      authenticate: Object.assign(
        function (this: { name: string }) {
          return this.name
        },
        { challenge: 'Basic' },
      ),
    }
    const read = result<typeof owner.authenticate>('bearerAuth')(owner.authenticate, 'path', owner)
    expect([read.call({ name: 'other' }), read.challenge]).toEqual(['owner', 'Basic'])
    expect(callback<typeof anyFunction>()(anyFunction, 'path')).toBe(anyFunction)
  })
})

describe('readArgument', () => {
  it('returns the first argument', () => {
    expect(readArgument(text(), { path: 'a', options: {} })).toBe('a')
  })

  it('throws TypeError when two arguments are swapped', () => {
    expect(() => readArgument(text(), { path: {}, options: 'SWORDFISH' })).toThrow(
      new TypeError('path and options are swapped'),
    )
  })

  it('throws the error of its kind when no other argument fits', () => {
    expect(() => readArgument(text(), { path: 7, options: {} })).toThrow(
      new TypeError('path must be a string'),
    )
  })
})
