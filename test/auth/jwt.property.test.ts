import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../support/arbitraries/code-points.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { authenticator, outcome, token } from '../support/auth/jwt-at-noon.js'

describe('any text', () => {
  const authenticate = authenticator()

  it('that is no token is 401 and nothing else', async () => {
    const part = fc.oneof(
      fc.base64String().map((text) => text.replaceAll(/[+/=]/g, '')),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc.string({ unit: codePoint }),
    )
    const texts = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await outcome(authenticate(text))).toBe(401)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('that a right token becomes by changing one character is 401', async () => {
    const right = token()
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
    const changes = fc.tuple(fc.nat(right.length - 2), fc.constantFrom(...letters))
    await fc.assert(
      fc.asyncProperty(changes, async ([index, letter]) => {
        fc.pre(right[index] !== letter)
        const changed = `${right.slice(0, index)}${letter}${right.slice(index + 1)}`
        expect(await outcome(authenticate(changed))).toBe(401)
      }),
      { numRuns: propertyRuns() },
    )
  })
})
