/** The request for which a secret value is used. */

import * as z from './zod.js'

/** The request for which a secret value is used. */
export interface SecretUseTarget {
  /** The origin of its URL, such as `https://api.example.com`: lower case, without a default port. */
  readonly origin: string
  /** Its method, such as `GET`: 1 to 32 letters and hyphens. */
  readonly method: string
  /** Where the value is in it, such as `header:authorization`. Only recorded. */
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

/** Returns true for an origin as URLs have it, such as `https://api.example.com:8443`. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
