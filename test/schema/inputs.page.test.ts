import { describe, expect, it } from 'vitest'
import { pageInputSchema } from '../../src/schema/inputs.js'
import { parse } from '../../src/schema/parse.js'
import { invalid } from '../support/service/rejections.js'

describe('what a list is told', () => {
  it.each([
    {},
    { limit: 1 },
    { limit: 1000 },
    { after: 'a'.repeat(26) },
    { filter: '' },
    { filter: 'x'.repeat(4096), limit: 2, after: '0'.repeat(26) },
    { filter: undefined, limit: undefined, after: undefined },
  ])('may be %j', (input) => {
    expect(parse(pageInputSchema, input)).toEqual(input)
  })

  it.each([
    [{ limit: 0 }, 'limit must be at least 1'],
    [{ limit: 1001 }, 'limit must be at most 1000'],
    [{ limit: 1.5 }, 'limit must be an integer'],
    [{ limit: Number.NaN }, 'limit must be a number'],
    [{ limit: '5' }, 'limit must be a number'],
    [{ after: '' }, 'after has an invalid format'],
    [{ after: 'SECRET' }, 'after has an invalid format'],
    [{ filter: 1 }, 'filter must be a string'],
    [{ filter: 'SECRET'.repeat(1000) }, 'filter must be at most 4096 characters long'],
  ])('is refused where it is wrong', (input, message) => {
    expect(() => parse(pageInputSchema, input)).toThrow(expect.objectContaining(invalid(message)))
  })
})
