/** How much of anything an item may hold. */

import { type InputIssue, InvalidInputError } from '../../errors.js'

/** Bounds on what is stored and on what is read; each has a default. */
export interface Limits {
  /** Fields of an item; 1,000. */
  readonly fields: number
  /** Sections of an item; 100. */
  readonly sections: number
  /** URLs of an item; 100. */
  readonly urls: number
  /** Tags of an item; 100. */
  readonly tags: number
  /** Files of an item; 100. An item that has more already stays readable. */
  readonly files: number
  /** Characters of a file's name; 255. */
  readonly fileNameCharacters: number
  /** Bytes of contents that `listFiles` inlines in one call, before base64; 16,777,216. */
  readonly inlinedBytes: number
  /** Bytes of the records that `getItems` reads in one call for more than one item; 16,777,216. */
  readonly getItemsBytes: number
  /** Bytes of an item as JSON in UTF-8; 2,097,152. An item that is larger already stays readable. */
  readonly itemBytes: number
  /** Bytes of a string in UTF-8; 65,536. */
  readonly stringBytes: number
  /** Operations of a patch; 256. */
  readonly patchOperations: number
  /** Levels of objects and arrays in the value of a patch operation; 32. */
  readonly depth: number
}

const defaults: Limits = {
  fields: 1000,
  sections: 100,
  urls: 100,
  tags: 100,
  files: 100,
  fileNameCharacters: 255,
  inlinedBytes: 16_777_216,
  getItemsBytes: 16_777_216,
  itemBytes: 2_097_152,
  stringBytes: 65_536,
  patchOperations: 256,
  depth: 32,
}

const counted = ['fields', 'sections', 'urls', 'tags'] as const

/**
 * The limits with the defaults for those that are not given.
 * @throws RangeError if one is not a whole number, 0 or more.
 */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaults, ...given }
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isInteger(limit) || limit < 0)
      throw new RangeError(`the limit of ${name} must be a whole number`)
  }
  return limits
}

/**
 * Counts what an item's body holds before anything reads further.
 * @throws InvalidInputError if there is too much of something.
 */
export function checkCounts(body: unknown, limits: Limits): void {
  if (typeof body !== 'object' || body === null) return
  for (const name of counted) checkCount(Reflect.get(body, name), name, limits[name])
}

/** @throws InvalidInputError if `list` is an array of more than `limit` elements. */
export function checkCount(list: unknown, path: string, limit: number): void {
  if (Array.isArray(list) && list.length > limit) {
    throw InvalidInputError.at(path, `must be at most ${limit} elements long`)
  }
}

/** @throws InvalidInputError if the name of a file is too long. */
export function checkFileName(name: string, { fileNameCharacters: limit }: Limits): void {
  if (name.length > limit && [...name].length > limit)
    throw InvalidInputError.at('name', `must be at most ${limit} characters long`)
}

/** @throws InvalidInputError if the item, given as its JSON, is too large as a whole. */
export function checkSize(text: string, { itemBytes: limit }: Limits): void {
  if (text.length * 3 > limit && bytesOf(text) > limit)
    throw InvalidInputError.at('', `the item must be at most ${limit} bytes long`)
}

/**
 * Looks at every string within `value`: none holds U+0000 or a lone surrogate, none is longer than `stringBytes`.
 * @throws InvalidInputError that names each place.
 */
export function checkStrings(value: unknown, limits: Limits): void {
  if (areStringsValid(value, limits.stringBytes)) return
  throw new InvalidInputError(findStringIssues(value, '', limits.stringBytes))
}

/** The same without the places: it runs on every body, and naming places costs ten times as much. */
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

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

function stringIssue(text: string, limit: number): string | undefined {
  if (!text.isWellFormed()) return 'must not hold a lone surrogate'
  if (text.includes('\0')) return 'must not hold U+0000'
  if (text.length * 3 > limit && bytesOf(text) > limit) return `must be at most ${limit} bytes long`
  return undefined
}
