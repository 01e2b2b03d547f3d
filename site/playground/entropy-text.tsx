/** Explains how the entropy of a recipe is computed. */

import type { Recipe } from 'cofferkit'
import { passwordSpec } from '../../src/core/items/generate-value.js'

/** One sentence with the numbers of a recipe. */
export function EntropyText({ recipe }: { readonly recipe: Recipe }) {
  const spec = passwordSpec(recipe)
  if (spec === undefined) return null
  const { sets, length } = spec
  const count = sets.join('').length
  const power = (
    <>
      {count}
      <sup>{length}</sup>
    </>
  )
  const names = sets.map(nameOf)
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

function nameOf(set: string): string {
  if (/\d/.test(set)) return 'a digit'
  return /[a-z]/i.test(set) ? 'a letter' : 'a symbol'
}
