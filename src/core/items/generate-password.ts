/** Generates a password without an item. */

import { callback, isBareObject, problemOf } from '../../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../../base/options.js'
import { InvalidInputError } from '../../errors.js'
import { type Recipe, recipeSchema } from '../../schema/field.js'
import { parse } from '../../schema/parse.js'
import { rejectUnknownAttributes } from '../operation/reject-unknown.js'
import { createRandomBytes, type RandomBytes } from '../runtime/random.js'
import { entropyOf, generateValue, passwordSpec } from './generate-value.js'

/** A generated password. */
export interface GeneratedPassword {
  readonly value: string
  /** In bits: log2 of the number of strings that the recipe can generate. */
  readonly entropy: number
  /** Returns `value`, so that a template string contains the password. It is not enumerable. */
  toString(): string
}

/** Options of `generatePassword`. */
export interface GeneratePasswordOptions {
  /** The source of randomness. Default: the platform's cryptographic generator. */
  readonly randomBytes?: RandomBytes | undefined
}

const passwordOptions = defineOptions({
  randomBytes: optional(callback()),
} satisfies OptionKinds<GeneratePasswordOptions>)

/**
 * Generates a password as the service does for a field with `generate: true`. Every string that the
 * recipe allows is equally likely.
 * @param recipe - Default: all three sets of characters, 32 characters.
 * @throws InvalidInputError if the recipe is invalid, has an unknown member or leaves fewer than two
 * characters.
 * @throws TypeError if `options` is not an object, or its source of randomness is not a function.
 * @throws GenerationError if the source of randomness yields no value.
 *
 * @example
 * ```ts
 * import { generatePassword } from 'cofferkit'
 *
 * const { value, entropy } = generatePassword({ characterSets: ['LETTERS', 'DIGITS'], length: 20 })
 * const url = `postgres://app:${generatePassword({ characterSets: ['LETTERS'] })}@localhost/app`
 * ```
 */
export function generatePassword(
  recipe: Recipe = {},
  options: GeneratePasswordOptions = {},
): GeneratedPassword {
  const { randomBytes = createRandomBytes() } = passwordOptions.read(options)
  if (!isBareObject(recipe))
    throw InvalidInputError.at('recipe', problemOf(recipe, 'an object, such as { length: 32 }'))
  rejectUnknownAttributes(recipe, recipeSchema)
  const spec = passwordSpec(parse(recipeSchema, recipe))
  if (spec === undefined)
    throw InvalidInputError.at('excludeCharacters', 'must leave at least two characters')
  const value = generateValue(spec, randomBytes)
  const password = { value, entropy: entropyOf(spec) }
  return Object.defineProperty(password, 'toString', { value: () => value })
}
