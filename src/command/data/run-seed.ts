/** Creates the vaults of a seed file. */

import { plantSeed } from '../../seed.js'
import { type CommandLine, formatCount, print } from '../command-line.js'
import { withProgress } from '../progress.js'
import { readSeed } from '../read-json.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withService } from '../store/with-service.js'

/** Plants a seed, and prints the ids of its vaults. */
export async function seed(this: CommandLine, flags: StoreFlags, file: string): Promise<void> {
  const content = await readSeed(this.process.cwd(), file)
  await withService(this, flags, { isNew: true }, async ({ service, caller }) => {
    const planted = await withProgress(this, 'Creating vaults', () =>
      plantSeed(service, caller, content),
    )
    for (const { vault, items } of planted)
      print(this, `${vault.id}  ${formatCount(items.length, 'item')}`)
  })
}
