/** The ids by which vaults, items and files are found. */

import * as z from 'zod/mini'

/** The ids that locate an item. */
export interface ItemRef {
  readonly vaultId: string
  readonly itemId: string
}

/** The ids that locate a file of an item. */
export interface FileRef extends ItemRef {
  readonly fileId: string
}

const vaultOrItemId = /^[\da-z]{26}$/
const fileId = /^(?:[\da-z]{26}|[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12})$/

/** The id of a vault or an item (contract, section 2.1). */
export const idSchema = z.string().check(z.regex(vaultOrItemId))

/** The id of a file: 26 characters as above, or an RFC 9562 UUID. */
export const fileIdSchema = z.string().check(z.regex(fileId))

/** Whether `value` is the id of a vault or an item. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && vaultOrItemId.test(value)
}

/** Whether `value` is the id of a file. */
export function isFileId(value: unknown): value is string {
  return typeof value === 'string' && fileId.test(value)
}

/** Whether two ids are of the same file. The case of a UUID does not matter (RFC 9562, section 4). */
export function isSameFileId(one: string, other: string): boolean {
  return one === other || (one.length === 36 && one.toLowerCase() === other.toLowerCase())
}
