import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../src/core/runtime/change.js'
import {
  type ChangeHooks,
  itemChange,
  withChangeHooks,
} from '../../../src/core/runtime/change-hooks.js'
import { storedItem } from '../../support/items/item-builders.js'

const change: Change = { type: 'vault.updated', vaultId: 'v'.repeat(26), version: 2 }

/** A witness, and what happens in which order. */
function watching(before: ChangeHooks['beforeWrite'] = async () => {}) {
  const order: string[] = []
  const hooks: ChangeHooks = {
    beforeWrite: async (seen) => {
      order.push(`before ${seen.type}`)
      await before(seen)
    },
    afterWrite: (seen) => order.push(`after ${seen.type}`),
  }
  const write =
    <Result>(result: Result) =>
    async (): Promise<Result> => {
      order.push('write')
      return result
    }
  return { witness: hooks, order, write }
}

describe('witnessed', () => {
  it.each([true, { version: 2 }])('is seen before the change and after it: %j', async (result) => {
    const { witness: hooks, order, write } = watching()
    expect(await withChangeHooks({ hooks }, change, write(result))).toBe(result)
    expect(order).toEqual(['before vault.updated', 'write', 'after vault.updated'])
  })

  it.each([false, undefined])(
    'is not seen after a change that was not made: %s',
    async (result) => {
      const { witness: hooks, order, write } = watching()
      expect(await withChangeHooks({ hooks }, change, write(result))).toBe(result)
      expect(order).toEqual(['before vault.updated', 'write'])
    },
  )

  it('makes no change that the witness does not let happen', async () => {
    const { witness: hooks, order, write } = watching(() => Promise.reject(new Error('no')))
    await expect(withChangeHooks({ hooks }, change, write(true))).rejects.toThrow('no')
    expect(order).toEqual(['before vault.updated'])
  })

  it('rejects as the change does, which is not seen after', async () => {
    const { witness: hooks, order } = watching()
    const write = () => Promise.reject(new Error('broken'))
    await expect(withChangeHooks({ hooks }, change, write)).rejects.toThrow('broken')
    expect(order).toEqual(['before vault.updated'])
  })

  it('makes the change where nobody looks', async () => {
    const write = vi.fn(async () => true)
    await expect(withChangeHooks({}, change, write)).resolves.toBe(true)
    expect(write).toHaveBeenCalledOnce()
  })
})

describe('deedOf', () => {
  it('holds the ids and the version of an item, and nothing else of it', () => {
    const item = storedItem({ title: 'secret', tags: ['secret'] })
    expect(itemChange('item.updated', item)).toEqual({
      type: 'item.updated',
      vaultId: item.vault.id,
      itemId: item.id,
      version: 3,
    })
  })
})
