import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { generatePassword, type Recipe } from '../../../src/index.js'
import { createSeededRandomBytes } from '../../../src/testing.js'
import { invalid } from '../../support/service/rejections.js'

describe('generatePassword', () => {
  it('returns 32 characters of all sets, and the entropy, without a recipe', () => {
    const { value, entropy } = generatePassword()
    expect(value).toMatch(/^[A-Za-z\d!@.\-_*]{32}$/)
    expect(entropy).toBeCloseTo(194.7126098839, 8)
    expect(generatePassword().value).not.toBe(value)
  })

  it('follows the recipe', () => {
    const recipe: Recipe = { characterSets: ['DIGITS'], excludeCharacters: '01', length: 8 }
    expect(generatePassword(recipe)).toEqual({
      value: expect.stringMatching(/^[2-9]{8}$/),
      entropy: 24,
    })
  })

  it('returns the same value for the same random bytes', () => {
    const [one, other] = [createSeededRandomBytes(), createSeededRandomBytes()]
    expect(generatePassword({}, { randomBytes: one })).toEqual(
      generatePassword({}, { randomBytes: other }),
    )
  })

  it('gives the password in a template string, and in a sum of strings', () => {
    const password = generatePassword()
    expect(`${password}`).toBe(password.value)
    expect(`user:${password}@localhost`).toBe(`user:${password.value}@localhost`)
    expect(String(password)).toBe(password.value)
  })

  it('has no member besides the value and the entropy that is listed, printed or copied', () => {
    const password = generatePassword()
    const { value, entropy } = password
    expect(Object.keys(password)).toEqual(['value', 'entropy'])
    expect(JSON.parse(JSON.stringify(password))).toEqual({ value, entropy })
    expect(inspect(password)).toBe(inspect({ value, entropy }))
    expect({ ...password }).toStrictEqual({ value, entropy })
  })

  it.each<[unknown, string]>([
    [{ length: 0 }, 'length must be at least 1'],
    [{ characterSets: ['EMOJI'] }, 'characterSets/0 must be one of "LETTERS", "DIGITS", "SYMBOLS"'],
    [
      { characterSets: ['DIGITS'], excludeCharacters: '012345678' },
      'excludeCharacters must leave at least two characters',
    ],
    [{ lenght: 8 }, 'lenght: unknown, did you mean length?'],
    [{ charactersets: ['DIGITS'] }, 'charactersets: unknown, did you mean characterSets?'],
    [null, 'recipe must be an object, such as { length: 32 }'],
  ])('rejects the recipe %j', (recipe, message) => {
    expect(() => generatePassword(recipe as Recipe)).toThrow(
      expect.objectContaining(invalid(message)),
    )
  })

  it('throws when the source of randomness yields no value', () => {
    const randomBytes = (length: number): Uint8Array => new Uint8Array(length).fill(255)
    expect(() => generatePassword({}, { randomBytes })).toThrow(
      expect.objectContaining({ code: 'GENERATION_FAILED' }),
    )
  })
})
