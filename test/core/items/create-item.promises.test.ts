import { createHook } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, loginDraft } from '../../../src/testing.js'

/** Counts the async resources that are created until `stop` is called, by type. */
function countAsync() {
  const counts = new Map<string, number>()
  const hook = createHook({
    init: (_, type) => void counts.set(type, (counts.get(type) ?? 0) + 1),
  }).enable()
  return () => {
    hook.disable()
    return counts
  }
}

describe('createItem: asynchronous functions', () => {
  it('reaches the put of the store with at most 13 promises and no timer', async () => {
    const inner = createMemoryStore()
    const { vaultId } = await createTestVault({ store: inner })
    let stop = (): ReadonlyMap<string, number> => new Map()
    let counts: ReadonlyMap<string, number> | undefined
    const store = {
      ...inner,
      records: {
        ...inner.records,
        put: (...args: Parameters<typeof inner.records.put>) => {
          counts = stop()
          return inner.records.put(...args)
        },
      },
    }
    const service = createVaultService({ store })
    const caller = createCaller('tester', '*')
    const item = loginDraft(vaultId)
    await service.createItem(caller, { vaultId, item })
    stop = countAsync()
    await service.createItem(caller, { vaultId, item })
    // Five functions, one call of the store, and what V8 creates for each `await`.
    expect(counts?.get('PROMISE')).toBeLessThanOrEqual(13)
    expect(counts?.get('Timeout')).toBeUndefined()
  })
})
