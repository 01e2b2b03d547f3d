import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { authenticator, outcome, token } from '../support/auth/jwt-at-noon.js'

describe('createJwtAuthenticator', () => {
  const authenticate = authenticator()

  it('rejects any string that is not a token with 401', { timeout: 60_000 }, async () => {
    const part = fc.oneof(
      fc.base64String().map((text) => text.replaceAll(/[+/=]/g, '')),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc.string({ unit: 'binary' }),
    )
    const strings = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(strings, async (text) => {
        expect(await outcome(authenticate(text))).toBe(401)
      }),
      { numRuns: 10_000 },
    )
  })

  it('rejects a valid token with 401 when one character is changed', {
    timeout: 60_000,
  }, async () => {
    const valid = token()
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
    const changes = fc.tuple(fc.nat(valid.length - 2), fc.constantFrom(...letters))
    await fc.assert(
      fc.asyncProperty(changes, async ([index, letter]) => {
        fc.pre(valid[index] !== letter)
        const changed = `${valid.slice(0, index)}${letter}${valid.slice(index + 1)}`
        expect(await outcome(authenticate(changed))).toBe(401)
      }),
      { numRuns: 10_000 },
    )
  })
})
