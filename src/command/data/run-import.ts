/** Imports an export into a store. */

import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { connectDialect } from '../../dialects/connect.js'
import {
  type BlobContent,
  type Caller,
  createCaller,
  createVaultService,
  isVaultError,
  type VaultService,
} from '../../index.js'
import { createMemoryStore } from '../../storage/memory.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, formatCount, formatCounts, print } from '../command-line.js'
import { withProgress } from '../progress.js'
import { formatStore } from '../store/open-command-store.js'
import { withService } from '../store/with-service.js'
import { createDecrypter } from './age.js'
import { type ReadLine, readLines } from './read-lines.js'
import { type ImportFromFlags, importFrom } from './run-import-from.js'

/** The flags of `import`. */
export interface ImportFlags extends ImportFromFlags {
  readonly passphraseFile?: string
  readonly identityFile?: string
}

interface Counts {
  vaults: number
  items: number
  files: number
}

/** Tries the whole file in memory first, so that an incomplete or invalid one writes nothing. */
export async function importFile(
  this: CommandLine,
  flags: ImportFlags,
  file: string,
): Promise<void> {
  if (flags.from !== undefined) return importFrom(this, flags, file)
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
    if (decrypt === undefined) return readLines(readBytes(source, file))
    const decrypted = Readable.fromWeb(await decrypt(Readable.toWeb(source)))
    return readLines(readBytes(decrypted, file))
  }
  const access = flags.dryRun ? 'dry-run' : 'create'
  const vaultIds = await withProgress(this, 'Reading', async () => tryLines(await open()))
  await withService(this, flags, access, async ({ service, caller, opened }) => {
    const existing = new Set((await service.listVaults(caller, {})).map(({ id }) => id))
    const taken = vaultIds.filter((id) => existing.has(id))
    if (taken.length > 0)
      throw new CommandError(
        `the store has these vaults already: ${taken.join(', ')}`,
        'Import into another store, or delete them first.',
      )
    if (flags.dryRun) {
      const vaults = formatCount(vaultIds.length, 'vault')
      const store = formatStore(opened)
      print(this, `${vaults} can be imported into ${store}. Nothing was written.`)
      return
    }
    const counts = { vaults: 0, items: 0, files: 0 }
    await withProgress(this, 'Importing', async (report) => {
      await writeLines(service, caller, await open(), counts, () =>
        report(`Importing: ${formatCounts(counts)}`),
      )
    })
    print(this, `Imported ${formatCounts(counts)} into ${formatStore(opened)}.`)
    print(this, 'The ids of items and files are new; those of vaults were kept.')
  })
}

/** Yields the bytes of a file. @throws CommandError if it cannot be read, or if it was changed. */
async function* readBytes(source: Readable, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch (error) {
    const { code } = Object(error)
    throw typeof code === 'string' && /^E[A-Z]+$/.test(code)
      ? new CommandError(`${file} cannot be read: ${code}`)
      : new CommandError(`${file} cannot be decrypted: it was changed or is incomplete`)
  }
}

/** Writes the lines into memory, without the contents of files. Returns the ids of the vaults. */
async function tryLines(lines: AsyncGenerator<ReadLine>): Promise<readonly string[]> {
  const { records, blobs } = createMemoryStore()
  const write = async (_: string, content: BlobContent): Promise<void> => {
    if (!(content instanceof Uint8Array)) await content.pipeTo(new WritableStream())
  }
  const store = { records, blobs: { ...blobs, write } }
  const service = createVaultService({ store, dialect: connectDialect })
  const caller = createCaller('cofferkit', '*')
  await writeLines(service, caller, lines, { vaults: 0, items: 0, files: 0 }, () => {})
  return (await service.listVaults(caller, {})).map(({ id }) => id)
}

async function writeLines(
  service: VaultService,
  caller: Caller,
  lines: AsyncGenerator<ReadLine>,
  counts: Counts,
  onItem: () => void,
): Promise<void> {
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
      await atLine(current, () => service.createVault(caller, { vaultId: id, name, description }))
      vaultId = id
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
      const content = new ReadableStream<Uint8Array>({
        async pull(controller) {
          next = await lines.next()
          if (next.value?.kind === 'part') controller.enqueue(next.value.bytes)
          else controller.close()
        },
      })
      await atLine(current, () =>
        service.attachFile(caller, { vaultId, itemId, name, sectionId, content }),
      )
      counts.files++
    }
    ;({ value: line, done } = next ?? (await lines.next()))
  }
  await finishItem()
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
