/** Computes one-time codes (RFC 6238) from the value of a field. */

/** A code, and the whole seconds for which it is valid. */
export interface OneTimeCode {
  readonly code: string
  readonly seconds: number
}

/** Returns true for a field whose value is the seed of one-time codes. */
export function isOneTimeCode({ type }: { readonly type: string }): boolean {
  return type === 'TOTP' || type === 'OTP'
}

const hashes: Readonly<Record<string, string>> = {
  SHA1: 'SHA-1',
  SHA256: 'SHA-256',
  SHA512: 'SHA-512',
}

/**
 * Returns the code at a time.
 * @param value - An `otpauth://totp/` URL, or a seed in base32.
 * @param now - Milliseconds since 1970.
 * @returns Undefined if the value is neither, and without HTTPS, where browsers have no HMAC.
 */
export async function computeCode(value: string, now: number): Promise<OneTimeCode | undefined> {
  const url = /^otpauth:\/\/totp\//i.test(value) && URL.canParse(value) ? new URL(value) : undefined
  const query = url?.searchParams ?? new URLSearchParams({ secret: value })
  const seed = decodeBase32(query.get('secret') ?? '')
  const hash = hashes[(query.get('algorithm') ?? 'SHA1').toUpperCase().replace('-', '')]
  const [digits, period] = [Number(query.get('digits') ?? 6), Number(query.get('period') ?? 30)]
  const isValid = Number.isInteger(digits) && digits > 0 && digits <= 10 && period >= 1
  if (seed === undefined || hash === undefined || !isValid || !crypto.subtle) return undefined
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(Math.floor(now / 1000 / period)))
  const algorithm = { name: 'HMAC', hash }
  const key = await crypto.subtle.importKey('raw', seed, algorithm, false, ['sign'])
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter))
  // RFC 4226, section 5.3.
  const offset = mac.getUint8(mac.byteLength - 1) & 15
  const number = (mac.getUint32(offset) & 0x7fffffff) % 10 ** digits
  return {
    code: String(number).padStart(digits, '0'),
    seconds: Math.ceil(period - ((now / 1000) % period)),
  }
}

/** Returns undefined for text that is not base32 (RFC 4648, section 6). */
function decodeBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.replaceAll(/[\s=-]/g, '').toUpperCase()
  if (!/^[A-Z2-7]+$/.test(digits)) return undefined
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8))
  let [bits, count, length] = [0, 0, 0]
  for (const digit of digits) {
    bits = ((bits << 5) | 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit)) & 0xfff
    count += 5
    if (count < 8) continue
    count -= 8
    bytes[length++] = (bits >> count) & 255
  }
  return bytes.length === 0 ? undefined : bytes
}
