/** A vault: a set of items that a caller has or has not access to. */

import * as z from 'zod/mini'
import { idSchema } from './ids.js'

/** Whose vault it is. */
export type VaultType = 'USER_CREATED' | 'PERSONAL' | 'EVERYONE' | 'TRANSFER'

/** A vault as it is stored and answered. */
export interface Vault {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly type: VaultType
  /** 1 when created, and one more with every change of the vault itself. */
  readonly attributeVersion: number
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly createdAt: string
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly updatedAt: string
}

/** Reads a {@link Vault}. */
export const vaultSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.exactOptional(z.string()),
  type: z.enum(['USER_CREATED', 'PERSONAL', 'EVERYONE', 'TRANSFER']),
  attributeVersion: z.int().check(z.gte(1)),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
