/** The command `gc`: deletes what crashes have left behind. */

import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, print, printNote } from './command-line.js'
import { withProgress } from './progress.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'
import { withService } from './store/with-service.js'

/** Collects garbage. */
export const gcCommand = buildCommand<StoreFlags & { readonly minAge: number }, [], CommandLine>({
  func: gc,
  parameters: {
    flags: {
      ...storeFlags,
      minAge: {
        kind: 'parsed',
        parse: parseSeconds,
        default: '3600',
        placeholder: 'SECONDS',
        brief: 'Keep data that is younger than this, 60 or more',
      },
    },
  },
  docs: {
    brief: 'Delete what crashes have left behind',
    fullDescription: [
      'Deletes contents of files that no item refers to, and versions of deleted items. Younger',
      'data may belong to an upload that is still running.',
    ].join('\n'),
  },
})

function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (seconds < 60) throw new CommandError('--min-age: must be 60 or more')
  return seconds
}

/** Collects the garbage of every vault. */
async function gc(
  this: CommandLine,
  flags: StoreFlags & { readonly minAge: number },
): Promise<void> {
  await withService(this, flags, 'existing', async ({ service, caller }) => {
    let unreadable = 0
    const onUnreadable = (): void => {
      unreadable++
    }
    const vaults = await service.listVaults(caller, {}, { onUnreadable })
    const minAgeMs = flags.minAge * 1000
    const deleted = await withProgress(this, 'Collecting garbage', async (report) => {
      let sum = 0
      for (const [index, { id: vaultId }] of vaults.entries()) {
        report(`Collecting garbage: vault ${index + 1} of ${vaults.length}`)
        sum += await service.collectGarbage(caller, { vaultId, minAgeMs }, { onUnreadable })
      }
      return sum
    })
    print(
      this,
      `Deleted ${formatCount(deleted, 'content')} in ${formatCount(vaults.length, 'vault')}.`,
    )
    if (unreadable > 0) printNote(this, `Passed over ${formatCount(unreadable, 'damaged record')}.`)
  })
}
