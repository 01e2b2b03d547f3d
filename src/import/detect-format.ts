/** Recognizes the format of an export, and reads it. */

import { bytes as anyBytes, oneOf, readArgument } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { InvalidInputError } from '../index.js'
import { readBitwardenFile } from './bitwarden/read-bitwarden.js'
import {
  chromeColumns,
  firefoxColumns,
  lastPassColumns,
  readChromeCsvFile,
  readFirefoxCsvFile,
  readLastPassCsvFile,
} from './csv/read-csv.js'
import { parseCsv, readHeader } from './csv/read-rows.js'
import { readCxfFile } from './cxf/read-cxf.js'
import { type ExportFile, openExportFile, openFile } from './export-file.js'
import { type ReadOptions, readOptions } from './limits.js'
import { readOnePuxFile } from './one-pux/read-one-pux.js'
import type { ImportFormat, ImportResult } from './result.js'
import { createSource, hasMember } from './source.js'

/** Options of `readExport`. */
export interface ReadExportOptions extends ReadOptions {
  /** The format of the export. By default `detectFormat` recognizes it. */
  readonly format?: ImportFormat
}

const readers: Readonly<Record<ImportFormat, (file: ExportFile) => ImportResult>> = {
  '1pux': readOnePuxFile,
  bitwarden: readBitwardenFile,
  chrome: readChromeCsvFile,
  firefox: readFirefoxCsvFile,
  lastpass: readLastPassCsvFile,
  cxf: readCxfFile,
}

/** The formats that can be read, in the order in which the documentation lists them. */
export const importFormats: readonly ImportFormat[] = Object.freeze(
  Object.keys(readers) as ImportFormat[],
)

const exportOptions = defineOptions({
  ...readOptions.kinds,
  format: optional(oneOf(...importFormats)),
} satisfies OptionKinds<ReadExportOptions>)

/**
 * Reads an export of any format.
 * @param bytes The complete file. It is not changed.
 * @throws InvalidInputError if the format is not recognized, and the errors of the format's reader.
 * @throws TypeError if `bytes` is not a `Uint8Array`, `options` is not an object, or the format is
 * not one of `importFormats`.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readExport(bytes: Uint8Array, options: ReadExportOptions = {}): ImportResult {
  readArgument(anyBytes(), { bytes, options })
  const { limits, format: given } = exportOptions.read(options)
  const file = openFile(bytes, limits)
  const format = given ?? detectFile(file)
  if (format === undefined)
    throw InvalidInputError.at('', 'the format of the export is not recognized')
  return readers[format](file)
}

/**
 * Returns the format of an export by its content. An encrypted export of Bitwarden is recognized,
 * so that its reader can say what to do.
 * @returns undefined if the format is not recognized, or the file exceeds a limit. Never throws for
 * any bytes.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` is not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function detectFormat(
  bytes: Uint8Array,
  options: ReadOptions = {},
): ImportFormat | undefined {
  return detectFile(openExportFile(bytes, options))
}

function detectFile(file: ExportFile): ImportFormat | undefined {
  try {
    if (file.isArchive) return detectArchive(file)
    return file.text().trimStart().startsWith('{') ? detectJson(file) : detectCsv(file)
  } catch {
    return undefined
  }
}

function detectArchive(file: ExportFile): ImportFormat | undefined {
  const { names } = file.archive()
  if (names.includes('export.data')) return '1pux'
  return names.includes('data.json') ? 'bitwarden' : undefined
}

function detectJson(file: ExportFile): ImportFormat | undefined {
  const root = createSource(file.json(), '', () => {})
  const has = (name: string): boolean => hasMember(root, name)
  if (has('encrypted') || has('passwordProtected')) return 'bitwarden'
  if (has('accounts')) return 'cxf'
  if (has('items') && (has('folders') || has('collections')) && !has('username')) return 'bitwarden'
  return has('items') ? 'cxf' : undefined
}

/** Compares the header, the first line, with the columns of each format. */
function detectCsv(file: ExportFile): ImportFormat | undefined {
  const [line = ''] = file
    .text()
    .trimStart()
    .split(/[\r\n]/, 1)
  const header = readHeader(parseCsv(line, 1).next().value ?? [])
  const has = ({ required }: { required: readonly string[] }): boolean =>
    required.every((name) => header.includes(name))
  if (has(lastPassColumns)) return 'lastpass'
  if (has(firefoxColumns)) return 'firefox'
  return has(chromeColumns) ? 'chrome' : undefined
}
