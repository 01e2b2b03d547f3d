/** Imports the result of `readExport` into a vault. */

import {
  anyFunction,
  callback,
  flag,
  kindOf,
  like,
  readArgument,
  text,
  withMethod,
} from '../base/argument.js'
import { vaultNotInScopeError } from '../base/fixed-errors.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { type Caller, createCaller, createVaultService, type VaultService } from '../index.js'
import { createMemoryStore } from '../storage/memory.js'
import { findImported } from './find-imported.js'
import { type ImportFailure, type ImportOutcome, importItem, type Target } from './import-item.js'
import type { ImportedFile, ImportedItem, ImportLoss, ImportResult } from './result.js'

/** An item that is done. */
export interface ImportProgress {
  /** The number of items that are done, including this one. */
  readonly done: number
  /** The number of all items. */
  readonly total: number
  readonly sourceId: string
  readonly outcome: ImportOutcome
  /** The id of the item in the vault. Not set if it failed, or if a dry run would create it. */
  readonly itemId?: string
}

/** Input of `importItems`: the result of `readExport`, and where it goes. */
export interface ImportItemsInput extends Pick<ImportResult, 'items' | 'files'> {
  /** The losses of the export, for the report. Default: none. */
  readonly losses?: ImportResult['losses'] | undefined
  /** The format of the export. It changes nothing. */
  readonly format?: ImportResult['format'] | undefined
  readonly vaultId: string
  /**
   * If true, nothing is changed, and the report says what would happen. A service in memory checks
   * the drafts, with your service's dialect and the default limits. Default: false.
   */
  readonly dryRun?: boolean | undefined
  /** Called after each item, in order. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Stops the import between two items. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const importInput = defineOptions({
  items: kindOf('an array', Array.isArray),
  files: kindOf('an array', Array.isArray),
  losses: optional(kindOf('an array', Array.isArray), []),
  // It is part of the result of `readExport`, but not needed.
  format: (format) => format,
  vaultId: text(),
  dryRun: optional(flag(), false),
  onProgress: optional(callback()),
  signal: optional(withMethod('throwIfAborted')),
} satisfies OptionKinds<ImportItemsInput>)

/** The outcome of an import, or of what a dry run would do. */
export interface ImportReport {
  readonly dryRun: boolean
  /** The number of new items. */
  readonly created: number
  /**
   * The number of items that were imported before, and now got what an interrupted import had left
   * out.
   */
  readonly completed: number
  /** The number of items that were imported completely before. */
  readonly unchanged: number
  /** The number of files that were added. */
  readonly files: number
  /** The items and files that the vault does not accept. */
  readonly failures: readonly ImportFailure[]
  /**
   * The losses of the export, and the files of items that a user has changed since they were
   * imported, because nothing is added to those.
   */
  readonly losses: readonly ImportLoss[]
}

/**
 * Imports items and their files into a vault, one after the other. If the items come from several
 * vaults, each gets the name of its vault as a tag. An item that an earlier import created is
 * recognized by its source id, in a field of its section `Import`. It is never changed, except that
 * files and the archived state are added if an interrupted import had left them out.
 *
 * If the vault does not accept an item, that is reported, and the others are imported. Any other
 * error ends the import. What was imported by then stays, and the next run continues. Needs read
 * and write on the vault.
 * @returns What was done.
 * @throws UnauthorizedError (401), ForbiddenError (403), NotFoundError (404) for the vault,
 * StorageError (500), or StorageUnavailableError or ActivityUnavailableError (503).
 * @throws TypeError if an argument has the wrong type.
 */
export async function importItems(
  service: VaultService,
  caller: Caller | undefined,
  input: ImportItemsInput,
): Promise<ImportReport> {
  readArgument(like({ as: anyFunction, dialect: {} }), { service, caller, input })
  const values = importInput.read(input, 'input')
  const { vaultId, items, files, onProgress, signal, dryRun: isDryRun } = values
  const operations = service.as(caller)
  const before = await findImported(operations, vaultId)
  if (isDryRun && !(await caller?.can('write', vaultId, 'createItem')))
    throw vaultNotInScopeError(vaultId, 'write')
  const isTagged = new Set(items.flatMap(({ vault }) => (vault ? [vault.id] : []))).size > 1
  const target: Target = isDryRun
    ? await createScratchTarget(service)
    : { operations, vaultId, isDryRun }

  const filesByItem = groupFiles(files)
  const counts = { created: 0, completed: 0, unchanged: 0, failed: 0 }
  const failures: ImportFailure[] = []
  const losses = [...values.losses]
  let fileCount = 0
  for (const [index, item] of items.entries()) {
    signal?.throwIfAborted()
    const { sourceId } = item
    const filesOfItem = filesByItem.get(sourceId) ?? []
    const tagged = isTagged ? withVaultTag(item) : item
    const result = await importItem(target, tagged, filesOfItem, before.get(sourceId))
    counts[result.outcome]++
    fileCount += result.files
    for (const failure of result.failures) failures.push(failure)
    for (const loss of result.losses) losses.push(loss)
    const { outcome, itemId } = result
    const progress = { done: index + 1, total: items.length, sourceId, outcome }
    onProgress?.({ ...progress, ...(itemId !== undefined && { itemId }) })
  }
  const { created, completed, unchanged } = counts
  return { dryRun: isDryRun, created, completed, unchanged, files: fileCount, failures, losses }
}

/** Adds the name of the item's vault to its tags. */
function withVaultTag(imported: ImportedItem): ImportedItem {
  const { item, vault } = imported
  const { tags = [] } = item
  const name = vault?.name.trim() ?? ''
  if (name === '' || tags.includes(name)) return imported
  return { ...imported, item: { ...item, tags: [...tags, name] } }
}

/** Returns a vault in memory, with the dialect of the service. */
async function createScratchTarget(service: VaultService): Promise<Target> {
  const scratch = createVaultService({ store: createMemoryStore(), dialect: service.dialect })
  const operations = scratch.as(createCaller({ id: 'import', vaults: '*' }))
  const { id: vaultId } = await operations.createVault({ name: 'Dry run' })
  return { operations, vaultId, isDryRun: true }
}

function groupFiles(files: readonly ImportedFile[]): Map<string, ImportedFile[]> {
  const groups = new Map<string, ImportedFile[]>()
  for (const file of files) {
    const group = groups.get(file.sourceId)
    if (group === undefined) groups.set(file.sourceId, [file])
    else group.push(file)
  }
  return groups
}
