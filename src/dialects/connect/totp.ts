/** One-time codes (RFC 6238), for clients that expect the server to compute them. */

import { TOTP, URI } from 'otpauth'
import type { Field, StoredFieldType } from '../../schema/field.js'

/** The digits of the largest code, which has 31 bits (RFC 4226, section 5.3). */
const maxDigits = 10
/** The maximum length of a URL. URLs in QR codes have at most 300 characters. */
const maxUrlLength = 512

/** Returns true for the two names of the type of a one-time code. */
export function isTotpType(type: StoredFieldType): type is 'OTP' | 'TOTP' {
  return type === 'OTP' || type === 'TOTP'
}

/**
 * Returns true if the field has the type `OTP` or `TOTP`, and its value is an `otpauth:` URL of at
 * most 512 characters.
 */
export function hasTotpUrl(field: Field): field is Field & { readonly value: string } {
  const { type, value = '' } = field
  return isTotpType(type) && value.length <= maxUrlLength && /^otpauth:/i.test(value)
}

/**
 * Returns the one-time code at the time `now`, if the field has the type `OTP` or `TOTP` and its
 * value is an `otpauth://totp/` URL. Returns undefined for any other field, and if the URL is
 * invalid or has more than 512 characters. Never throws.
 */
export function totpCode(field: Field, now: Date): string | undefined {
  if (!hasTotpUrl(field)) return undefined
  try {
    const otp = URI.parse(field.value)
    const isTotp = otp instanceof TOTP && otp.digits <= maxDigits
    return isTotp ? otp.generate({ timestamp: now.getTime() }) : undefined
  } catch {
    return undefined
  }
}
