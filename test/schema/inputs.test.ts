import { describe, expect, it } from 'vitest'
import type { ZodMiniType } from 'zod/mini'
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

describe('schemas of inputs', () => {
  it.each<[ZodMiniType, object]>([
    [getItemsInputSchema, { itemIds: ids(2) }],
    [getItemsInputSchema, { itemIds: ids(100) }],
    [setItemStateInputSchema, { state: undefined }],
    [listItemsInputSchema, { sortBy: 'title', sortOrder: 'descending', ignoreCase: true }],
    ...['createdAt', 'updatedAt', 'category'].map((sortBy): [ZodMiniType, object] => [
      listItemsInputSchema,
      { sortBy },
    ]),
    ...['name', 'createdAt', 'updatedAt'].map((sortBy): [ZodMiniType, object] => [
      listVaultsInputSchema,
      { sortBy },
    ]),
    [pageInputSchema, {}],
    [pageInputSchema, { filter: '' }],
    [pageInputSchema, { filter: 'x'.repeat(4096), limit: 1000, after: '0'.repeat(26) }],
    [pageInputSchema, { filter: undefined, limit: undefined, after: undefined }],
  ])('accept %#', (schema, input) => {
    expect(parse(schema, input)).toEqual(input)
  })

  it.each<[ZodMiniType, object, string | RegExp]>([
    [getItemsInputSchema, {}, 'itemIds must be an array'],
    [getItemsInputSchema, { itemIds: ids(1)[0] }, 'itemIds must be an array'],
    [getItemsInputSchema, { itemIds: [] }, 'itemIds must be at least 1 elements long'],
    [getItemsInputSchema, { itemIds: ids(101) }, 'itemIds must be at most 100 elements long'],
    [
      getItemsInputSchema,
      { itemIds: [...ids(2), ...ids(1)] },
      'itemIds must not contain duplicates',
    ],
    [getItemsInputSchema, { itemIds: [...ids(1), 'X'] }, 'itemIds/1 has an invalid format'],
    [getItemsInputSchema, { itemIds: [7] }, 'itemIds/0 must be a string'],
    [
      setItemStateInputSchema,
      { state: 'archived' },
      'state must be one of "ACTIVE", "ARCHIVED", "DELETED"',
    ],
    [listItemsInputSchema, { sortBy: 'name' }, /^sortBy must be one of "title", /],
    [listItemsInputSchema, { sortBy: '' }, /^sortBy must be one of /],
    [listVaultsInputSchema, { sortBy: 'category' }, /^sortBy must be one of "name", /],
    [pageInputSchema, { sortOrder: 'up' }, 'sortOrder must be one of "ascending", "descending"'],
    [pageInputSchema, { ignoreCase: 'true' }, 'ignoreCase must be a boolean'],
    [pageInputSchema, { limit: 0 }, 'limit must be at least 1'],
    [pageInputSchema, { limit: 1001 }, 'limit must be at most 1000'],
    [pageInputSchema, { limit: 1.5 }, 'limit must be an integer'],
    [pageInputSchema, { limit: Number.NaN }, 'limit must be a number'],
    [pageInputSchema, { limit: '5' }, 'limit must be a number'],
    [pageInputSchema, { after: '' }, 'after has an invalid format'],
    [pageInputSchema, { after: 'SECRET' }, 'after has an invalid format'],
    [pageInputSchema, { filter: 1 }, 'filter must be a string'],
    [
      pageInputSchema,
      { filter: 'SECRET'.repeat(1000) },
      'filter must be at most 4096 characters long',
    ],
  ])('reject %#: %j', (schema, input, message) => {
    const error = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(() => parse(schema, input)).toThrow(expect.objectContaining(invalid(error)))
  })
})
