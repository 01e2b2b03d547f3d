import { describe, expect, it } from 'vitest'
import { remainingSets } from '../../site/playground/remaining-sets.js'
import { generatePassword, type Recipe } from '../../src/index.js'

const symbols = '!@.-_*'

describe('remainingSets', () => {
  it.each<Recipe>([
    {},
    { characterSets: [] },
    { characterSets: ['SYMBOLS'] },
    { characterSets: ['DIGITS', 'LETTERS'], excludeCharacters: 'lIO01' },
    { excludeCharacters: `0123456789${symbols}` },
    { characterSets: ['SYMBOLS', 'DIGITS'], excludeCharacters: '!@.-_012345678' },
  ])('counts the characters that generatePassword draws from with %j', (recipe) => {
    const sets = remainingSets(recipe)
    const count = sets.reduce((sum, set) => sum + set.count, 0)
    const { entropy } = generatePassword({ ...recipe, length: 1 })
    // With one set, a value of one character is any of them; with several, it is too short for each.
    expect(2 ** entropy).toBeCloseTo(count)
    const { value } = generatePassword({ ...recipe, length: 64 })
    const found = [/[A-Za-z]/, /\d/, /[!@.\-_*]/].map((pattern) => pattern.test(value))
    const names = sets.map(({ name }) => name)
    expect(found).toEqual(
      (['LETTERS', 'DIGITS', 'SYMBOLS'] as const).map((one) => names.includes(one)),
    )
  })
})
