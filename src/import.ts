/**
 * Imports from password managers: each reader turns an export into items, files and a list of
 * everything that could not be imported. `importItems` writes them to a vault. You can run it
 * again, because nothing is imported twice.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { importItems, readChromeCsv } from 'cofferkit/import'
 * import { createTestVault } from 'cofferkit/testing'
 *
 * const { service, caller, vaultId } = await createTestVault()
 * const csv = 'name,url,username,password\nExample,https://example.com,wendy,correct horse\n'
 * const result = readChromeCsv(new TextEncoder().encode(csv))
 * const plan = await importItems(service, caller, { vaultId, ...result, dryRun: true })
 * assert.deepEqual([plan.created, plan.losses], [1, []])
 * const report = await importItems(service, caller, { vaultId, ...result })
 * assert.equal(report.created, 1)
 * ```
 * @module cofferkit/import
 */

export { readBitwarden } from './import/bitwarden/read-bitwarden.js'
export { readChromeCsv, readFirefoxCsv, readLastPassCsv } from './import/csv/read-csv.js'
export { readCxf } from './import/cxf/read-cxf.js'
export {
  detectFormat,
  importFormats,
  type ReadExportOptions,
  readExport,
} from './import/detect-format.js'
export type { ImportFailure, ImportOutcome } from './import/import-item.js'
export {
  type ImportItemsInput,
  type ImportProgress,
  type ImportReport,
  importItems,
} from './import/import-items.js'
export type { ImportLimits, ReadOptions } from './import/limits.js'
export { readOnePux } from './import/one-pux/read-one-pux.js'
export type {
  ImportedFile,
  ImportedItem,
  ImportedVault,
  ImportFormat,
  ImportLoss,
  ImportLossKind,
  ImportResult,
} from './import/result.js'
