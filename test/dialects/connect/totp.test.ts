import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/dialects/connect/totp.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { measureCpuTime } from '../../support/cpu-time.js'
import { storedItem } from '../../support/items/item-builders.js'
import { runAll } from '../../support/run-all.js'

/**
 * Secrets of RFC 6238, appendix B: the ASCII digits `1234567890`, repeated to the length of the
 * hash, in base32.
 */
const secrets = {
  SHA1: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  SHA256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA',
  SHA512: `${'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'.repeat(3)}GEZDGNA`,
} as const

const vectors: readonly [number, keyof typeof secrets, string][] = [
  [59, 'SHA1', '94287082'],
  [59, 'SHA256', '46119246'],
  [59, 'SHA512', '90693936'],
  [1_111_111_109, 'SHA1', '07081804'],
  [1_111_111_109, 'SHA256', '68084774'],
  [1_111_111_109, 'SHA512', '25091201'],
  [1_111_111_111, 'SHA1', '14050471'],
  [1_111_111_111, 'SHA256', '67062674'],
  [1_111_111_111, 'SHA512', '99943326'],
  [1_234_567_890, 'SHA1', '89005924'],
  [1_234_567_890, 'SHA256', '91819424'],
  [1_234_567_890, 'SHA512', '93441116'],
  [2_000_000_000, 'SHA1', '69279037'],
  [2_000_000_000, 'SHA256', '90698825'],
  [2_000_000_000, 'SHA512', '38618901'],
  [20_000_000_000, 'SHA1', '65353130'],
  [20_000_000_000, 'SHA256', '77737706'],
  [20_000_000_000, 'SHA512', '47863826'],
]

function codeOf(value: string | undefined, seconds = 59, type = 'OTP'): string | undefined {
  const field = { id: 'f', type, ...(value !== undefined && { value }) }
  return totpCode(field, new Date(seconds * 1000))
}

function urlOf(parameters = '', secret: string = secrets.SHA1): string {
  return `otpauth://totp/Example:wendy?secret=${secret}${parameters}`
}

describe('totpCode', () => {
  it.each(vectors)(
    'returns the code of RFC 6238 at second %i with %s: %s',
    (seconds, algorithm, code) => {
      const url = urlOf(`&algorithm=${algorithm}&digits=8`, secrets[algorithm])
      expect(codeOf(url, seconds)).toBe(code)
    },
  )

  it('defaults to six digits, a period of 30 seconds and SHA1', () => {
    expect(codeOf(urlOf(), 30)).toBe('287082')
    expect(codeOf(urlOf(), 59.999)).toBe('287082')
    expect(codeOf(urlOf(), 29.999)).toBe('755224')
    expect(codeOf(urlOf(), 60)).toBe('359152')
  })

  it('uses the period of the URL', () => {
    expect(codeOf(urlOf('&period=60'), 119)).toBe('287082')
    expect(codeOf(urlOf('&period=60'), 59)).toBe('755224')
  })

  it.each(['OTP', 'TOTP'])('returns a code for the type %s', (type) => {
    expect(codeOf(urlOf(), 59, type)).toBe('287082')
  })

  it.each(['STRING', 'CONCEALED', 'URL', 'HOTP'])('returns undefined for the type %s', (type) => {
    expect(codeOf(urlOf(), 59, type)).toBeUndefined()
  })

  it('accepts a URL in any case with a padded secret', () => {
    expect(codeOf(`OTPAUTH://TOTP/a?SECRET=${secrets.SHA1.toLowerCase()}%3D%3D`)).toBe('287082')
  })

  it('returns at most ten digits', () => {
    expect(codeOf(urlOf('&digits=10'))).toBe('1094287082'.padStart(10, '0'))
    expect(codeOf(urlOf('&digits=11'))).toBeUndefined()
    expect(codeOf(urlOf('&digits=999999999'))).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    'otpauth://',
    'otpauth://totp/a',
    'otpauth://totp/a?secret=',
    'otpauth://totp/a?secret=not%20base32!',
    'otpauth://totp/a?secret=%',
    'otpauth://totp/%?secret=AAAA',
    'otpauth://hotp/a?secret=AAAA&counter=1',
    'otpauth://hotp/a?secret=AAAA',
    'otpauth://steam/a?secret=AAAA',
    urlOf('&algorithm=MD5'),
    urlOf('&digits=0'),
    urlOf('&digits=-6'),
    urlOf('&digits=six'),
    urlOf('&period=0'),
    urlOf('&period=-30'),
    urlOf('&period=1.5'),
    ` ${urlOf()}`,
    `https://example.com/?${urlOf()}`,
    secrets.SHA1,
    '123456',
  ])('returns undefined for %j', (value) => {
    expect(codeOf(value)).toBeUndefined()
  })

  it('accepts URLs of up to 512 characters', () => {
    const label = (length: number): string => `otpauth://totp/${'a'.repeat(length)}?secret=AAAA`
    const room = 512 - label(0).length
    expect(codeOf(label(room))).toMatch(/^\d{6}$/)
    expect(codeOf(label(room + 1))).toBeUndefined()
  })

  it('is added to the first 100 such fields of an item', () => {
    const fields = Array.from({ length: 103 }, (_, index) => ({
      id: `${index}`,
      type: index < 2 ? 'STRING' : 'OTP',
      value: urlOf(),
    }))
    const formatted = connectDialect.formatItem(storedItem({ fields }), 'getItem', new Date(59_000))
    const codes = (Reflect.get(formatted, 'fields') as object[]).map((field) =>
      Reflect.get(field, 'totp'),
    )
    const expected = Array.from({ length: 100 }, () => '287082')
    expect(codes.slice(0, 103)).toEqual([undefined, undefined, ...expected, undefined])
  })

  it.runIf(runAll)('takes at most two seconds for values of the maximum length', () => {
    const repeated = ['?a=b', '&a=b', ':', '%3A ', '=', 'secret=A&', '?secret=AA', 'A']
    const cpuTime = measureCpuTime()
    for (const part of repeated) {
      codeOf(`otpauth://totp/${part.repeat(65_000 / part.length)}`)
      codeOf(`otpauth://totp/a?secret=${part.repeat(65_000 / part.length)}!`)
    }
    expect(cpuTime()).toBeLessThan(2000)
  })
})
