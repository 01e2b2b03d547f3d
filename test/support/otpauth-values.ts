/** Values of fields for one-time codes, usual and odd, with the settings that are read from them. */

import type { OneTimeCodeSettings } from '../../src/base/one-time-code.js'

/** The secret of RFC 6238 in base32: the ASCII digits `12345678901234567890`. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const spaced = 'gezd gnbv gy3t qojq gezd gnbv gy3t qojq'

/** The settings that differ from SHA-1, six digits and 30 seconds. Undefined if there is no code. */
export type OtpauthRow = readonly [
  value: string,
  settings: Partial<Omit<OneTimeCodeSettings, 'secret'>> | undefined,
]

/** Every value with settings has the secret `12345678901234567890`. */
export const otpauthRows: readonly OtpauthRow[] = [
  // Labels and issuers.
  [`otpauth://totp/Example:wendy?secret=${secret}`, {}],
  [`otpauth://totp/Example%3A%20wendy?secret=${secret}&issuer=Example`, {}],
  [`otpauth://totp/:wendy?secret=${secret}`, {}],
  [`otpauth://totp/a/b?secret=${secret}`, {}],
  [`otpauth://totp/?secret=${secret}`, {}],
  [`otpauth://totp?secret=${secret}`, {}],
  [`otpauth://totp/a?secret=${secret}&issuer=`, {}],
  [`otpauth://totp/a?secret=${secret}&issuer=A&issuer=B`, {}],
  [`otpauth://totp/a?secret=${secret}&issuer=Who?`, {}],
  [`otpauth://totp/a b?secret=${secret}`, {}],
  [`otpauth://totp/100%?secret=${secret}`, undefined],
  [`otpauth://totp/a?secret=${secret}&issuer=100%`, undefined],
  [`otpauth://totp/Who?me?secret=${secret}`, undefined],
  [`otpauth://totp/a#b?secret=${secret}`, undefined],
  // The scheme and the type.
  [`OTPAUTH://TOTP/a?SECRET=${secret.toLowerCase()}`, {}],
  [` otpauth://totp/a?secret=${secret}`, undefined],
  [`otpauth:totp/a?secret=${secret}`, undefined],
  [`otpauth://hotp/a?secret=${secret}&counter=1`, undefined],
  [`otpauth://steam/a?secret=${secret}`, undefined],
  [`otpauth://totp:80/a?secret=${secret}`, undefined],
  [`otpauth://totpx/a?secret=${secret}`, undefined],
  ['otpauth-migration://offline?data=AAAA', undefined],
  [`https://example.com/?otpauth://totp/a?secret=${secret}`, undefined],
  // Secrets.
  [`otpauth://totp/a?secret=${spaced}`, {}],
  [`otpauth://totp/a?secret=${encodeURIComponent(spaced)}`, {}],
  [`otpauth://totp/a?secret=${spaced.replaceAll(' ', '+')}`, {}],
  [`otpauth://totp/a?secret=${spaced.replaceAll(' ', '-')}`, {}],
  [`otpauth://totp/a?secret=${secret}\n`, {}],
  [`otpauth://totp/a?secret=${secret}===`, {}],
  [`otpauth://totp/a?secret=${secret}%3D%3D%3D&digits=8`, { digits: 8 }],
  [`otpauth://totp/a?issuer=x&secret=${secret}#fragment`, {}],
  [`otpauth://totp/a?secret=${secret}=${secret}`, undefined],
  [`otpauth://totp/a?secret=${secret}1`, undefined],
  [`otpauth://totp/a?secret=${secret}%C5%BF`, undefined],
  ['otpauth://totp/a?secret=', undefined],
  ['otpauth://totp/a?secret', undefined],
  ['otpauth://totp/a?secret=A', undefined],
  ['otpauth://totp/a?secret=%20-=', undefined],
  ['otpauth://totp/a', undefined],
  ['otpauth://totp/a?', undefined],
  // Parameters twice, without a value, and in another case.
  [`otpauth://totp/a?secret=${secret}&secret=${secret}`, undefined],
  [`otpauth://totp/a?secret=${secret}&SECRET=JBSWY3DP`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=6&digits=8`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=&digits=8`, undefined],
  [`otpauth://totp/a?secret=${secret}&algorithm=SHA1&Algorithm=SHA256`, undefined],
  [`otpauth://totp/a?secret=${secret}&period=30&period=60`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=&period=&algorithm=`, {}],
  [`otpauth://totp/a?secret=${secret}&digits&period&algorithm`, {}],
  [`otpauth://totp/a?&secret=${secret}&&`, {}],
  [`otpauth://totp/a?secret=${secret}&Digits=8&PERIOD=60`, { digits: 8, periodSeconds: 60 }],
  [`otpauth://totp/a?secret=${secret}&image=https%3A%2F%2Fexample.com&foo`, {}],
  // Algorithms.
  [`otpauth://totp/a?secret=${secret}&algorithm=SHA-1`, {}],
  [`otpauth://totp/a?secret=${secret}&algorithm=sha256`, { algorithm: 'SHA-256' }],
  [`otpauth://totp/a?secret=${secret}&algorithm=Sha-512`, { algorithm: 'SHA-512' }],
  [`otpauth://totp/a?secret=${secret}&algorithm=SHA`, undefined],
  [`otpauth://totp/a?secret=${secret}&algorithm=SHA224`, undefined],
  [`otpauth://totp/a?secret=${secret}&algorithm=SHA3-256`, undefined],
  [`otpauth://totp/a?secret=${secret}&algorithm=MD5`, undefined],
  [`otpauth://totp/a?secret=${secret}&algorithm=constructor`, undefined],
  // Digits and periods.
  [`otpauth://totp/a?secret=${secret}&digits=1`, { digits: 1 }],
  [`otpauth://totp/a?secret=${secret}&digits=10`, { digits: 10 }],
  [`otpauth://totp/a?secret=${secret}&digits=11`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=0`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=06`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=6.0`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=0x6`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=%2B6`, undefined],
  [`otpauth://totp/a?secret=${secret}&digits=six`, undefined],
  [`otpauth://totp/a?secret=${secret}&period=1`, { periodSeconds: 1 }],
  [`otpauth://totp/a?secret=${secret}&period=999999999`, { periodSeconds: 999_999_999 }],
  [`otpauth://totp/a?secret=${secret}&period=1000000000`, undefined],
  [`otpauth://totp/a?secret=${secret}&period=0`, undefined],
  [`otpauth://totp/a?secret=${secret}&period=-30`, undefined],
  [`otpauth://totp/a?secret=${secret}&period=1.5`, undefined],
  [`otpauth://totp/a?secret=${secret}&period=1e3`, undefined],
  // The length.
  [`otpauth://totp/a?secret=${secret}&issuer=`.padEnd(512, 'x'), {}],
  [`otpauth://totp/a?secret=${secret}&issuer=`.padEnd(513, 'x'), undefined],
]
