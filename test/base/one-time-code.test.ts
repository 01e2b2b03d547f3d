import { Secret } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { parseOneTimeSecret, parseOtpauth } from '../../src/base/one-time-code.js'
import { otpauthRows } from '../support/otpauth-values.js'

describe('parseOtpauth', () => {
  it.each(otpauthRows)('reads %j as %j', (value, settings) => {
    const expected = settings && {
      secret: new TextEncoder().encode('12345678901234567890'),
      ...{ algorithm: 'SHA-1', digits: 6, periodSeconds: 30 },
      ...settings,
    }
    expect(parseOtpauth(value)).toEqual(expected)
  })
})

describe('parseOneTimeSecret', () => {
  it('returns the bytes of every length', () => {
    for (let length = 1; length <= 70; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 101 + length) % 256)
      const { base32 } = new Secret({ buffer: bytes.buffer })
      expect(parseOneTimeSecret(base32)).toEqual(bytes)
      expect(parseOneTimeSecret(base32.padEnd(Math.ceil(length / 5) * 8, '='))).toEqual(bytes)
    }
  })

  it.each(['JBSWY3DP', 'jbswy3dp', 'jbsw y3dp', 'JBSW-Y3DP', ' JBSWY3DP\r\n', 'JBSWY3DP ==='])(
    'reads %j',
    (text) => {
      expect(parseOneTimeSecret(text)).toEqual(new TextEncoder().encode('Hello'))
    },
  )

  it.each(['', ' ', '=', 'A', 'A=', 'JB=SWY3DP', 'JBSWY3D1', 'JBSWY3DP!', 'ſBSWY3DP', 'ÄÖ'])(
    'returns undefined for %j',
    (text) => {
      expect(parseOneTimeSecret(text)).toBeUndefined()
    },
  )
})
