/** The command `export`: writes everything in a store as JSON lines. */

import { type FileHandle, open, unlink } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { buildCommand } from '@stricli/core'
import { listPages } from '../base/list-pages.js'
import {
  type CallerOperations,
  DecryptionError,
  type FileRef,
  type Item,
  type Vault,
} from '../index.js'
import { createEncrypter } from './age.js'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCounts, printNote } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import { withProgress } from './progress.js'
import { readSecret } from './read-secret.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'
import { withService } from './store/with-service.js'

/** Exports a store. */
export const exportCommand = buildCommand<ExportFlags, [file?: string], CommandLine>({
  func: exportStore,
  parameters: {
    flags: {
      ...storeFlags,
      passphraseFile: textFlag('FILE', 'Encrypt with the passphrase in this file'),
      recipient: textFlag('AGE1...', 'Encrypt for this public key of age'),
      fromConnect: textFlag('URL', 'Export from this Connect server, with $OP_CONNECT_TOKEN'),
      skipUnreadable: switchFlag('Leave damaged vaults, items and files out'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'The file to create; default: the standard output',
          placeholder: 'FILE',
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: 'Write every vault, item and file as JSON lines, encrypted on request',
    fullDescription: [
      'Writes vaults, items with their values, and files, one JSON object per line. Without',
      '--passphrase-file or --recipient the values are readable. The file gets mode 0600 and is',
      'never overwritten. age (https://age-encryption.org) can decrypt it as well. A damaged vault,',
      'item or file fails the export, unless you pass --skip-unreadable.',
      '',
      '--from-connect reads what the token of a 1Password Connect server, or of another server with',
      'its API, can read. The server must be trusted with the token.',
    ].join('\n'),
  },
})

/** The flags of `export`. */
interface ExportFlags extends StoreFlags {
  readonly passphraseFile?: string
  readonly recipient?: string
  readonly skipUnreadable: boolean
  readonly fromConnect?: string
}

/**
 * A line of an export: the format; a vault; an item of the vault before it; a file of the item
 * before it; or a part of the content of the file before it, in base64.
 */
type ExportLine =
  | { readonly format: 'cofferkit-export'; readonly version: 1 }
  | { readonly vault: Vault }
  | { readonly item: Item }
  | { readonly file: { readonly name: string; readonly size: number; readonly sectionId?: string } }
  | { readonly part: string }
  | { readonly end: { readonly vaults: number; readonly items: number; readonly files: number } }

/** Bytes of the content of a file in one line. Divisible by 3, so that no part has padding inside. */
const partBytes = 786_432

const pageSize = 100

/** Writes the lines to a new file, or to the standard output. */
async function exportStore(this: CommandLine, flags: ExportFlags, file?: string): Promise<void> {
  const encrypt = await createEncrypter(this.process.cwd(), flags)
  await withSource(this, flags, async (operations) => {
    const counts = { vaults: 0, items: 0, files: 0 }
    const skipped = new Set<string>()
    const { skipUnreadable: skipsUnreadable } = flags
    /** Leaves the record out, or fails the export. */
    const onUnreadable = (error: DecryptionError): void => {
      if (!skipsUnreadable || error.record === undefined) throw error
      skipped.add(error.message)
    }
    const onUnreadableFile = ({ itemId, fileId }: FileRef): void => {
      skipped.add(`file ${fileId} of item ${itemId} cannot be read`)
    }
    const path = file === undefined ? '' : resolve(this.process.cwd(), file)
    const handle = file === undefined ? undefined : await createFile(path, file)
    await withProgress(this, 'Exporting', async (report) => {
      const source = { operations, skipsUnreadable, onUnreadable, onUnreadableFile }
      const lines = listLines(source, counts, report)
      const text = encodeLines(lines)
      const output = encrypt ? await encrypt(text) : text
      if (handle) await write(output, handle, path)
      else await pipeline(output, this.process.stdout, { end: false })
    })
    printNote(this, `Exported ${formatCounts(counts)}.`)
    for (const message of skipped) printNote(this, `Left out: ${message}.`)
  })
}

/** The operations that an export needs. */
type ExportOperations = Pick<
  CallerOperations,
  'listVaults' | 'listItems' | 'getItems' | 'readFileContent'
>

/** Calls `work` with the operations of the store, or of the server of `--from-connect`. */
async function withSource(
  line: CommandLine,
  flags: ExportFlags,
  work: (operations: ExportOperations) => Promise<void>,
): Promise<void> {
  const { fromConnect, store, config, schema, encrypt } = flags
  if (fromConnect === undefined)
    return withService(line, flags, 'existing', ({ service, caller }) => work(service.as(caller)))
  if ([store, config, schema, encrypt].some((flag) => flag !== undefined))
    throw new CommandError('--from-connect and the flags of a store exclude each other')
  const token = readSecret(line, 'OP_CONNECT_TOKEN')
  if (token === undefined)
    throw new CommandError('OP_CONNECT_TOKEN is not set', 'Set it to a token of the server.')
  const { createRemoteOperations } = await import('./remote-service.js')
  return work(createRemoteOperations(fromConnect, token, '--from-connect'))
}

/**
 * Creates the file before anything is read, so that an error of the store never concerns a file
 * that already existed.
 */
async function createFile(path: string, file: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    const { code } = Object(error)
    if (code === 'EEXIST') throw new CommandError(`${file} already exists`, 'Name another file.')
    throw new CommandError(`${file} cannot be created: ${code}`)
  }
}

/** Writes to a file that was created, and removes it if it cannot be written completely. */
async function write(
  source: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  path: string,
): Promise<void> {
  try {
    await pipeline(source, handle.createWriteStream())
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  }
}

async function* encodeLines(lines: AsyncIterable<ExportLine>): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`)
}

/** The source of an export, and its treatment of unreadable records. */
interface ExportSource {
  readonly operations: ExportOperations
  readonly skipsUnreadable: boolean
  /** @throws The error, unless the record is left out. */
  onUnreadable(error: DecryptionError): void
  onUnreadableFile(file: FileRef): void
}

async function* listLines(
  source: ExportSource,
  counts: { vaults: number; items: number; files: number },
  report: (text: string) => void,
): AsyncGenerator<ExportLine> {
  const { operations, onUnreadable } = source
  yield { format: 'cofferkit-export', version: 1 }
  for (const vault of await operations.listVaults({}, { onUnreadable })) {
    counts.vaults++
    yield { vault }
    for await (const item of listItems(source, vault.id)) {
      counts.items++
      report(`Exporting: ${formatCounts(counts)}`)
      yield { item }
      for (const { id: fileId, name, size, section } of item.files) {
        const ref = { vaultId: vault.id, itemId: item.id, fileId }
        if (!(await isToBeExported(source, ref))) continue
        counts.files++
        yield { file: { name, size, ...(section?.id !== undefined && { sectionId: section.id }) } }
        const { content } = await operations.readFileContent(ref)
        for await (const bytes of inParts(content))
          yield { part: Buffer.from(bytes).toString('base64') }
      }
    }
  }
  yield { end: counts }
}

async function* listItems(source: ExportSource, vaultId: string): AsyncGenerator<Item> {
  const { operations, onUnreadable } = source
  const pages = listPages(
    (position) => operations.listItems({ vaultId, ...position }, { onUnreadable }),
    pageSize,
  )
  for await (const page of pages) {
    // An item that was deleted after it was listed is left out.
    for (const { id: itemId } of page)
      yield* await operations.getItems({ vaultId, itemIds: [itemId] }).catch((error) => {
        if (!(error instanceof DecryptionError)) throw error
        onUnreadable(error)
        return []
      })
  }
}

/**
 * Returns false for a damaged file that is left out. To know it before the first line of the file is
 * written, the whole content is read once more.
 */
async function isToBeExported(source: ExportSource, file: FileRef): Promise<boolean> {
  if (!source.skipsUnreadable) return true
  try {
    const { content } = await source.operations.readFileContent(file)
    for await (const _ of content);
    return true
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    source.onUnreadableFile(file)
    return false
  }
}

/** Yields the bytes of a content in parts of the same size. The last one may be shorter. */
async function* inParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffered = Buffer.alloc(0)
  for await (const chunk of content) {
    buffered = Buffer.concat([buffered, chunk])
    while (buffered.length >= partBytes) {
      yield buffered.subarray(0, partBytes)
      buffered = buffered.subarray(partBytes)
    }
  }
  if (buffered.length > 0) yield buffered
}
