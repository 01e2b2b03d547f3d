import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findJsonPlaces,
  type JsonPlaces,
  JsonSyntaxError,
  lineAndColumn,
  placeOfPath,
} from '../../site/playground/json-places.js'

/** Returns the value that the text has at each place, in the form of the whole value. */
function valueAt(text: string, places: JsonPlaces): unknown {
  const value: unknown = JSON.parse(text.slice(places.start, places.end))
  for (const [name, member] of places.members)
    expect(valueAt(text, member)).toEqual(Reflect.get(Object(value), name))
  return value
}

function errorOf(text: string): readonly [number, string] | undefined {
  try {
    findJsonPlaces(text)
    return undefined
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return [error.offset, error.message]
  }
}

describe('findJsonPlaces', () => {
  it('finds every value of any JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = ` ${JSON.stringify(value, null, space)}\n`
        const places = findJsonPlaces(text)
        expect(valueAt(text, places)).toEqual(JSON.parse(text))
        const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 0
        expect(places.members.size).toBe(count)
      }),
    )
  })

  it('rejects exactly the texts that JSON.parse rejects', () => {
    const character = fc.constantFrom(
      ...'{}[]",:\\/ \n\t\u0000\u001f\u007f01.-+eEtruefalsnub\u2028',
    )
    const edit = fc.tuple(
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.string({ unit: character, maxLength: 2 }),
    )
    const edited = fc.tuple(fc.jsonValue(), edit).map(([value, [at, length, inserted]]) => {
      const text = JSON.stringify(value, null, 1)
      const start = at % (text.length + 1)
      return text.slice(0, start) + inserted + text.slice(start + length)
    })
    fc.assert(
      fc.property(fc.oneof(edited, fc.string({ unit: character })), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        expect(errorOf(text) === undefined).toBe(isJson)
      }),
      { numRuns: 2000 },
    )
  })

  it.each<[string, number, string]>([
    ['', 0, 'expected a value'],
    ['{"a": 1,}', 8, 'expected a name in double quotes'],
    ['[1, 2,]', 6, 'expected a value before ]'],
    ['[1 2]', 3, 'expected a comma or ]'],
    ['{"a" 1}', 5, 'expected a colon'],
    ['{"a": 1 "b": 2}', 8, 'expected a comma or }'],
    ["['a']", 1, 'a string needs double quotes'],
    ['["a]', 1, 'the string that begins here has no closing quote'],
    ['["a\n"]', 1, 'the string that begins here has no closing quote'],
    ['["a\tb"]', 3, 'a control character must be escaped'],
    ['["\\x"]', 2, 'this escape does not exist in JSON'],
    ['[] []', 3, 'expected the end of the text'],
    ['undefined', 0, 'expected a value'],
    ['[01]', 2, 'expected a comma or ]'],
    ['['.repeat(600), 501, 'more than 500 levels'],
  ])('rejects %j at offset %i', (text, offset, message) => {
    expect(errorOf(text)).toEqual([offset, message])
  })
})

describe('placeOfPath', () => {
  const text = '{ "fields": [{ "id": "pin" }, { "id": "a/b" }] }'
  const places = findJsonPlaces(text)

  it.each([
    ['fields/0/id', '"pin"'],
    ['fields/1', '{ "id": "a/b" }'],
    ['fields/1/value', '{ "id": "a/b" }'],
    ['fields/7/value', '[{ "id": "pin" }, { "id": "a/b" }]'],
    ['title', text],
    ['', text],
  ])('finds %j', (path, found) => {
    const { start, end } = placeOfPath(places, path)
    expect(text.slice(start, end)).toBe(found)
  })
})

describe('lineAndColumn', () => {
  it('counts both from 1', () => {
    expect(lineAndColumn('', 0)).toEqual([1, 1])
    expect(lineAndColumn('a\nbc', 1)).toEqual([1, 2])
    expect(lineAndColumn('a\nbc', 2)).toEqual([2, 1])
    expect(lineAndColumn('a\nbc', 4)).toEqual([2, 3])
  })
})
