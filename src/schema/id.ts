/** The ids by which vaults, items and files are found. */

import * as z from 'zod'

const vaultOrItemId = /^[\da-z]{26}$/
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** The id of a vault or an item (contract, section 2.1). */
export const idSchema = z.string().regex(vaultOrItemId).meta({ id: 'Id' })

/** The id of a file: 26 characters as above, or an RFC 9562 UUID. */
export const fileIdSchema = z.union([z.string().regex(vaultOrItemId), z.string().regex(uuid)]).meta({ id: 'FileId' })

/** Whether `value` is the id of a vault or an item. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && vaultOrItemId.test(value)
}

/** Whether `value` is the id of a file. */
export function isFileId(value: unknown): value is string {
  return isId(value) || (typeof value === 'string' && uuid.test(value))
}
