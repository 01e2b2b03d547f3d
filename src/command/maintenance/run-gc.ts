/** Deletes what crashes have left behind. */

import { type CommandLine, formatCount, print } from '../command-line.js'
import { withProgress } from '../progress.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withService } from '../store/with-service.js'

/** Collects the garbage of every vault. */
export async function gc(
  this: CommandLine,
  flags: StoreFlags & { readonly minAge: number },
): Promise<void> {
  await withService(this, flags, 'existing', async ({ service, caller }) => {
    const vaults = await service.listVaults(caller, {})
    const minAgeMs = flags.minAge * 1000
    const deleted = await withProgress(this, 'Collecting garbage', async (report) => {
      let sum = 0
      for (const [index, { id: vaultId }] of vaults.entries()) {
        report(`Collecting garbage: vault ${index + 1} of ${vaults.length}`)
        sum += await service.collectGarbage(caller, { vaultId, minAgeMs })
      }
      return sum
    })
    print(
      this,
      `Deleted ${formatCount(deleted, 'content')} in ${formatCount(vaults.length, 'vault')}.`,
    )
  })
}
