/** The request for which a secret value is used. */

import { isOrigin } from './is-origin.js'
import * as z from './zod.js'

/** The request for which a secret value is used. */
export interface SecretUseTarget {
  /** The origin of its URL, such as `https://api.example.com`: lower case, without a default port. */
  readonly origin: string
  /** Its method, such as `GET`: 1 to 32 letters and hyphens. */
  readonly method: string
  /**
   * Where the value is in it, such as `header:authorization`. It is recorded. If the caller has
   * only the permission `use`, it must be one of the `places` that the caller is allowed.
   */
  readonly place?: string | undefined
}

/** Parses a {@link SecretUseTarget}. */
export const secretUseSchema = z.object({
  origin: z.string().check(z.maxLength(512), z.refine(isOrigin, 'must be the origin of a URL')),
  method: z.string().check(z.regex(/^[A-Za-z-]{1,32}$/)),
  place: z.optional(z.string()),
})

/** Parses the use of a secret in an activity entry. */
export const recordedUseSchema = z.extend(secretUseSchema, {
  place: z.exactOptional(z.string()),
  field: z.exactOptional(z.string()),
})
