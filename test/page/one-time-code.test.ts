import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/dialects/connect/totp.js'
import { computeCode, isOneTimeCode } from '../../src/page/browser/one-time-code.js'
import { otpauthRows } from '../support/otpauth-values.js'

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

describe('computeCode', () => {
  it.each([
    ['SHA1', 6, 30],
    ['SHA256', 8, 60],
    ['SHA512', 10, 15],
  ])(
    'returns the code of otpauth for %s, %i digits and %i s',
    async (algorithm, digits, period) => {
      const totp = new TOTP({ secret: Secret.fromBase32(secret), algorithm, digits, period })
      for (const timestamp of [0, 59_000, 1_111_111_109_500, 20_000_000_000_000]) {
        const code = totp.generate({ timestamp })
        expect(await computeCode(totp.toString(), timestamp)).toMatchObject({ code })
      }
    },
  )

  it.each(otpauthRows)('returns the code of the server for %j', async (value, settings) => {
    const now = new Date(1_111_111_109_500)
    const code = totpCode({ id: 'code', type: 'OTP', value }, now)
    expect(code === undefined).toBe(settings === undefined)
    expect((await computeCode(value, now.getTime()))?.code).toBe(code)
  })

  it('returns the seconds for which the code is valid', async () => {
    for (const [now, seconds] of [
      [0, 30],
      [1, 30],
      [1000, 29],
      [29_999, 1],
      [30_000, 30],
    ] as const)
      expect(await computeCode(secret, now)).toMatchObject({ seconds })
  })

  it('reads a seed in base32, with spaces and in lower case', async () => {
    const code = await computeCode(secret, 0)
    expect(await computeCode(secret.toLowerCase().replaceAll(/(....)/g, '$1 '), 0)).toEqual(code)
  })

  it.each([
    '',
    'no seed!',
    'otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP&counter=1',
    'otpauth://totp/a',
    'otpauth://totp/a?secret=JBSWY3DP&digits=11',
    'otpauth://totp/a?secret=JBSWY3DP&period=0',
    'otpauth://totp/a?secret=JBSWY3DP&algorithm=MD5',
  ])('returns undefined for %j', async (value) => {
    expect(await computeCode(value, 0)).toBeUndefined()
  })
})

describe('isOneTimeCode', () => {
  it('returns true for both names of the type', () => {
    const types = ['TOTP', 'OTP', 'CONCEALED']
    expect(types.map((type) => isOneTimeCode({ type }))).toEqual([true, true, false])
  })
})
