import { createReferenceResolver } from 'cofferkit/references'
import { describe, expect, it } from 'vitest'
import type { FieldDraft } from '../../src/index.js'
import { createTestVault } from '../../src/testing.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { runAll } from '../support/run-all.js'

describe('createReferenceResolver', () => {
  it('yields to the event loop between the references to an item with many fields', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const fields = Array.from({ length: 1000 }, (_, index): FieldDraft => {
      return { id: `f${index}`, type: 'STRING', value: String(index) }
    })
    const item = { category: 'LOGIN', title: 'Big', vault: { id: vaultId }, fields } as const
    await service.createItem(caller, { vaultId, item })
    const references = fields.slice(0, 50).map(({ id }) => `op://Test/Big/${id}`)
    const resolver = createReferenceResolver(service, caller)
    const turnsOfOne = await countTurns(() => resolver.resolve('op://Test/Big/f1'))
    const turns = await countTurns(() => resolver.resolveAll(references))
    expect(turns).toBeGreaterThan(turnsOfOne)
  })

  it.runIf(runAll)(
    'resolves 1,000 long labels in another case with turns of the event loop',
    async () => {
      const { service, caller, vaultId } = await createTestVault()
      const labels = Array.from({ length: 1000 }, (_, index) => 'A'.repeat(900) + index)
      const fields = labels.map((label, index): FieldDraft => {
        return { id: `f${index}`, type: 'STRING', label, value: String(index) }
      })
      const item = { category: 'LOGIN', title: 'Big', vault: { id: vaultId }, fields } as const
      await service.createItem(caller, { vaultId, item })
      const references = labels.map((label) => `op://Test/Big/${label.toLowerCase()}`)
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      const cpuTime = measureCpuTime()
      const values = await createReferenceResolver(service, caller).resolveAll(references)
      clearInterval(timer)
      expect(values).toEqual(fields.map(({ value }) => value))
      // It took 29 s without a turn.
      expect(cpuTime()).toBeLessThan(5000)
      expect(turns).toBeGreaterThan(5)
    },
  )
})

/** Returns how many turns of the event loop pass while the work is done. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const count = (): void => {
    turns++
    handle = setImmediate(count)
  }
  let handle = setImmediate(count)
  await work()
  clearImmediate(handle)
  return turns
}
