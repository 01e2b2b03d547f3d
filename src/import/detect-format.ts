/** Recognizes the format of an export, and reads it. */

import { InvalidInputError } from '../errors.js'
import { readBitwarden } from './bitwarden/read-bitwarden.js'
import {
  chromeColumns,
  firefoxColumns,
  lastPassColumns,
  readChromeCsv,
  readFirefoxCsv,
  readLastPassCsv,
} from './csv/read-csv.js'
import { parseCsv, readHeader } from './csv/read-rows.js'
import { readCxf } from './cxf/read-cxf.js'
import { type ImportLimits, type ReadOptions, resolveArguments } from './limits.js'
import { readOnePux } from './one-pux/read-one-pux.js'
import { parseJson } from './parse-json.js'
import type { ImportFormat, ImportResult } from './result.js'
import { createSource } from './source.js'
import { decodeText } from './text.js'
import { isZip, openZip } from './zip/open-zip.js'

/** Options of `readExport`. */
export interface ReadExportOptions extends ReadOptions {
  /** The format of the export; recognized by `detectFormat` if absent. */
  readonly format?: ImportFormat
}

const readers: Readonly<Record<ImportFormat, typeof readOnePux>> = {
  '1pux': readOnePux,
  bitwarden: readBitwarden,
  chrome: readChromeCsv,
  firefox: readFirefoxCsv,
  lastpass: readLastPassCsv,
  cxf: readCxf,
}

/** The formats that can be read, in the order in which the documentation lists them. */
export const importFormats: readonly ImportFormat[] = Object.freeze(
  Object.keys(readers) as ImportFormat[],
)

/**
 * Reads an export of any format.
 * @param bytes The whole file. It is not changed.
 * @throws InvalidInputError if the format is not recognized, or as the reader of the format does.
 * @throws TypeError if `bytes` is not a `Uint8Array`, `options` not an object, or the format none of
 * `importFormats`.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readExport(bytes: Uint8Array, options: ReadExportOptions = {}): ImportResult {
  resolveArguments(bytes, options, { limits: true, format: true })
  const { format: _, ...rest } = options
  const { format = detectFormat(bytes, rest) } = options
  if (format === undefined)
    throw InvalidInputError.at('', 'the format of the export is not recognized')
  if (!importFormats.includes(format))
    throw new TypeError(`options.format must be one of ${importFormats.join(', ')}`)
  return readers[format](bytes, rest)
}

/**
 * Returns the format of an export by its content. An encrypted export of Bitwarden is recognized,
 * so that its reader can say what to do.
 * @returns undefined if the format is not recognized, or the file exceeds a limit. Never throws for
 * any bytes.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function detectFormat(
  bytes: Uint8Array,
  options: ReadOptions = {},
): ImportFormat | undefined {
  const limits = resolveArguments(bytes, options)
  try {
    if (isZip(bytes)) return detectArchive(bytes, limits)
    const start = decodeText(bytes, limits).trimStart()
    return start.startsWith('{') ? detectJson(bytes, limits) : detectCsv(start, limits)
  } catch {
    return undefined
  }
}

function detectArchive(bytes: Uint8Array, limits: ImportLimits): ImportFormat | undefined {
  const { names } = openZip(bytes, limits)
  if (names.includes('export.data')) return '1pux'
  return names.includes('data.json') ? 'bitwarden' : undefined
}

function detectJson(bytes: Uint8Array, limits: ImportLimits): ImportFormat | undefined {
  const { has } = createSource(parseJson(bytes, limits), '', () => {})
  if (has('encrypted') || has('passwordProtected')) return 'bitwarden'
  if (has('accounts')) return 'cxf'
  if (has('items') && (has('folders') || has('collections')) && !has('username')) return 'bitwarden'
  return has('items') ? 'cxf' : undefined
}

/** Compares the header, the first line, with the columns of each format. */
function detectCsv(text: string, limits: ImportLimits): ImportFormat | undefined {
  const [line = ''] = text.split(/[\r\n]/, 1)
  const header = readHeader(parseCsv(line, limits.items)[0] ?? [])
  const has = ({ required }: { required: readonly string[] }): boolean =>
    required.every((name) => header.includes(name))
  if (has(lastPassColumns)) return 'lastpass'
  if (has(firefoxColumns)) return 'firefox'
  return has(chromeColumns) ? 'chrome' : undefined
}
