/** Finds the files of items in an archive, and unpacks them within the limit. */

import { InvalidInputError } from '../../index.js'
import type { ItemBuilder } from '../item-builder.js'
import type { ReadLimits } from '../limits.js'
import type { ReportLoss } from '../result.js'
import type { ZipArchive } from './open-zip.js'

/** The files of an archive. */
export interface Attachments {
  /** Returns the name of the entry of a file, or undefined if it does not exist. */
  find(owner: string, name: string): string | undefined
  /**
   * Returns the names of the entries of an owner, which is between the folder and the separator.
   * Empty once they have been taken, because several items with the same id would multiply the
   * files.
   */
  takeNames(owner: string): readonly string[]
  /**
   * Adds the content of an entry to an item, or reports that the archive does not contain it. An
   * entry is unpacked once, however often it is added.
   * @throws InvalidInputError if the item has too many files, or all files have too many bytes.
   */
  attach(entry: string | undefined, file: AttachedFile, builder: ItemBuilder): void
  /** Reports the files that no item has. */
  reportUnused(report: ReportLoss): void
}

/** A file that an item refers to. */
interface AttachedFile {
  readonly id: string
  readonly name: string
  readonly section: string | undefined
  /** Where the item refers to it. */
  readonly path: string
}

/** Where an archive has its files: `<folder><owner><separator><name>`. */
export interface FileLayout {
  readonly folder: string
  readonly separator: string
}

/** Returns the files of an archive. Nothing is unpacked yet. */
export function createAttachments(
  archive: ZipArchive,
  { files: maxFiles, fileBytes }: ReadLimits,
  { folder, separator }: FileLayout,
): Attachments {
  const unused = new Map<string, number>()
  const byOwner = new Map<string, string[]>()
  for (const [index, name] of archive.names.entries()) {
    if (!name.startsWith(folder)) continue
    unused.set(name, index)
    const [owner = ''] = name.slice(folder.length).split(separator, 1)
    const names = byOwner.get(owner)
    if (names === undefined) byOwner.set(owner, [name])
    else names.push(name)
  }
  const entries = new Set(unused.keys())
  const contents = new Map<string, Uint8Array | undefined>()
  const read = (entry: string): Uint8Array | undefined => {
    if (!contents.has(entry)) contents.set(entry, readIfIntact(archive, entry, fileBytes))
    return contents.get(entry)
  }
  let bytesLeft = fileBytes
  return {
    find(owner, name) {
      const entry = `${folder}${owner}${separator}${name}`
      return entries.has(entry) ? entry : byOwner.get(owner)?.[0]
    },
    takeNames(owner) {
      const names = byOwner.get(owner) ?? []
      byOwner.delete(owner)
      return names
    },
    attach(entry, { id, name, section, path }, builder) {
      bytesLeft -= entry === undefined ? 0 : archive.costOf(entry)
      if (bytesLeft < 0)
        throw InvalidInputError.at('', `the files have more than ${fileBytes} bytes together`)
      if (entry === undefined || !entries.has(entry)) {
        builder.report(path, 'file', 'the archive does not contain the file')
        return
      }
      if (builder.files().length >= maxFiles)
        throw InvalidInputError.at('', `an item has more than ${maxFiles} files`)
      unused.delete(entry)
      const content = read(entry)
      if (content === undefined) {
        builder.report(path, 'file', 'the file is damaged, encrypted or packed in an unknown way')
        return
      }
      const file = { id, name, content, ...(section !== undefined && { sectionId: section }) }
      builder.addFile(file, path)
    },
    reportUnused(report) {
      for (const index of unused.values())
        report(`archive/${index}`, 'file', 'no item has this file')
    },
  }
}

/** One damaged file does not prevent the import of everything else. */
function readIfIntact(
  archive: ZipArchive,
  entry: string,
  maxBytes: number,
): Uint8Array | undefined {
  try {
    return archive.read(entry, maxBytes)
  } catch {
    return undefined
  }
}
