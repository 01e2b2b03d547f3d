/** Arbitrary ids. */

import * as fc from 'fast-check'
import { arbitraryHostileString } from './strings.js'

const idCharacter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789')

const idPattern =
  /^(?:[\da-z]{26}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12})$/

/** Returns well-formed ids of vaults, items and files: 26 characters of `0-9 a-z`. */
export function arbitraryId(): fc.Arbitrary<string> {
  return fc.string({ unit: idCharacter, minLength: 26, maxLength: 26 })
}

/** Returns strings that are the id of no vault, item or file, some of them only by one character. */
export function arbitraryInvalidId(): fc.Arbitrary<string> {
  const wrong = fc.constantFrom(...'AZ_-./ \n\0é%')
  return fc
    .oneof(
      arbitraryHostileString(),
      arbitraryId().map((id) => id.slice(1)),
      arbitraryId().map((id) => `${id}0`),
      fc
        .tuple(arbitraryId(), fc.nat(25), wrong)
        .map(([id, index, character]) => id.slice(0, index) + character + id.slice(index + 1)),
    )
    .filter((text) => !idPattern.test(text))
}
