/** The ids of vaults, items and files. */

import { idPattern } from './is-id.js'
import * as z from './zod.js'

/** The ids that locate an item. */
export interface ItemRef {
  readonly vaultId: string
  readonly itemId: string
}

/** The ids that locate a file of an item. */
export interface FileRef extends ItemRef {
  readonly fileId: string
}

const fileIdPattern = /^(?:[\da-z]{26}|[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12})$/

/** The id of a vault or an item: 26 characters of `0-9 a-z`. */
export const idSchema = z.string().check(z.regex(idPattern))

/** The id of a file: 26 characters of `0-9 a-z`, or a UUID in any case (RFC 9562). */
export const fileIdSchema = z.string().check(z.regex(fileIdPattern))

/** Returns true if `value` has the form of the id of a file. */
export function isFileId(value: unknown): value is string {
  return typeof value === 'string' && fileIdPattern.test(value)
}

/**
 * Returns true if two ids identify the same file. The case of a UUID is ignored (RFC 9562,
 * section 4).
 */
export function isSameFileId(left: string, right: string): boolean {
  return left === right || (left.length === 36 && left.toLowerCase() === right.toLowerCase())
}
