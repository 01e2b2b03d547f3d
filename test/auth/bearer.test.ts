import { describe, expect, it, vi } from 'vitest'
import { bearer } from '../../src/auth/bearer.js'
import { UnauthorizedError } from '../../src/errors.js'
import { grant } from '../../src/index.js'
import { requestTo } from '../support/requests.js'

/** What the authenticator is asked about, and how it ends, for a header. */
async function asked(authorization: string | undefined): Promise<unknown> {
  const authenticator = vi.fn(async (token: string) => grant(token, '*'))
  const tokens = { full: '', reader: '', writer: '', stranger: '' }
  const request = requestTo({ tokens }, 'GET', '/', { headers: { authorization } })
  const outcome = await bearer(authenticator)(request).catch((error: unknown) => error)
  if (outcome instanceof UnauthorizedError) expect(authenticator).not.toHaveBeenCalled()
  return outcome instanceof UnauthorizedError ? 401 : Reflect.get(Object(outcome), 'id')
}

describe('bearer', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bEaReR abc', 'abc'],
    ['Bearer   abc', 'abc'],
    ['Bearer a-._~+/9==', 'a-._~+/9=='],
    [`Bearer ${'a'.repeat(8185)}`, 'a'.repeat(8185)],
  ])('takes the token out of %.40s', async (header, token) => {
    expect(await asked(header)).toBe(token)
  })

  it.each([
    [undefined],
    [''],
    ['Bearer'],
    ['Bearer '],
    ['Bearer ='],
    ['Bearer a=b'],
    ['Bearerabc'],
    ['Bearer\tabc'],
    ['Bearer\u00a0abc'],
    [' Bearer abc'],
    ['Bearer abc '],
    ['Bearer abc\n'],
    ['Bearer abc def'],
    ['Bearer abc, Bearer abc'],
    ['Bearer äbc'],
    ['Bearer abc\u0000'],
    ['Basic abc'],
    ['Token abc'],
    [`Bearer ${'a'.repeat(8186)}`],
  ])('asks nobody about %j: 401', async (header) => {
    expect(await asked(header)).toBe(401)
  })

  it('decides in no time about the longest header that looks almost like a token', async () => {
    const start = performance.now()
    expect(await asked(`Bearer ${'a='.repeat(4092)}`)).toBe(401)
    expect(await asked(`Bearer${' '.repeat(8186)}`)).toBe(401)
    expect(performance.now() - start).toBeLessThan(500)
  })
})
