import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { countAttempts } from '../../../tools/reliability/race/count-attempts.js'
import { percentile } from '../../../tools/reliability/race/percentile.js'
import { runContention } from '../../../tools/reliability/race/run-contention.js'

const options = { engine: 'sqlite', processes: 2, patchers: 4, patches: 25 }

describe('runContention', () => {
  it('finds every acknowledged change of two processes in the item', async () => {
    const findings = await runContention({ ...options, isBroken: false })
    expect(findings).toMatchObject({ acknowledged: 200, unknown: 0, lost: 0 })
    expect(findings.p99).toBeGreaterThanOrEqual(1)
  })

  it('catches a last-write-wins store', async () => {
    const { acknowledged, lost } = await runContention({ ...options, isBroken: true })
    expect(acknowledged).toBe(200)
    expect(lost).toBeGreaterThan(0)
  })
})

describe('countAttempts', () => {
  it('counts the puts of each change separately when they run at the same time', async () => {
    const { records, countDuring } = countAttempts(createMemoryStore().records)
    const puts = (id: string, count: number) => async (): Promise<void> => {
      for (let version = 0; version < count; version++) {
        await new Promise((resolve) => setImmediate(resolve))
        await records.put({ collection: 'c', id }, { body: new Uint8Array(0) }, version)
      }
    }
    const counted = await Promise.all([countDuring(puts('a', 3)), countDuring(puts('b', 1))])
    expect(counted.map(({ attempts }) => attempts)).toEqual([3, 1])
  })
})

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)

  it.each([
    [50, 50],
    [99, 99],
    [100, 100],
    [0, 1],
  ])('returns for %i percent of 1 to 100 the number %i', (share, number) => {
    expect(percentile(hundred, share)).toBe(number)
  })

  it('returns 0 for an empty list', () => {
    expect(percentile([], 99)).toBe(0)
  })
})
