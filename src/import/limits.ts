/**
 * The limits on exports. They come from outside, and a small file can be made to unpack to
 * anything.
 */

import { integer } from '../base/argument.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { InvalidInputError } from '../index.js'

/** The limits on an export: integers of 0 or more. */
export interface ImportLimits {
  /** The bytes of a JSON text, even inside an archive. Default: 67,108,864. */
  readonly textBytes?: number | undefined
  /**
   * The members of objects and elements of arrays in a JSON text, counted before it is parsed.
   * Default: 400,000.
   */
  readonly elements?: number | undefined
  /** The number of nested objects and arrays in a JSON text. Default: 64. */
  readonly depth?: number | undefined
  /** The number of items. Default: 50,000. */
  readonly items?: number | undefined
  /** The number of entries of an archive. Default: 20,000. */
  readonly entries?: number | undefined
  /** The number of files of an item. Default: 1,000. */
  readonly files?: number | undefined
  /**
   * The unpacked size of all files of an archive, in bytes. A file that is attached to several
   * items counts once for each. Default: 536,870,912.
   */
  readonly fileBytes?: number | undefined
}

const count = integer({ min: 0 })

/** The definition of {@link ImportLimits}. */
export const importLimits = defineOptions({
  textBytes: optional(count, 67_108_864),
  elements: optional(count, 400_000),
  depth: optional(count, 64),
  items: optional(count, 50_000),
  entries: optional(count, 20_000),
  files: optional(count, 1000),
  fileBytes: optional(count, 536_870_912),
} satisfies OptionKinds<ImportLimits>)

/** The limits on an export: those of the options, or their defaults. */
export type ReadLimits = OptionValues<typeof importLimits.kinds>

/** @throws InvalidInputError if an export has more items than the limit. */
export function checkItemCount(count: number, { items: limit }: ReadLimits): void {
  if (count > limit) throw InvalidInputError.at('', `the export has more than ${limit} items`)
}
