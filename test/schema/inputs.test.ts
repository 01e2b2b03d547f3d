import { describe, expect, it } from 'vitest'
import {
  getItemsInputSchema,
  listItemsInputSchema,
  listVaultsInputSchema,
  pageInputSchema,
  setItemStateInputSchema,
} from '../../src/schema/inputs.js'
import { parse } from '../../src/schema/parse.js'
import { invalid } from '../support/service/rejections.js'

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(26, '0'))

describe('getItemsInputSchema', () => {
  it.each([1, 2, 100])('accepts %i ids', (count) => {
    expect(getItemsInputSchema.parse({ itemIds: ids(count) })).toEqual({ itemIds: ids(count) })
  })

  it.each([
    {},
    { itemIds: [] },
    { itemIds: ids(101) },
    { itemIds: [...ids(2), ...ids(1)] },
    { itemIds: ['X'] },
    { itemIds: ids(1)[0] },
  ])('rejects %j', (input) => {
    expect(getItemsInputSchema.safeParse(input).success).toBe(false)
  })
})

describe('setItemStateInputSchema', () => {
  it.each([undefined, null, 'ACTIVE', 'ARCHIVED', 'DELETED'])('accepts the state %j', (state) => {
    expect(setItemStateInputSchema.parse({ state })).toEqual({ state })
    expect(setItemStateInputSchema.parse({})).toEqual({})
  })

  it.each([{ state: 'archived' }, { state: '' }, { state: 7 }])('rejects %j', (input) => {
    expect(setItemStateInputSchema.safeParse(input).success).toBe(false)
  })
})

describe('listItemsInputSchema', () => {
  it.each(['title', 'createdAt', 'updatedAt', 'category'])('accepts the order by %s', (sortBy) => {
    const input = { sortBy, sortOrder: 'descending', ignoreCase: true }
    expect(parse(listItemsInputSchema, input)).toEqual(input)
  })

  it.each([
    [{ sortBy: 'name' }, /^sortBy must be one of "title", /],
    [{ sortBy: '' }, /^sortBy must be one of /],
    [{ sortOrder: 'up' }, 'sortOrder must be one of "ascending", "descending"'],
    [{ ignoreCase: 'true' }, 'ignoreCase must be a boolean'],
  ])('rejects %j', (input, message) => {
    const error = expect.objectContaining({ message: expect.stringMatching(message) })
    expect(() => parse(listItemsInputSchema, input)).toThrow(error)
  })
})

describe('listVaultsInputSchema', () => {
  it.each(['name', 'createdAt', 'updatedAt'])('accepts the order by %s', (sortBy) => {
    expect(parse(listVaultsInputSchema, { sortBy })).toEqual({ sortBy })
  })

  it('rejects the order by an attribute that vaults lack', () => {
    expect(() => parse(listVaultsInputSchema, { sortBy: 'category' })).toThrow('sortBy must be')
  })
})

describe('pageInputSchema', () => {
  it.each([
    {},
    { limit: 1 },
    { limit: 1000 },
    { after: 'a'.repeat(26) },
    { filter: '' },
    { filter: 'x'.repeat(4096), limit: 2, after: '0'.repeat(26) },
    { filter: undefined, limit: undefined, after: undefined },
  ])('accepts %j', (input) => {
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
  ])('rejects %j', (input, message) => {
    expect(() => parse(pageInputSchema, input)).toThrow(expect.objectContaining(invalid(message)))
  })
})
