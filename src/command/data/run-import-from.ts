/** Imports the export of a password manager into a vault. */

import { type ImportFormat, type ImportReport, importItems, readExport } from '../../import.js'
import { type Caller, createCaller, createVaultService, type VaultService } from '../../index.js'
import { createMemoryStore } from '../../storage/memory.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, formatCount, print } from '../command-line.js'
import { withProgress } from '../progress.js'
import { readUserFile } from '../read-json.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withService } from '../store/with-service.js'

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
  await withService(line, flags, { isNew: !dryRun }, async ({ service, caller }) => {
    const target = await findTarget(service, caller, flags)
    const report = await withProgress(line, 'Importing', (show) =>
      importItems(target.service, target.caller, {
        ...result,
        vaultId: target.vaultId,
        dryRun,
        onProgress: ({ done, total }) => show(`Importing: ${done} of ${total} items`),
      }),
    )
    printReport(line, report)
  })
}

/** Prints the numbers, and a line for each loss and each failure. */
function printReport(line: CommandLine, report: ImportReport): void {
  const { dryRun, created, completed, unchanged, files, losses, failures } = report
  for (const { path, kind, message } of losses)
    print(line, printable(`lost  ${kind}  ${path}  ${message}`))
  for (const { sourceId, message } of failures)
    print(line, printable(`failed  ${sourceId}  ${message}`))
  const counts = `${formatCount(created, 'item')} and ${formatCount(files, 'file')}`
  const rest = `${completed} completed, ${unchanged} unchanged, ${formatCount(losses.length, 'loss')}`
  print(
    line,
    `${dryRun ? 'Would create' : 'Created'} ${counts}; ${rest.replace(/losss$/, 'losses')}.`,
  )
  if (failures.length > 0)
    throw new CommandError(`not imported: ${formatCount(failures.length, 'item or file')}`)
}

/** Replaces characters that control a terminal: paths contain names of the export. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?')
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
  const vaults = await service.listVaults(caller, {})
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
