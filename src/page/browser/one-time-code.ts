/** Computes one-time codes (RFC 6238) from the value of a field. */

import {
  type OneTimeCodeSettings,
  parseOneTimeSecret,
  parseOtpauth,
} from '../../base/one-time-code.js'

/** A code, and the whole seconds for which it is valid. */
export interface OneTimeCode {
  readonly code: string
  readonly seconds: number
}

/** Returns true for a field whose value is the seed of one-time codes. */
export function isOneTimeCode({ type }: { readonly type: string }): boolean {
  return type === 'TOTP' || type === 'OTP'
}

/**
 * Returns the code at a time.
 * @param value - An `otpauth://totp/` URL, or a seed in base32.
 * @param now - Milliseconds since 1970.
 * @returns Undefined if the value is neither, and without HTTPS, where browsers have no HMAC.
 */
export async function computeCode(value: string, now: number): Promise<OneTimeCode | undefined> {
  const settings = parseOtpauth(value) ?? fromSecret(value)
  if (settings === undefined || !crypto.subtle) return undefined
  const { secret, digits, periodSeconds: period } = settings
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(Math.floor(now / 1000 / period)))
  const algorithm = { name: 'HMAC', hash: settings.algorithm }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter))
  // RFC 4226, section 5.3.
  const offset = mac.getUint8(mac.byteLength - 1) & 15
  const number = (mac.getUint32(offset) & 0x7fffffff) % 10 ** digits
  return {
    code: String(number).padStart(digits, '0'),
    seconds: Math.ceil(period - ((now / 1000) % period)),
  }
}

/** Returns the usual settings with a secret alone. */
function fromSecret(value: string): OneTimeCodeSettings | undefined {
  const secret = parseOneTimeSecret(value)
  return secret && { secret, algorithm: 'SHA-1', digits: 6, periodSeconds: 30 }
}
