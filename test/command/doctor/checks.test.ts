import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { describe, expect, it } from 'vitest'
import { checkClock, checkNode, checkSettings } from '../../../src/command/doctor/checks.js'

describe('checkNode', () => {
  it.each([
    ['20.20.2', 'failed'],
    ['22.17.1', 'failed'],
    ['22.18.0', 'ok'],
    ['24.0.0', 'ok'],
  ])('returns for %s the status %s', (version, status) => {
    expect(checkNode(version)).toMatchObject({ name: 'node', status })
  })
})

describe('checkSettings', () => {
  it.each([
    ['memory', undefined, 'warning'],
    ['sqlite', undefined, 'ok'],
    ['etcd', undefined, 'ok'],
    ['postgres', { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }, 'ok'],
    ['postgres', { fsync: 'off', full_page_writes: 'on', synchronous_commit: 'on' }, 'failed'],
    ['postgres', { fsync: 'on', full_page_writes: 'off', synchronous_commit: 'on' }, 'failed'],
    ['postgres', { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'off' }, 'failed'],
    ['mysql', { innodb_flush_log_at_trx_commit: '1', sync_binlog: '0' }, 'ok'],
    ['mysql', { innodb_flush_log_at_trx_commit: '2', sync_binlog: '1' }, 'failed'],
  ] as const)('returns for %s with %j the status %s', (kind, values, status) => {
    expect(checkSettings(kind, values)).toMatchObject({ status })
  })
})

describe('checkClock', () => {
  it('fails when the clock differs from that of the server, or is behind a vault', async () => {
    const store = createMemoryStore()
    expect(await checkClock(store, undefined)).toMatchObject({ status: 'ok' })
    const near = new Date(Date.now() - 4_000)
    expect(await checkClock(store, near)).toMatchObject({ status: 'ok' })
    const far = new Date(Date.now() - 60_000)
    expect(await checkClock(store, far)).toMatchObject({
      status: 'failed',
      text: '60 s apart from the server',
    })
    const now = () => new Date(Date.now() + 60_000)
    const service = createVaultService({ store, now })
    await service.createVault(createCaller({ id: 'tester', vaults: '*' }), { name: 'Later' })
    expect(await checkClock(store, undefined)).toMatchObject({ status: 'failed' })
  })
})
