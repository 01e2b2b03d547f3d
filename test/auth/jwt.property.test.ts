import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { codePoint } from '../support/arbitraries/strings.js'
import { createNoonAuthenticator, createToken, outcome } from '../support/auth/jwt-at-noon.js'

describe('createJwtAuthenticator', () => {
  const authenticate = createNoonAuthenticator()

  it('rejects any string that is not a token with 401', async () => {
    const part = fc.oneof(
      fc.base64String().map((text) => text.replaceAll(/[+/=]/g, '')),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc.string({ unit: codePoint }),
    )
    const strings = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(strings, async (text) => {
        expect(await outcome(authenticate(text))).toBe(401)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('rejects a valid token with 401 when one character is changed', {}, async () => {
    const valid = createToken()
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
    const changes = fc.tuple(fc.nat(valid.length - 2), fc.constantFrom(...letters))
    await fc.assert(
      fc.asyncProperty(changes, async ([index, letter]) => {
        fc.pre(valid[index] !== letter)
        const changed = `${valid.slice(0, index)}${letter}${valid.slice(index + 1)}`
        expect(await outcome(authenticate(changed))).toBe(401)
      }),
      { numRuns: propertyRuns() },
    )
  })
})
