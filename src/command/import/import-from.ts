/** Imports an export of 1Password or Bitwarden: into a vault for each of its vaults, or into one. */

import { deriveId } from '../../base/derive-id.js'
import {
  type ImportedItem,
  type ImportFormat,
  type ImportLoss,
  type ImportReport,
  type ImportResult,
  importItems,
  readExport,
} from '../../import.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type Vault,
  type VaultService,
} from '../../index.js'
import { createMemoryStore } from '../../storage/memory.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, formatCount, print, printable, shorten } from '../command-line.js'
import { withProgress } from '../progress.js'
import { readUserFile } from '../read-user-file.js'
import { formatStore } from '../store/open-command-store.js'
import type { StoreFlags } from '../store/store-flags.js'
import { complete, withService } from '../store/with-service.js'

/** The flags of `import --from`. */
export interface ImportFromFlags extends StoreFlags {
  readonly from?: ImportFormat | 'auto'
  readonly into?: string
  readonly dryRun: boolean
}

/** Reads the export, writes its items, and prints everything that was left out. */
export async function importFrom(
  line: CommandLine,
  flags: ImportFromFlags,
  file: string,
): Promise<void> {
  const { from, dryRun } = flags
  const bytes = await readUserFile(line.process.cwd(), file)
  const result = readExport(bytes, from === 'auto' || from === undefined ? {} : { format: from })
  if (result.items.length === 0) {
    print(line, 'The export is empty, so there is nothing to import. Nothing was written.')
    return
  }
  const access = dryRun ? 'dry-run' : 'create'
  await withService(line, flags, access, async ({ service, caller, opened }) => {
    const targets = await findTargets({ service, caller }, flags, result)
    const reports: ImportReport[] = []
    await withProgress(line, 'Importing', async (show) => {
      let before = 0
      for (const { items, ...target } of targets) {
        const sourceIds = new Set(items.map(({ sourceId }) => sourceId))
        const report = await importItems(target.service, target.caller, {
          items,
          files: result.files.filter(({ sourceId }) => sourceIds.has(sourceId)),
          vaultId: target.vaultId,
          dryRun,
          onProgress: ({ done }) =>
            show(`Importing: ${before + done} of ${result.items.length} items`),
        })
        before += items.length
        reports.push(report)
      }
    })
    printReport(line, sumReports(reports, flags, result), result, formatStore(opened))
    for (const { name, vaultId, items, isNew } of targets)
      print(
        line,
        printable(
          `${dryRun && isNew ? 'new vault' : vaultId}  ${shorten(name)}  ${formatCount(items.length, 'item')}`,
        ),
      )
  })
}

/** Returns the report about all vaults, with the losses of the export. */
function sumReports(
  reports: readonly ImportReport[],
  { dryRun }: ImportFromFlags,
  result: ImportResult,
): ImportReport {
  const sum = { dryRun, created: 0, completed: 0, unchanged: 0, files: 0 }
  for (const report of reports)
    for (const name of ['created', 'completed', 'unchanged', 'files'] as const)
      sum[name] += report[name]
  return {
    ...sum,
    failures: reports.flatMap(({ failures }) => failures),
    losses: [...result.losses, ...reports.flatMap(({ losses }) => losses)],
  }
}

/** Prints the numbers, and a line for each loss and each failure. */
function printReport(
  line: CommandLine,
  report: ImportReport,
  { items }: ImportResult,
  store: string,
): void {
  const titles = new Map(items.map(({ sourceId, item }) => [sourceId, item.title]))
  const { dryRun, created, completed, unchanged, files, losses, failures } = report
  for (const loss of losses)
    print(line, printable(`lost  ${loss.kind}  ${formatPath(loss, titles)}  ${loss.message}`))
  for (const { sourceId, message } of failures)
    print(line, printable(`failed  ${sourceId}  ${message}`))
  const counts = `${formatCount(created, 'item')} and ${formatCount(files, 'file')}`
  const rest = `${completed} completed, ${unchanged} unchanged, ${formatCount(losses.length, 'loss')}`
  print(
    line,
    `${dryRun ? 'Would create' : 'Created'} ${counts} in ${store}; ${rest.replace(/losss$/, 'losses')}.`,
  )
  if (failures.length > 0)
    throw new CommandError(`not imported: ${formatCount(failures.length, 'item or file')}`)
}

/** Returns the path of a loss with the title of its item, such as `items/2 "Router"/reprompt`. */
function formatPath(
  { path, sourceId }: ImportLoss,
  titles: ReadonlyMap<string, string | undefined>,
): string {
  const title = sourceId === undefined ? undefined : titles.get(sourceId)
  if (title === undefined || title === '') return path
  return path.replace(/items\/\d+|$/, (item) => `${item} "${shorten(title)}"`)
}

/** A service, and a caller who can write to it. */
interface OpenTarget {
  readonly service: VaultService
  readonly caller: Caller
}

/** A vault, and the items that are written to it. */
interface ImportTarget extends OpenTarget {
  readonly vaultId: string
  readonly name: string
  /** True if the vault did not exist before the import. */
  readonly isNew: boolean
  readonly items: readonly ImportedItem[]
}

/** The vault of items whose source has no vaults. */
const defaultName = 'Imported'

/**
 * Returns the vault of `--into` with all items. Otherwise returns a vault for each vault of the
 * export. Its id is derived from its id in the export, so that a second run finds it even if it was
 * renamed.
 */
async function findTargets(
  open: OpenTarget,
  { into, dryRun }: ImportFromFlags,
  { format, items }: ImportResult,
): Promise<readonly ImportTarget[]> {
  const existing = await open.service.listVaults(open.caller, {}, complete)
  if (into !== undefined) return [await findByName(open, existing, into, items, dryRun)]
  const groups = new Map<string, ImportedItem[]>()
  for (const item of items) {
    const key = item.vault?.id ?? ''
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  const targets: ImportTarget[] = []
  for (const [id, group] of groups) {
    if (id === '') {
      targets.push(await findByName(open, existing, defaultName, group, dryRun))
      continue
    }
    const vaultId = await deriveId(['import', format, id])
    const name = group[0]?.vault?.name.trim() || defaultName
    const found = existing.find((vault) => vault.id === vaultId)
    targets.push(
      found === undefined
        ? await createTarget(open, { vaultId, name }, group, dryRun)
        : { ...open, vaultId, name: found.name, isNew: false, items: group },
    )
  }
  return targets
}

/** Returns the vault with this id or name. If it does not exist, it is created. */
async function findByName(
  open: OpenTarget,
  existing: readonly Vault[],
  wanted: string,
  items: readonly ImportedItem[],
  isDryRun: boolean,
): Promise<ImportTarget> {
  const [found, other] = existing.filter(({ id, name }) => id === wanted || name === wanted)
  if (other !== undefined)
    throw new CommandError('several vaults have this name', 'Pass the id of one with --into.')
  if (found === undefined) return createTarget(open, { name: wanted }, items, isDryRun)
  return { ...open, vaultId: found.id, name: found.name, isNew: false, items }
}

/** Creates a vault: in memory for a dry run. */
async function createTarget(
  { service, caller }: OpenTarget,
  vault: { readonly vaultId?: string; readonly name: string },
  items: readonly ImportedItem[],
  isDryRun: boolean,
): Promise<ImportTarget> {
  const scratch = { dialect: service.dialect, store: createMemoryStore() }
  const target = isDryRun ? createVaultService(scratch) : service
  const owner = isDryRun ? createCaller({ id: 'cofferkit', vaults: '*' }) : caller
  const { id: vaultId, name } = await target.createVault(owner, vault)
  return { service: target, caller: owner, vaultId, name, isNew: true, items }
}
