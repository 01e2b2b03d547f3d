import { createReferenceResolver } from 'cofferkit/references'
import { describe, expect, it } from 'vitest'
import type { FieldDraft } from '../../src/index.js'
import { createTestVault } from '../../src/testing.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { runAll } from '../support/run-all.js'

describe('createReferenceResolver', () => {
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
