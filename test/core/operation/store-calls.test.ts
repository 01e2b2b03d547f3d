import { describe, expect, it } from 'vitest'
import { createVaultService } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { observedCalls } from '../../support/service/observed-calls.js'
import { operationExamples, toCallRef } from '../../support/service/operation-examples.js'
import { createRecordingStore } from '../../support/stores/stores.js'

describe('createVaultService', () => {
  it.each(observedCalls)(
    'makes the calls of operationExamples to its store for $name',
    async (call) => {
      const vault = await createTestVault({ history: { maxVersions: 5 } })
      const store = createRecordingStore(vault.store)
      const service = createVaultService({ store, history: { maxVersions: 5 } })
      await call.run(service, vault.caller, toCallRef(vault))
      expect(summary(store.calls)).toBe(operationExamples[call.name].storeCalls)
    },
  )
})

/** Returns the calls as a text, such as `2 records.get, records.put`. */
function summary(calls: readonly string[]): string {
  const runs: { readonly name: string; count: number }[] = []
  for (const name of calls) {
    const last = runs.at(-1)
    if (last?.name === name) last.count++
    else runs.push({ name, count: 1 })
  }
  return runs.map(({ name, count }) => (count === 1 ? name : `${count} ${name}`)).join(', ')
}
