/** A vault: a set of items that a caller has or has not access to. */

import * as z from 'zod/mini'
import { idSchema } from './ids.js'
import { ifVersionInputSchema } from './if-version.js'

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

const nameSchema = z.string().check(z.minLength(1))

/** Reads what `createVault` is told. */
export const newVaultSchema = z.object({
  name: nameSchema,
  description: z.optional(z.string()),
})

/** Reads what `updateVault` is told to change; null removes a description. */
export const vaultChangesSchema = z.extend(ifVersionInputSchema, {
  name: z.optional(nameSchema),
  description: z.optional(z.nullable(z.string())),
})
