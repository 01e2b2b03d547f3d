/** Imports the export of a password manager into a vault. */

import {
  type ImportFormat,
  type ImportLoss,
  type ImportReport,
  type ImportResult,
  importItems,
  readExport,
} from '../../import.js'
import { type Caller, createCaller, createVaultService, type VaultService } from '../../index.js'
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
  readonly vault: string
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
  const access = dryRun ? 'dry-run' : 'create'
  await withService(line, flags, access, async ({ service, caller, opened }) => {
    const target = await findTarget(service, caller, flags)
    const report = await withProgress(line, 'Importing', (show) =>
      importItems(target.service, target.caller, {
        ...result,
        vaultId: target.vaultId,
        dryRun,
        onProgress: ({ done, total }) => show(`Importing: ${done} of ${total} items`),
      }),
    )
    printReport(line, report, result, formatStore(opened))
  })
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
  return path.replace(/(?:items|rows)\/\d+|$/, (item) => `${item} "${shorten(title)}"`)
}

interface ImportTarget {
  readonly service: VaultService
  readonly caller: Caller
  readonly vaultId: string
}

/**
 * Returns the vault with this id or name. If it does not exist, it is created: in memory for a dry
 * run.
 */
async function findTarget(
  service: VaultService,
  caller: Caller,
  { vault, dryRun }: ImportFromFlags,
): Promise<ImportTarget> {
  const vaults = await service.listVaults(caller, {}, complete)
  const [found, other] = vaults.filter(({ id, name }) => id === vault || name === vault)
  if (other !== undefined)
    throw new CommandError('several vaults have this name', 'Pass the id of one with --vault.')
  if (found !== undefined) return { service, caller, vaultId: found.id }
  const scratch = { dialect: service.dialect, store: createMemoryStore() }
  const target = dryRun ? createVaultService(scratch) : service
  const owner = dryRun ? createCaller('cofferkit', '*') : caller
  const { id: vaultId } = await target.createVault(owner, { name: vault })
  return { service: target, caller: owner, vaultId }
}
