import { describe, expect, it } from 'vitest'
import { createVaultService, type MethodName } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { observedCalls, toCallRef } from '../../support/service/observed-calls.js'
import { createRecordingStore } from '../../support/stores/stores.js'

/** The calls of the store that each operation makes on the test vault, with history, in their order. */
const table: Readonly<Record<MethodName, string>> = {
  createVault: 'records.get, 4 records.list, records.put',
  listVaults: 'records.list',
  getVault: 'records.get',
  updateVault: 'records.get, records.put',
  deleteVault:
    'records.get, records.list, records.get, records.put, records.delete, records.list, 2 blobs.delete, 3 records.delete, 3 records.list, records.put, 4 records.list',
  collectGarbage: 'records.get, 2 records.list, records.get, 2 records.list',
  listActivity: '',
  listItems: 'records.get, records.list',
  createItem: 'records.get, records.put, records.get',
  getItem: 'records.get',
  getField: 'records.get',
  useField: 'records.get',
  describeItem: 'records.get',
  getItems: 'records.get',
  replaceItem: 'records.get, 2 records.put',
  patchItem: 'records.get, 2 records.put',
  regenerateField: 'records.get, 2 records.put',
  deleteItem:
    'records.get, records.put, records.delete, records.list, 2 blobs.delete, 3 records.delete',
  setItemState: 'records.get, 2 records.put',
  attachFile: 'records.get, records.put, blobs.write, records.get, 3 records.put, records.delete',
  removeFile: 'records.get, 3 records.put, blobs.delete, records.delete',
  listFiles: 'records.get, 2 blobs.read',
  getFileDetails: 'records.get, blobs.read',
  readFileContent: 'records.get, blobs.read',
  listVersions: 'records.get, records.list',
  getVersion: 'records.get',
  restoreVersion: '2 records.get, 2 records.put',
}

describe('createVaultService', () => {
  it.each(observedCalls)('makes the calls of the table to its store for $name', async (call) => {
    const vault = await createTestVault({ history: { maxVersions: 5 } })
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store, history: { maxVersions: 5 } })
    await call.run(service, vault.caller, toCallRef(vault))
    expect(summary(store.calls)).toBe(table[call.name])
  })
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
