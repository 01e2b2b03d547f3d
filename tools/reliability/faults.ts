/**
 * Shows that an operation is complete or has not happened, whatever the store does. Each store call
 * of each operation fails in each way. `tools/reliability/faults/check-outcome.ts` lists the allowed
 * outcomes.
 *
 * `npm run prove -- faults [--short] [--operations patchItem,attachFile]`. The long form also takes
 * every pair of calls.
 */

import { parseArgs } from 'node:util'
import { createVaultService, type VaultStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { operationCalls } from './faults/operation-calls.js'
import { runFaultInjection } from './faults/run-fault-injection.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, operations: { type: 'string' } },
})
const names = values.operations?.split(',')
const operations = operationCalls.filter(({ name }) => names?.includes(name) ?? true)

const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
const layers: Readonly<Record<string, (store: VaultStore) => VaultStore>> = {
  plain: (store) => store,
  encrypted: (store) => createEncryptedStore(store, { keys }),
}

const rows = []
for (const [store, wrap] of Object.entries(layers)) {
  const options = { operations, createService: createVaultService, wrap }
  for await (const found of runFaultInjection({ ...options, depth: values.short ? 1 : 2 })) {
    rows.push({ store, ...found, violations: found.violations.length })
    for (const violation of found.violations.slice(0, 20)) print(`${store}: ${violation}`)
    if (found.violations.length > 0) process.exitCode = 1
  }
}
printTable(rows)
