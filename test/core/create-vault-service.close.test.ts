import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../src/activity.js'
import { createVaultService } from '../../src/index.js'
import { createTestVault } from '../../src/testing.js'
import { itemRef } from '../support/items/refs.js'
import { readEntries } from '../support/service/activity-entries.js'
import { observedCalls } from '../support/service/observed-calls.js'
import { toCallRef } from '../support/service/operation-examples.js'
import { createHangingStore } from '../support/stores/hanging-store.js'
import { createRecordingStore } from '../support/stores/stores.js'

const closed = { code: 'STORAGE_UNAVAILABLE', status: 503, message: 'the service is closed' }
const patch = [{ op: 'add', path: '/tags/-', value: 'x' }] as const

describe('VaultService.close', () => {
  it.each(observedCalls)('refuses $name with 503, and records nothing', async ({ run }) => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const activity = createMemoryActivityLog()
    for (const options of [{}, { activity }]) {
      const service = createVaultService({ store, ...options })
      await service.close()
      await expect(run(service, vault.caller, toCallRef(vault))).rejects.toMatchObject(closed)
    }
    expect([store.calls, await readEntries(activity)]).toEqual([[], []])
  })

  it('refuses checkHealth with 503', async () => {
    const { service } = await createTestVault()
    await service.close()
    await expect(service.checkHealth()).rejects.toMatchObject(closed)
  })

  it.each([
    ['without an activity log', {}],
    ['with an activity log', { activity: createMemoryActivityLog() }],
  ])('resolves when all calls in progress have settled, %s', async (_, options) => {
    const vault = await createTestVault()
    const store = createHangingStore(vault.store)
    const service = createVaultService({ store, ...options })
    const release = store.hang('records.put')
    const settled: string[] = []
    const calls = ['one', 'two'].map((name) =>
      service
        .patchItem(vault.caller, { ...itemRef(vault), patch })
        .then(({ version }) => settled.push(`${name} ${version}`)),
    )
    const failing = service.getItem(undefined, itemRef(vault))
    const closing = service.close().then(() => settled.push('closed'))
    await expect(service.getItem(vault.caller, itemRef(vault))).rejects.toMatchObject(closed)
    await expect(failing).rejects.toMatchObject({ status: 401 })
    release()
    await Promise.all([...calls, closing])
    expect(settled).toEqual(['one 4', 'two 5', 'closed'])
  })

  it('waits for the entry of a call, and for checkHealth', async () => {
    const vault = await createTestVault()
    const gate = Promise.withResolvers<void>()
    const log = createMemoryActivityLog()
    const record: typeof log.record = async (entry) => {
      await gate.promise
      await log.record(entry)
    }
    const store = createHangingStore(vault.store)
    const service = createVaultService({ store, activity: { ...log, record } })
    const read = service.getItem(vault.caller, itemRef(vault))
    const rejected = service.getItem(undefined, itemRef(vault)).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 5))
    const release = store.hang('records.get')
    const healthy = service.checkHealth()
    let isClosed = false
    const closing = service.close().then(() => {
      isClosed = true
    })
    gate.resolve()
    await Promise.all([read, rejected])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isClosed).toBe(false)
    release()
    await Promise.all([healthy, closing])
    expect(await readEntries(log)).toHaveLength(2)
  })

  it('resolves at once without calls, and again with the same promise', async () => {
    const { service, store } = await createTestVault()
    const closing = service.close()
    expect(service.close()).toBe(closing)
    await closing
    expect(await store.records.get({ collection: 'vaults', id: 'x' })).toBeUndefined()
  })
})
