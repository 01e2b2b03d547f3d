import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../src/core/runtime/change.js'
import {
  type ChangeHooks,
  itemChange,
  withChangeHooks,
} from '../../../src/core/runtime/change-hooks.js'
import { storedItem } from '../../support/items/item-builders.js'

const change: Change = { type: 'vault.updated', vaultId: 'v'.repeat(26), version: 2 }

/** Hooks and a write that log the order of calls. */
function loggingHooks(beforeWrite: ChangeHooks['beforeWrite'] = async () => {}) {
  const order: string[] = []
  const hooks: ChangeHooks = {
    beforeWrite: async (pending) => {
      order.push(`before ${pending.type}`)
      await beforeWrite(pending)
    },
    afterWrite: (written) => order.push(`after ${written.type}`),
  }
  const write =
    <Result>(result: Result) =>
    async (): Promise<Result> => {
      order.push('write')
      return result
    }
  return { hooks, order, write }
}

describe('withChangeHooks', () => {
  it.each([true, { version: 2 }])(
    'calls the hooks before and after a write that returns %j',
    async (result) => {
      const { hooks, order, write } = loggingHooks()
      expect(await withChangeHooks({ hooks }, change, write(result))).toBe(result)
      expect(order).toEqual(['before vault.updated', 'write', 'after vault.updated'])
    },
  )

  it.each([false, undefined])(
    'does not call afterWrite when the write returns %s',
    async (result) => {
      const { hooks, order, write } = loggingHooks()
      expect(await withChangeHooks({ hooks }, change, write(result))).toBe(result)
      expect(order).toEqual(['before vault.updated', 'write'])
    },
  )

  it('does not write when beforeWrite rejects', async () => {
    const { hooks, order, write } = loggingHooks(() => Promise.reject(new Error('no')))
    await expect(withChangeHooks({ hooks }, change, write(true))).rejects.toThrow('no')
    expect(order).toEqual(['before vault.updated'])
  })

  it('rejects without calling afterWrite when the write rejects', async () => {
    const { hooks, order } = loggingHooks()
    const write = () => Promise.reject(new Error('broken'))
    await expect(withChangeHooks({ hooks }, change, write)).rejects.toThrow('broken')
    expect(order).toEqual(['before vault.updated'])
  })

  it('writes without hooks', async () => {
    const write = vi.fn(async () => true)
    await expect(withChangeHooks({}, change, write)).resolves.toBe(true)
    expect(write).toHaveBeenCalledOnce()
  })
})

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
