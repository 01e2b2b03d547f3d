/** The command `import`: reads an export of cofferkit, 1Password or Bitwarden. */

import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { deriveId } from '../base/derive-id.js'
import { isReservedId } from '../base/reserved-id.js'
import type { ImportFormat } from '../import.js'
import {
  type BlobContent,
  type Caller,
  createCaller,
  createVaultService,
  isVaultError,
  type VaultService,
} from '../index.js'
import { createDecrypter } from './age.js'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, formatCounts, print } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import type { ImportFromFlags } from './import/import-from.js'
import { type ReadLine, readLines } from './import/read-lines.js'
import { withProgress } from './progress.js'
import { formatStore } from './store/open-command-store.js'
import { storeFlags } from './store/store-flags.js'
import { complete, withService } from './store/with-service.js'

/** Listed here, so that the readers are loaded only by `--from`. */
const formats = ['auto', '1pux', 'bitwarden'] satisfies readonly (ImportFormat | 'auto')[]

/** Imports an export. */
export const importCommand = buildCommand<ImportFlags, [file: string], CommandLine>({
  func: importFile,
  parameters: {
    flags: {
      ...storeFlags,
      passphraseFile: textFlag('FILE', 'Decrypt with the passphrase in this file'),
      from: {
        kind: 'enum',
        values: formats,
        optional: true,
        brief: 'Read the export of 1Password or Bitwarden in this format',
      },
      into: textFlag('VAULT', 'With --from: one vault for everything, by its id or name'),
      identityFile: textFlag('FILE', 'Decrypt with the secret key of age in this file'),
      dryRun: switchFlag('Read the whole file and write nothing'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The file to import', placeholder: 'FILE', parse: String }],
    },
  },
  docs: {
    customUsage: ['FILE', '--from auto --dry-run FILE', '--from auto --into Team FILE'],
    brief: 'Read the JSON lines of export, or an export of 1Password or Bitwarden',
    fullDescription: [
      'Creates the vaults of an export. Ids that were chosen are kept; a vault whose id cofferkit made',
      'gets another one, the same in every import. Items and files get new ids, versions and times.',
      'If one of the vaults exists, nothing is written.',
      '',
      '--from reads 1PUX, or the unencrypted JSON or ZIP of Bitwarden, and prints everything that was',
      'lost. Each vault of the export becomes a vault; an export without vaults goes into the vault',
      'Imported. A second run imports nothing twice. Any other file is refused.',
    ].join('\n'),
  },
})

/** The flags of `import`. */
interface ImportFlags extends ImportFromFlags {
  readonly passphraseFile?: string
  readonly identityFile?: string
}

interface Counts {
  vaults: number
  items: number
  files: number
}

/** First tries the complete file in memory, so that an incomplete or invalid one writes nothing. */
async function importFile(this: CommandLine, flags: ImportFlags, file: string): Promise<void> {
  if (flags.from !== undefined) {
    const { importFrom } = await import('./import/import-from.js')
    return importFrom(this, flags, file)
  }
  const folder = this.process.cwd()
  const decrypt = await createDecrypter(folder, flags)
  const open = async (): Promise<AsyncGenerator<ReadLine>> => {
    const source = createReadStream(resolve(folder, file))
    await new Promise<void>((resolve, reject) => {
      source.once('open', () => resolve())
      source.once('error', ({ code }: NodeJS.ErrnoException) =>
        reject(
          new CommandError(
            code === 'ENOENT' ? `${file} does not exist` : `${file} cannot be read: ${code}`,
          ),
        ),
      )
    })
    return readLines(readBytes(decrypt ? await decrypt(source) : source, file))
  }
  const access = flags.dryRun ? 'dry-run' : 'create'
  const vaults = await withProgress(this, 'Reading', async () => tryLines(await open()))
  await withService(this, flags, access, async ({ service, caller, opened }) => {
    const existing = new Set((await service.listVaults(caller, {}, complete)).map(({ id }) => id))
    const taken = vaults
      .flatMap(({ id, newId }) => [...new Set([id, newId])])
      .filter((id) => existing.has(id))
    if (taken.length > 0)
      throw new CommandError(
        `these vaults already exist in the store: ${taken.join(', ')}`,
        'Import into another store, or delete them first.',
      )
    if (flags.dryRun) {
      const count = formatCount(vaults.length, 'vault')
      const store = formatStore(opened)
      print(this, `${count} can be imported into ${store}. Nothing was written.`)
      return
    }
    const counts = { vaults: 0, items: 0, files: 0 }
    await withProgress(this, 'Importing', async (report) => {
      await writeLines(service, caller, await open(), counts, () =>
        report(`Importing: ${formatCounts(counts)}`),
      )
    })
    print(this, `Imported ${formatCounts(counts)} into ${formatStore(opened)}.`)
    print(this, 'The ids of items and files are new; ids of vaults that were chosen are the same.')
    for (const { id, newId } of vaults)
      if (newId !== id) print(this, `The vault ${id} is now ${newId}.`)
  })
}

/** Yields the bytes of a file. @throws CommandError if it cannot be read, or if it was changed. */
async function* readBytes(
  source: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch (error) {
    const { code } = Object(error)
    throw typeof code === 'string' && /^E[A-Z]+$/.test(code)
      ? new CommandError(`${file} cannot be read: ${code}`)
      : new CommandError(`${file} cannot be decrypted: it was changed or is incomplete`)
  }
}

/** A vault of an export. */
interface ImportedVault {
  /** Its id in the export. */
  readonly id: string
  /** Its id after the import. */
  readonly newId: string
}

/** Writes the lines into memory, without the contents of files. Returns the vaults. */
async function tryLines(lines: AsyncGenerator<ReadLine>): Promise<readonly ImportedVault[]> {
  const { createMemoryStore } = await import('../storage/memory.js')
  const { connectDialect } = await import('../dialects/connect.js')
  const { records, blobs } = createMemoryStore()
  const write = async (_: string, content: BlobContent): Promise<void> => {
    if (!(content instanceof Uint8Array)) for await (const _ of content);
  }
  const store = { records, blobs: { ...blobs, write } }
  const service = createVaultService({ store, dialect: connectDialect })
  const caller = createCaller({ id: 'cofferkit', vaults: '*' })
  return writeLines(service, caller, lines, { vaults: 0, items: 0, files: 0 }, () => {})
}

/**
 * Returns the id that a vault of an export gets. An id that the vault made cannot be chosen. The id
 * that is derived from it is the same in every import, so that no vault is imported twice.
 */
async function toNewId(id: string): Promise<string> {
  return isReservedId(id) ? deriveId(['import', id]) : id
}

async function writeLines(
  service: VaultService,
  caller: Caller,
  lines: AsyncGenerator<ReadLine>,
  counts: Counts,
  onItem: () => void,
): Promise<readonly ImportedVault[]> {
  const vaults: ImportedVault[] = []
  let [vaultId, itemId] = ['', '']
  let isArchived = false
  const finishItem = async (): Promise<void> => {
    if (isArchived) await service.setItemState(caller, { vaultId, itemId, state: 'ARCHIVED' })
    isArchived = false
  }
  let { value: line, done } = await lines.next()
  while (!done) {
    const current: ReadLine = line
    let next: IteratorResult<ReadLine> | undefined
    if (current.kind === 'vault') {
      await finishItem()
      const { id, name, description } = current
      vaultId = await toNewId(id)
      await atLine(current, () => service.createVault(caller, { vaultId, name, description }))
      vaults.push({ id, newId: vaultId })
      counts.vaults++
    } else if (current.kind === 'item') {
      await finishItem()
      const { item } = current
      itemId = (await atLine(current, () => service.createItem(caller, { vaultId, item }))).id
      isArchived = current.isArchived
      counts.items++
      onItem()
    } else if (current.kind === 'file') {
      const { name, sectionId } = current
      const readParts = async function* (): AsyncGenerator<Uint8Array> {
        next = await lines.next()
        for (; next.value?.kind === 'part'; next = await lines.next()) yield next.value.bytes
      }
      const content = readParts()
      await atLine(current, () =>
        service.attachFile(caller, { vaultId, itemId, name, sectionId, content }),
      )
      counts.files++
    }
    ;({ value: line, done } = next ?? (await lines.next()))
  }
  await finishItem()
  return vaults
}

/** Adds the line to the error of an item or a file that the service rejects. */
async function atLine<Result>({ number }: ReadLine, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (isVaultError(error) && error.status < 500)
      throw new CommandError(`line ${number}: ${error.message}`)
    throw error
  }
}
