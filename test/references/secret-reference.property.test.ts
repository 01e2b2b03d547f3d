import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isVaultError } from '../../src/index.js'
import {
  formatSecretReference,
  parseSecretReference,
  type ReferenceAttribute,
  type SecretReference,
} from '../../src/references.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

const numRuns = propertyRuns()

const characters = 'abcxyzABCXYZ0189-_. '
const name = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 40 })
const attributes: readonly ReferenceAttribute[] = [
  ...(['value', 'type', 'title', 'id', 'purpose', 'otp', 'access_token'] as const),
  ...(['content', 'size', 'name'] as const),
]
const names = { vault: name, item: name, section: name, field: name }
const requiredKeys = ['vault', 'item', 'field'] as const
const references: fc.Arbitrary<SecretReference> = fc.oneof(
  fc.record(
    { ...names, attribute: fc.constantFrom(...attributes) },
    { requiredKeys: [...requiredKeys] },
  ),
  fc.record(
    { ...names, sshFormat: fc.constant('openssh' as const) },
    { requiredKeys: [...requiredKeys] },
  ),
)

/** Texts that are references, almost references, or anything. */
const texts = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom('op://', 'OP://', '/', '?', 'attr', 'attribute', '=', 'otp', 'a', ' '))
    .map((parts) => parts.join('')),
  fc.tuple(references, fc.string({ maxLength: 3 })).map(([reference, end]) => {
    return formatSecretReference(reference) + end
  }),
)

describe('formatSecretReference', () => {
  it('returns a text that is parsed as an equal reference', () => {
    fc.assert(
      fc.property(references, (reference) => {
        const parsed = parseSecretReference(formatSecretReference(reference))
        expect(parsed).toEqual(reference)
      }),
      { numRuns },
    )
  })
})

describe('parseSecretReference', () => {
  it('throws an error without the text, or returns a reference that is formatted as that text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const formatted = formatSecretReference(parseSecretReference(text))
          const [path, query = ''] = text.split('?')
          expect(formatted.split('?')[0]?.slice(5)).toBe(path?.slice(5))
          expect(formatted.includes('?')).toBe(query !== '')
        } catch (error) {
          if (!isVaultError(error)) throw error
          expect(error.code).toBe('INVALID_INPUT')
          if (text.length > 12) expect(error.message).not.toContain(text)
        }
      }),
      { numRuns },
    )
  })
})
