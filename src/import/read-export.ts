/** Reads an export of 1Password or Bitwarden. */

import { bytes as anyBytes, oneOf, readArgument } from '../base/argument.js'
import { defineOptions, nested, type OptionKinds, optional } from '../base/options.js'
import { InvalidInputError } from '../index.js'
import { readBitwarden } from './bitwarden/read-bitwarden.js'
import { type ImportLimits, importLimits } from './limits.js'
import { readOnePux } from './one-pux/read-one-pux.js'
import { recognizeExport } from './recognize-export.js'
import type { ImportFormat, ImportResult } from './result.js'

/** Options of `readExport`. */
export interface ReadExportOptions {
  /** The format that the export must have. By default it can be any of them. */
  readonly format?: ImportFormat | undefined
  /** Limits. Each has a default. */
  readonly limits?: ImportLimits | undefined
}

const exportOptions = defineOptions({
  format: optional(oneOf<ImportFormat>('1pux', 'bitwarden')),
  limits: nested(importLimits),
} satisfies OptionKinds<ReadExportOptions>)

/**
 * Reads an export of 1Password or Bitwarden, which is recognized by its content.
 *
 * - `1pux`: a 1PUX file. Each item has the vault of the export that it is in.
 * - `bitwarden`: an unencrypted `.json` or `.zip` of a person or an organization. Folders and
 *   collections become tags.
 *
 * [The page on imports](https://github.com/cofferkit/cofferkit/blob/main/docs/importing.md) lists
 * where each attribute is stored, and which ones are lost.
 * @param bytes The complete file. It is not changed.
 * @returns What was read. An export that is completely empty gives an empty result.
 * @throws InvalidInputError if the file is anything else, is encrypted or damaged, does not have
 * `options.format`, exceeds a limit, or is not empty but contains nothing that can be imported. No
 * message contains a part of the file. If its kind is known, the message names it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, `options` is not an object, or the format is
 * unknown.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readExport(bytes: Uint8Array, options: ReadExportOptions = {}): ImportResult {
  readArgument(anyBytes(), { bytes, options })
  const { limits, format } = exportOptions.read(options)
  const recognized = recognizeExport(bytes, limits)
  if (format !== undefined && format !== recognized.format)
    throw new InvalidInputError(
      `the format of the export is ${recognized.format} instead of ${format}`,
    )
  const result =
    recognized.format === '1pux'
      ? readOnePux(recognized, limits)
      : readBitwarden(recognized, limits)
  const { items, losses } = result
  if (items.length === 0 && losses.length > 0) {
    const reasons = [...new Set(losses.map(({ message }) => message))].join('; ')
    const issues = losses.map(({ path, message }) => ({ path, message }))
    throw new InvalidInputError(`nothing in the export can be imported: ${reasons}`, { issues })
  }
  return result
}
