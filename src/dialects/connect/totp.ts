/** The one-time code of a field, for clients that expect the server to compute it (RFC 6238). */

import { TOTP, URI } from 'otpauth'
import type { Field } from '../../schema/field.js'

/** As many digits as the 31 bits of a code have (RFC 4226, section 5.3). */
const mostDigits = 10
/** Characters of a URL. Those in QR codes have up to 300. */
const maxUrlLength = 512

/** Whether the field is of a type and has a value that a code may be made from. */
export function hasCodeUrl(field: Field): field is Field & { readonly value: string } {
  const { type, value = '' } = field
  const isOneTime = type === 'OTP' || type === 'TOTP'
  return isOneTime && value.length <= maxUrlLength && /^otpauth:/i.test(value)
}

/**
 * The code of the moment `now`, on a field of the type `OTP` or `TOTP` whose value is an `otpauth://totp/` URL; undefined
 * on any other field, and where the URL is longer than 512 characters or is none that a code can be made from.
 */
export function totpCode(field: Field, now: Date): string | undefined {
  if (!hasCodeUrl(field)) return undefined
  try {
    const otp = URI.parse(field.value)
    const isCode = otp instanceof TOTP && otp.digits <= mostDigits
    return isCode ? otp.generate({ timestamp: now.getTime() }) : undefined
  } catch {
    return undefined
  }
}
