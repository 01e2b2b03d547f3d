/** Explains how the entropy of a recipe is computed. */

import type { CharacterSet, Recipe } from 'cofferkit'
import { remainingSets } from './remaining-sets.js'

const nouns: Readonly<Record<CharacterSet, string>> = {
  LETTERS: 'a letter',
  DIGITS: 'a digit',
  SYMBOLS: 'a symbol',
}

/** One sentence with the numbers of a recipe. */
export function EntropyText({ recipe }: { readonly recipe: Recipe }) {
  const sets = remainingSets(recipe)
  const { length = 32 } = recipe
  const count = sets.reduce((sum, set) => sum + set.count, 0)
  const power = (
    <>
      {count}
      <sup>{length}</sup>
    </>
  )
  const names = sets.map(({ name }) => nouns[name])
  return (
    <p class="hint">
      Entropy is log<sub>2</sub> of the number of strings that the recipe can generate, each equally
      likely: {length} of {count} characters are {power} strings
      {sets.length > 1 && length >= sets.length && (
        <>, less those without {names.join(' or without ')}</>
      )}
      {sets.length > 1 && length < sets.length && (
        <>; the value is too short for a character of each set</>
      )}
      .
    </p>
  )
}
