/** The one-time code of a field, for clients that expect the server to compute it (RFC 6238). */

import { TOTP, URI } from 'otpauth'
import type { Field } from '../schema/field.js'

/** As many digits as the 31 bits of a code have (RFC 4226, section 5.3). */
const mostDigits = 10

/**
 * The code of the moment `now`, on a field of the type `OTP` or `TOTP` whose value is an `otpauth://totp/` URL; undefined
 * on any other field, and where the URL is none that a code can be made from.
 */
export function oneTimeCode({ type, value = '' }: Field, now: Date): string | undefined {
  if ((type !== 'OTP' && type !== 'TOTP') || !/^otpauth:/i.test(value)) return undefined
  try {
    const otp = URI.parse(value)
    const isCode = otp instanceof TOTP && otp.digits <= mostDigits
    return isCode ? otp.generate({ timestamp: now.getTime() }) : undefined
  } catch {
    return undefined
  }
}
