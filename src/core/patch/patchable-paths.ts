/** Which places of an item a patch may address: all but those that the vault keeps for itself. */

import { parseIndex, parsePointer } from './json-pointer.js'

/** The names under a place. `#` stands for the elements of a list by index, `@` for fields by id. */
interface PathTree {
  readonly [name: string]: PathTree
}

const value: PathTree = {}
const attributes: PathTree = {
  category: value,
  title: value,
  favorite: value,
  tags: { '#': value },
  urls: { '#': { href: value, label: value, primary: value } },
  sections: { '#': { id: value, label: value } },
  fields: {
    '@': {
      type: value,
      label: value,
      value,
      purpose: value,
      section: { id: value },
      generate: value,
      recipe: { characterSets: value, excludeCharacters: value, length: value },
    },
  },
}

/**
 * The reference tokens of a path, none for the item itself, which `/` means as well.
 * Or, as a string, why a patch may not address it.
 */
export function parsePatchPath(path: string): readonly string[] | string {
  if (path === '/') return []
  const tokens = parsePointer(path)
  if (tokens === undefined) return 'is not a JSON Pointer'
  let places = attributes
  for (const token of tokens) {
    const next = childOf(places, token)
    if (next === undefined) return 'is no place of an item that a patch may change'
    places = next
  }
  return tokens
}

function childOf(places: PathTree, token: string): PathTree | undefined {
  if (Object.hasOwn(places, '@')) return places['@']
  if (Object.hasOwn(places, '#'))
    return token === '-' || parseIndex(token) !== undefined ? places['#'] : undefined
  return Object.hasOwn(places, token) ? places[token] : undefined
}
