import { describe, expect, it } from 'vitest'
import { itemChange } from '../../../src/core/runtime/change.js'
import { storedItem } from '../../support/items/item-builders.js'

describe('itemChange', () => {
  it('contains only the ids and the version of the item', () => {
    const item = storedItem({ title: 'secret', tags: ['secret'] })
    expect(itemChange('item.updated', item)).toEqual({
      type: 'item.updated',
      vaultId: item.vault.id,
      itemId: item.id,
      version: 3,
    })
  })
})
