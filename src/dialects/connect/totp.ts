/** One-time codes (RFC 6238), for clients that expect the server to compute them. */

import { Secret, TOTP } from 'otpauth'
import { maxOtpauthLength, parseOtpauth } from '../../base/one-time-code.js'
import type { Field, StoredFieldType } from '../../schema/field.js'

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
  return isTotpType(type) && value.length <= maxOtpauthLength && /^otpauth:/i.test(value)
}

/**
 * Returns the one-time code at the time `now`, if the field has the type `OTP` or `TOTP` and its
 * value is an `otpauth://totp/` URL. Returns undefined for any other field, and if the URL is
 * invalid or has more than 512 characters. Never throws.
 */
export function totpCode(field: Field, now: Date): string | undefined {
  const settings = hasTotpUrl(field) ? parseOtpauth(field.value) : undefined
  if (settings === undefined) return undefined
  const { secret, algorithm, digits, periodSeconds: period } = settings
  const totp = new TOTP({
    secret: new Secret({ buffer: secret.buffer }),
    algorithm,
    digits,
    period,
  })
  return totp.generate({ timestamp: now.getTime() })
}
