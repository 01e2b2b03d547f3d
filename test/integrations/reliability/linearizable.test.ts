import { describe, expect, it } from 'vitest'
import {
  checkBrokenStore,
  checkProcessLock,
  checkStore,
} from '../../../tools/reliability/linearizable/check-store.js'
import { brokenStores } from '../../../tools/reliability/support/broken-stores.js'
import { runAll } from '../../support/run-all.js'

describe('checkStore', () => {
  it('finds no violation on the memory store', async () => {
    const findings = await checkStore('memory', { histories: 6, operations: 800, seed: 7 })
    expect(findings).toMatchObject({ histories: 6, violations: [] })
    expect(findings.operations).toBeGreaterThan(4500)
    expect(findings.unknown).toBeGreaterThan(50)
  })

  it.each(runAll ? ['sqlite', 'encrypted-sqlite', 'own'] : ['sqlite'])(
    'finds no violation on the store %s, which four processes share',
    async (store) => {
      const findings = await checkStore(store, { histories: 1, operations: 400, seed: 3 })
      expect(findings).toMatchObject({ histories: 1, violations: [] })
      expect(findings.operations).toBeGreaterThan(350)
    },
  )

  it.each([...brokenStores])('catches a store that %s', async (_, breakRecords) => {
    const { violations } = await checkBrokenStore(breakRecords, {
      histories: 20,
      operations: 2000,
      seed: 1,
    })
    expect(violations[0]).toMatch(/^seed \d+: /)
  })

  it('catches a store that has a lock for each process', async () => {
    const { violations } = await checkProcessLock({ histories: 20, operations: 2000, seed: 1 })
    expect(violations[0]).toMatch(/^seed \d+: /)
  })
})
