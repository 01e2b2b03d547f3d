/** The limits on exports: they come from outside, and a small file can be made to unpack to anything. */

import { assertKnown } from '../base/assert-argument.js'
import { InvalidInputError } from '../index.js'

/** The limits on an export. */
export interface ImportLimits {
  /** The bytes of the text: a JSON or CSV file, also inside an archive; 67,108,864. */
  readonly textBytes: number
  /**
   * The members of objects and elements of arrays in a JSON text, counted before it is parsed, or
   * the lines of the notes of LastPass that have fields; 400,000.
   */
  readonly elements: number
  /** The levels of objects and arrays in a JSON text; 64. */
  readonly depth: number
  /** The number of items, or of rows of a CSV file; 50,000. */
  readonly items: number
  /** The number of entries of an archive; 20,000. */
  readonly entries: number
  /** The number of files of an item; 1,000. */
  readonly files: number
  /**
   * The size of all files of an archive, unpacked, in bytes; 536,870,912. A file that is attached to
   * several items counts once for each.
   */
  readonly fileBytes: number
}

/** Options of the readers. */
export interface ReadOptions {
  /** Limits; each has a default. */
  readonly limits?: Partial<ImportLimits>
}

const defaults: ImportLimits = {
  textBytes: 67_108_864,
  elements: 400_000,
  depth: 64,
  items: 50_000,
  entries: 20_000,
  files: 1000,
  fileBytes: 536_870_912,
}

/** The names of the options of a reader, or of `readExport`. */
export interface KnownReadOptions {
  readonly limits: true
  readonly format?: true
}

/**
 * Checks the arguments of a reader, and returns its limits.
 * @param known The names of the options.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` not an object, or if an option or
 * a limit is unknown.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function resolveArguments(
  bytes: unknown,
  options: ReadOptions,
  known: KnownReadOptions = { limits: true },
): ImportLimits {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes must be a Uint8Array')
  assertKnown<ReadOptions>(options, known)
  if (options.limits !== undefined) assertKnown(options.limits, defaults, 'options.limits')
  const limits = { ...defaults, ...options.limits }
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isInteger(limit) || limit < 0)
      throw new RangeError(`the limit of ${name} must be an integer of 0 or more`)
  }
  return limits
}

/** @throws InvalidInputError if an export has more items than the limit. */
export function checkItemCount(count: number, { items: limit }: ImportLimits): void {
  if (count > limit) throw InvalidInputError.at('', `the export must have at most ${limit} items`)
}
