/** The limits on items, and the checks for them. */

import { integer } from '../../base/argument.js'
import { invalidInputError } from '../../base/fixed-errors.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../../base/options.js'
import { type InputIssue, InvalidInputError, StorageUnavailableError } from '../../errors.js'

/** The limits on what is stored and returned: integers of 0 or more. */
export interface Limits {
  /** The number of fields of an item. Default: 1,000. */
  readonly fields?: number | undefined
  /** The number of sections of an item. Default: 100. */
  readonly sections?: number | undefined
  /** The number of URLs of an item. Default: 100. */
  readonly urls?: number | undefined
  /** The number of tags of an item. Default: 100. */
  readonly tags?: number | undefined
  /** The number of files of an item. Stored items that have more remain readable. Default: 100. */
  readonly files?: number | undefined
  /** The length of a file's name in characters. Default: 255. */
  readonly fileNameCharacters?: number | undefined
  /**
   * The length of a word of a filter in characters. A word is the string between two quotes. With
   * `ignoreCase`, the characters are counted after their case was folded. If you raise this limit,
   * the time that `co` takes for each stored string grows with the length of the word. Default:
   * 250.
   */
  readonly filterWordCharacters?: number | undefined
  /**
   * The bytes of the contents that `listFiles` inlines in one call, before base64. Default:
   * 4,194,304.
   */
  readonly inlinedBytes?: number | undefined
  /**
   * The bytes of the records that `getItems` reads in one call if it reads more than one. Default:
   * 16,777,216.
   */
  readonly getItemsBytes?: number | undefined
  /**
   * The bytes of an item as JSON in UTF-8. Stored items that are larger remain readable. Default:
   * 2,097,152.
   */
  readonly itemBytes?: number | undefined
  /** The bytes of a string in UTF-8. Default: 65,536. */
  readonly stringBytes?: number | undefined
  /** The number of operations of a patch. Default: 256. */
  readonly patchOperations?: number | undefined
  /** The number of nested objects and arrays in the value of a patch operation. Default: 32. */
  readonly depth?: number | undefined
}

const count = integer({ min: 0 })

/** The definition of {@link Limits}. */
export const limitOptions = defineOptions({
  fields: optional(count, 1000),
  sections: optional(count, 100),
  urls: optional(count, 100),
  tags: optional(count, 100),
  files: optional(count, 100),
  fileNameCharacters: optional(count, 255),
  filterWordCharacters: optional(count, 250),
  inlinedBytes: optional(count, 4_194_304),
  getItemsBytes: optional(count, 16_777_216),
  itemBytes: optional(count, 2_097_152),
  stringBytes: optional(count, 65_536),
  patchOperations: optional(count, 256),
  depth: optional(count, 32),
} satisfies OptionKinds<Limits>)

/** The limits of a service: those of its options, or their defaults. */
export type ItemLimits = OptionValues<typeof limitOptions.kinds>

/**
 * Checks the lengths of the arrays in the body of an item, before it is parsed.
 * @throws InvalidInputError if one is longer than its limit.
 */
export function checkCounts(body: unknown, limits: ItemLimits): void {
  const { fields, sections, urls, tags } = Object(body)
  checkCount(fields, 'fields', limits.fields)
  checkCount(sections, 'sections', limits.sections)
  checkCount(urls, 'urls', limits.urls)
  checkCount(tags, 'tags', limits.tags)
}

/** @throws InvalidInputError if `value` is an array of more than `limit` elements. */
export function checkCount(value: unknown, path: string, limit: number): void {
  if (Array.isArray(value) && value.length > limit)
    throw InvalidInputError.at(path, `must be at most ${limit} elements long`)
}

/**
 * @throws InvalidInputError if the name of a file is too long. Counts code points, not UTF-16
 * units.
 */
export function checkFileName(name: string, { fileNameCharacters: limit }: ItemLimits): void {
  if (name.length > limit && [...name].length > limit)
    throw InvalidInputError.at('name', `must be at most ${limit} characters long`)
}

/**
 * @throws InvalidInputError if the JSON text of an item is too large, and larger than its previous
 * text.
 */
export function checkSize(text: string, { itemBytes: limit }: ItemLimits, previousText = ''): void {
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (text.length * 3 <= limit) return
  const bytes = utf8Bytes(text)
  if (bytes > limit && bytes > utf8Bytes(previousText))
    throw InvalidInputError.at('', `the item must be at most ${limit} bytes long`)
}

/**
 * Checks every string in `value`, except the keys of objects.
 * @throws InvalidInputError with an issue for each string that contains U+0000 or a lone surrogate,
 * or that is longer than `stringBytes`.
 */
export function checkStrings(value: unknown, limits: ItemLimits): void {
  if (areStringsValid(value, limits.stringBytes)) return
  throw invalidInputError(findStringIssues(value, '', limits.stringBytes))
}

/**
 * Like `checkStrings`, for a draft whose strings are all in the JSON `text`. The draft is walked
 * only if one of them may be invalid, because a walk takes a sixth of the time of a create.
 */
export function checkStringsOf(draft: unknown, text: string, limits: ItemLimits): void {
  // JSON escapes U+0000 and lone surrogates. A UTF-16 unit has at most three bytes in UTF-8.
  const canBeInvalid = text.includes('\\u') || text.length * 3 > limits.stringBytes
  if (canBeInvalid) checkStrings(draft, limits)
}

/** Checks without collecting paths, which would cost ten times as much. */
function areStringsValid(value: unknown, limit: number): boolean {
  if (typeof value === 'string') return stringIssue(value, limit) === undefined
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (const element of value) if (!areStringsValid(element, limit)) return false
    return true
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const key in members) {
    if (!areStringsValid(members[key], limit)) return false
  }
  return true
}

function findStringIssues(value: unknown, path: string, limit: number): InputIssue[] {
  if (typeof value !== 'string') {
    return Object.entries(value ?? {}).flatMap(([key, member]) =>
      findStringIssues(member, path === '' ? key : `${path}/${key}`, limit),
    )
  }
  const message = stringIssue(value, limit)
  return message === undefined ? [] : [{ path, message }]
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length
}

function stringIssue(text: string, limit: number): string | undefined {
  if (!text.isWellFormed()) return 'must not contain a lone surrogate'
  if (text.includes('\0')) return 'must not contain U+0000'
  if (text.length * 3 > limit && utf8Bytes(text) > limit)
    return `must be at most ${limit} bytes long`
  return undefined
}

/**
 * Returns the clock of a service, which throws StorageUnavailableError (503) in years that cannot
 * be stored. Outside 0000 to 9999, a year has a sign and six digits, and could not be parsed again.
 */
export function createLimitedClock(now: (() => Date) | undefined): () => Date {
  if (now === undefined) return () => new Date()
  return () => {
    const date = now()
    const year = date.getUTCFullYear()
    if (year >= 0 && year <= 9999) return date
    throw new StorageUnavailableError('the clock is not within the years 0000 to 9999')
  }
}
