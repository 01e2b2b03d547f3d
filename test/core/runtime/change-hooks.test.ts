import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../src/core/runtime/change.js'
import {
  type ChangeHooks,
  itemChange,
  recordChange,
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

describe('recordChange', () => {
  it('calls beforeWrite with the id of a new file, and not afterWrite', async () => {
    const beforeWrite = vi.fn(async () => {})
    const afterWrite = vi.fn()
    await recordChange({ hooks: { beforeWrite, afterWrite } }, change, 'file')
    expect(beforeWrite.mock.calls).toEqual([[change, 'file']])
    expect(afterWrite).not.toHaveBeenCalled()
  })

  it('rejects when beforeWrite rejects, and resolves without hooks', async () => {
    const { hooks } = loggingHooks(() => Promise.reject(new Error('no')))
    await expect(recordChange({ hooks }, change)).rejects.toThrow('no')
    await expect(recordChange({}, change)).resolves.toBeUndefined()
  })
})

describe('hooks of changes', () => {
  it('are called in change-hooks.ts only', () => {
    const src = join(import.meta.dirname, '../../../src')
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .filter((path) =>
        /\bhooks\??\.(?:before|after)Write\b/.test(readFileSync(join(src, path), 'utf8')),
      )
    expect(files).toEqual([join('core', 'runtime', 'change-hooks.ts')])
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
