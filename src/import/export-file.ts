/** The file of an export: decoded, unpacked and parsed at most once, and only if that is needed. */

import { bytes as anyBytes, readArgument } from '../base/argument.js'
import { InvalidInputError } from '../index.js'
import { type ImportLimits, type ReadOptions, readOptions } from './limits.js'
import { parseJson } from './parse-json.js'
import { decodeText } from './text.js'
import { isZip, openZip, type ZipArchive } from './zip/open-zip.js'

/** The file of an export, and the limits that it must keep to. */
export interface ExportFile {
  readonly limits: ImportLimits
  readonly isArchive: boolean
  /** @throws InvalidInputError if the file is not a ZIP archive, or has too many entries. */
  archive(): ZipArchive
  /** @throws InvalidInputError if the text is too long or has an invalid encoding. */
  text(): string
  /**
   * Returns the value of the JSON text. If `entry` is passed, reads that entry of the archive. The
   * text is not kept.
   * @throws InvalidInputError if the text is not JSON, does not exist or exceeds a limit.
   */
  json(entry?: string): unknown
}

/**
 * Checks the arguments of a reader, and returns the file of an export. Nothing is read yet.
 * @throws TypeError if `bytes` is not a `Uint8Array`, `options` is not an object, or an option is
 * unknown.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function openExportFile(bytes: Uint8Array, options: ReadOptions): ExportFile {
  readArgument(anyBytes(), { bytes, options })
  return openFile(bytes, readOptions.read(options).limits)
}

/** Returns the file of an export. Nothing is read yet. */
export function openFile(bytes: Uint8Array, limits: ImportLimits): ExportFile {
  let archive: ZipArchive | undefined
  let text: string | undefined
  let json: { readonly value: unknown } | undefined
  const file: ExportFile = {
    limits,
    isArchive: isZip(bytes),
    archive() {
      archive ??= openZip(bytes, limits)
      return archive
    },
    text() {
      text ??= decodeText(bytes, limits)
      return text
    },
    json(entry) {
      json ??= { value: parseJson(entry === undefined ? file.text() : unpack(entry), limits) }
      text = undefined
      return json.value
    },
  }
  function unpack(entry: string): string {
    const content = file.archive().read(entry, limits.textBytes)
    if (content === undefined) throw InvalidInputError.at('', `the archive has no ${entry}`)
    return decodeText(content, limits)
  }
  return file
}
