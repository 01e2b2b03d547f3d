/** Creates the vaults of a seed file. */

import { plantSeed } from '../../seed.js'
import { type CommandLine, formatCount, print, printNote } from '../command-line.js'
import { withProgress } from '../progress.js'
import { inSeed, readSeed } from '../read-seed.js'
import { formatStore } from '../store/open-command-store.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withService } from '../store/with-service.js'

/** Plants a seed, and prints the ids of its vaults. */
export async function seed(this: CommandLine, flags: StoreFlags, file: string): Promise<void> {
  const content = await readSeed(this.process.cwd(), file)
  await withService(this, flags, 'create', async ({ service, caller, opened }) => {
    const planted = await withProgress(this, 'Creating vaults', () =>
      inSeed(file, () => plantSeed(service, caller, content)),
    )
    for (const { vault, items } of planted)
      print(this, `${vault.id}  ${formatCount(items.length, 'item')}`)
    const items = planted.reduce((sum, one) => sum + one.items.length, 0)
    const counts = `${formatCount(planted.length, 'vault')} and ${formatCount(items, 'item')}`
    printNote(this, `Created ${counts} in ${formatStore(opened)}.`)
  })
}
