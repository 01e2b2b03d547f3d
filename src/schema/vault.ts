/** A vault: a set of items, and the unit of access control. */

import { idSchema } from './ids.js'
import * as z from './zod.js'

/** The kind of owner of a vault. */
export type VaultType = 'USER_CREATED' | 'PERSONAL' | 'EVERYONE' | 'TRANSFER'

/** A vault as it is stored and returned. */
export interface Vault {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly type: VaultType
  /** 1 when the vault is created, plus 1 for each change of the vault itself. */
  readonly attributeVersion: number
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly createdAt: string
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly updatedAt: string
}

/** Parses a {@link Vault}. */
export const vaultSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.exactOptional(z.string()),
  type: z.enum(['USER_CREATED', 'PERSONAL', 'EVERYONE', 'TRANSFER']),
  attributeVersion: z.int().check(z.gte(1)),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
