/**
 * Imports from 1Password and Bitwarden: `readExport` turns an export into items, files and a list of
 * everything that could not be imported. `importItems` writes them to a vault. You can run it
 * again, because nothing is imported twice.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { importItems, readExport } from 'cofferkit/import'
 * import { createTestVault } from 'cofferkit/testing'
 *
 * const { service, caller, vaultId } = await createTestVault()
 * const login = { username: 'wendy', password: 'correct horse' }
 * const items = [{ id: '1', type: 1, name: 'Example', login }]
 * const json = JSON.stringify({ encrypted: false, folders: [], items })
 * const result = readExport(new TextEncoder().encode(json))
 * const plan = await importItems(service, caller, { vaultId, ...result, dryRun: true })
 * assert.deepEqual([plan.created, plan.losses], [1, []])
 * const report = await importItems(service, caller, { vaultId, ...result })
 * assert.equal(report.created, 1)
 * ```
 * @module cofferkit/import
 */

export type { ImportFailure, ImportOutcome } from './import/import-item.js'
export {
  type ImportItemsInput,
  type ImportProgress,
  type ImportReport,
  importItems,
} from './import/import-items.js'
export type { ImportLimits } from './import/limits.js'
export { type ReadExportOptions, readExport } from './import/read-export.js'
export type {
  ImportedFile,
  ImportedItem,
  ImportedVault,
  ImportFormat,
  ImportLoss,
  ImportLossKind,
  ImportResult,
} from './import/result.js'
