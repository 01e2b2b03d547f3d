import { describe, expect, it } from 'vitest'
import { getItemsInputSchema, setItemStateInputSchema } from '../../src/schema/inputs.js'

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(26, '0'))

describe('the items that are asked for', () => {
  it.each([1, 2, 100])('may be %i', (count) => {
    expect(getItemsInputSchema.parse({ itemIds: ids(count) })).toEqual({ itemIds: ids(count) })
  })

  it.each([
    {},
    { itemIds: [] },
    { itemIds: ids(101) },
    { itemIds: [...ids(2), ...ids(1)] },
    { itemIds: ['X'] },
    { itemIds: ids(1)[0] },
  ])('may not be %j', (input) => {
    expect(getItemsInputSchema.safeParse(input).success).toBe(false)
  })
})

describe('the state that an item gets', () => {
  it.each([{}, { state: undefined }, { state: null }, { state: 'ARCHIVED' }, { state: 'DELETED' }])(
    'may be %j',
    (input) => {
      expect(setItemStateInputSchema.parse(input)).toEqual(input)
    },
  )

  it.each([{ state: 'archived' }, { state: '' }, { state: 7 }])('may not be %j', (input) => {
    expect(setItemStateInputSchema.safeParse(input).success).toBe(false)
  })
})
