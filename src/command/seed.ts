/** The command `seed`: creates the vaults of a seed file. */

import { buildCommand } from '@stricli/core'
import { type CommandLine, formatCount, print, printNote } from './command-line.js'
import { withProgress } from './progress.js'
import { inSeed, readSeed } from './read-seed.js'
import { formatStore } from './store/open-command-store.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'
import { withService } from './store/with-service.js'

/** Creates the vaults of a seed file. */
export const seedCommand = buildCommand<StoreFlags, [file: string], CommandLine>({
  func: seed,
  parameters: {
    flags: storeFlags,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The JSON file of the seed', placeholder: 'FILE', parse: String }],
    },
  },
  docs: {
    brief: 'Create the vaults and items of a JSON file',
    fullDescription: [
      'Creates vaults, items and files, in addition to those that the store has:',
      '',
      '  { "vaults": [{ "name": "Team", "items": [{ "category": "LOGIN", "title": "Database",',
      '    "fields": [{ "id": "password", "purpose": "PASSWORD", "value": "..." }],',
      '    "files": [{ "name": "ca.pem", "content": "..." }] }] }] }',
    ].join('\n'),
  },
})

/** Plants a seed, and prints the ids of its vaults. */
async function seed(this: CommandLine, flags: StoreFlags, file: string): Promise<void> {
  const { plantSeed } = await import('../testing.js')
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
