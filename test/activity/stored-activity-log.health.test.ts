import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStoredActivityLog } from '../../src/activity.js'
import { createCaller, createVaultService } from '../../src/index.js'
import { createEncryptedStore } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore } from '../../src/testing.js'
import { createKeys } from '../support/stores/encrypted-stores.js'

const caller = createCaller({ id: 'tester', vaults: '*' })

/** A service with a log in a store of its own, and the calls of that store. */
function createLogged() {
  const inner = createMemoryStore()
  const calls: string[] = []
  let isDown = false
  const log = createFaultyStore(inner, ({ method, collection }) => {
    calls.push(`${method} ${collection}`)
    return isDown ? 'fail-before' : undefined
  })
  const activity = createStoredActivityLog(log)
  const service = createVaultService({ store: createMemoryStore(), activity })
  const setDown = (value: boolean): void => {
    isDown = value
  }
  return { inner, calls, service, setDown }
}

describe('checkHealth of a service with a stored activity log', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('writes, reads and deletes a record of its own, at most once in 10 s', async () => {
    const { inner, calls, service } = createLogged()
    await Promise.all([service.checkHealth(), service.checkHealth()])
    const once = ['get', 'put', 'get', 'delete'].map((method) => `${method} health/activity`)
    expect(calls).toEqual(once)
    vi.advanceTimersByTime(9_999)
    await service.checkHealth()
    expect(calls).toEqual(once)
    vi.advanceTimersByTime(1)
    await service.checkHealth()
    expect(calls).toEqual([...once, ...once])
    expect(await inner.records.list('health/activity', { limit: 1 })).toEqual([])
    const { entries } = await service.listActivity(caller)
    expect(entries).toEqual([])
  })

  it('rejects while the log fails, and looks again each time', async () => {
    const { service, setDown } = createLogged()
    setDown(true)
    await expect(service.checkHealth()).rejects.toMatchObject({ status: 500 })
    await expect(service.checkHealth()).rejects.toMatchObject({ status: 500 })
    setDown(false)
    expect(await service.checkHealth()).toBeUndefined()
  })

  it('rejects if the log does not have what was written', async () => {
    const inner = createMemoryStore()
    const forgetful = { ...inner.records, get: async () => undefined }
    const activity = createStoredActivityLog({ ...inner, records: forgetful })
    const service = createVaultService({ store: createMemoryStore(), activity })
    await expect(service.checkHealth()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('needs no other keys than the log', async () => {
    const inner = createMemoryStore()
    const store = createEncryptedStore(inner, { keys: createKeys() })
    const service = createVaultService({ store, activity: createStoredActivityLog(store) })
    await service.createVault(caller, { name: 'Team' })
    await service.checkHealth()
    const rings = await inner.records.list('keys', { limit: 9 })
    expect(rings.map(({ id }) => id)).toEqual(['activity', 'vaults'])
  })

  it('reads four records of an encrypted store between two looks at the log', async () => {
    let calls = 0
    const inner = createFaultyStore(createMemoryStore(), () => {
      calls += 1
      return undefined
    })
    const store = createEncryptedStore(inner, { keys: createKeys() })
    const service = createVaultService({ store, activity: createStoredActivityLog(store) })
    await service.createVault(caller, { name: 'Team' })
    await service.checkHealth()
    const probes = 500
    const before = process.cpuUsage()
    calls = 0
    for (let probe = 0; probe < probes; probe++) await service.checkHealth()
    const { user, system } = process.cpuUsage(before)
    expect(calls / probes).toBe(4)
    const milliseconds = (user + system) / 1000 / probes
    process.stdout.write(`a health probe: ${milliseconds.toFixed(2)} ms of CPU, 4 store calls\n`)
  })
})
