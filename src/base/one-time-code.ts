/** Reads the settings of one-time codes (RFC 6238) from the values that users have. */

/** What a one-time code is computed from, besides the time. */
export interface OneTimeCodeSettings {
  readonly secret: Uint8Array<ArrayBuffer>
  readonly algorithm: 'SHA-1' | 'SHA-256' | 'SHA-512'
  readonly digits: number
  readonly periodSeconds: number
}

/** The maximum length of a URL. URLs in QR codes have at most 300 characters. */
export const maxOtpauthLength = 512

/** The parameters on which the code depends. */
type CodeParameter = 'secret' | 'algorithm' | 'digits' | 'period'

const algorithms: ReadonlyMap<string, OneTimeCodeSettings['algorithm']> = new Map([
  ['SHA1', 'SHA-1'],
  ['SHA256', 'SHA-256'],
  ['SHA512', 'SHA-512'],
])

/**
 * Returns the settings in an `otpauth://totp/` URL. Returns undefined for any other text, and if
 * the URL has more than 512 characters, a malformed percent-encoding or an invalid parameter.
 *
 * - The label and the issuer can be anything, even empty. Other parameters are ignored, and so is a
 *   fragment.
 * - Names of parameters, the algorithm and the secret are read in any case. The algorithm can have
 *   a hyphen (`SHA-1`), and the secret can have white space, hyphens and padding.
 * - A parameter without a value has its default: SHA1, 6 digits, 30 seconds. The secret has none.
 * - A URL that states one of the four parameters twice is invalid, because apps differ in which one
 *   they use.
 */
export function parseOtpauth(value: string): OneTimeCodeSettings | undefined {
  if (value.length > maxOtpauthLength) return undefined
  const [, query] = /^otpauth:\/\/totp(?:\/[^?#]*)?\?([^#]*)/i.exec(value) ?? []
  if (query === undefined || !isWellEncoded(value)) return undefined
  const parameters = new Map<string, string>()
  for (const [name, text] of new URLSearchParams(query)) {
    const key = name.toLowerCase()
    if (parameters.has(key) && isCodeParameter(key)) return undefined
    parameters.set(key, text)
  }
  const read = (name: CodeParameter): string | undefined => parameters.get(name) || undefined
  const secret = parseOneTimeSecret(read('secret') ?? '')
  const algorithm = toAlgorithm(read('algorithm') ?? 'SHA1')
  const digits = /^(?:[1-9]|10)$/.exec(read('digits') ?? '6')
  const period = /^[1-9]\d{0,8}$/.exec(read('period') ?? '30')
  if (!secret || !algorithm || !digits || !period) return undefined
  return { secret, algorithm, digits: Number(digits[0]), periodSeconds: Number(period[0]) }
}

/**
 * Returns the bytes of a secret in base32 (RFC 4648, section 6), in any case and with or without
 * white space, hyphens and padding. Returns undefined if it is anything else or has no byte.
 */
export function parseOneTimeSecret(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.replaceAll(/[\s-]/g, '').replace(/={0,8}$/, '')
  if (!/^[A-Z2-7]{2,}$/i.test(digits)) return undefined
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8))
  let [bits, count, length] = [0, 0, 0]
  for (const digit of digits.toUpperCase()) {
    bits = ((bits << 5) | 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit)) & 0xfff
    count += 5
    if (count < 8) continue
    count -= 8
    bytes[length++] = (bits >> count) & 255
  }
  return bytes
}

function isCodeParameter(name: string): boolean {
  return ['secret', 'algorithm', 'digits', 'period'].includes(name)
}

function toAlgorithm(name: string): OneTimeCodeSettings['algorithm'] | undefined {
  return algorithms.get(name.toUpperCase().replace(/^SHA-/, 'SHA'))
}

function isWellEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
