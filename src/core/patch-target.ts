/** Which places of an item a patch may address. */

import { parseIndex, parsePointer } from './pointer.js'

/** The names under a place. `#` stands for the elements of a list by index, `@` for fields by id. */
interface Places {
  readonly [name: string]: Places
}

const value: Places = {}
const attributes: Places = {
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

const keptOfItem = [
  'id',
  'vault',
  'version',
  'state',
  'createdAt',
  'updatedAt',
  'lastEditedBy',
  'files',
]
const keptOfField = ['id', 'entropy']

/**
 * The reference tokens of a path, none for the item itself, which `/` means as well.
 * Or, as a string, why a patch may not address it.
 */
export function patchTarget(path: string): readonly string[] | string {
  if (path === '/') return []
  const tokens = parsePointer(path)
  if (tokens === undefined) return 'is not a JSON Pointer'
  let places = attributes
  for (const [depth, token] of tokens.entries()) {
    const next = placeUnder(places, token)
    if (next === undefined) return refusal(tokens, depth)
    places = next
  }
  return tokens
}

function placeUnder(places: Places, token: string): Places | undefined {
  if (Object.hasOwn(places, '@')) return places['@']
  if (Object.hasOwn(places, '#'))
    return token === '-' || parseIndex(token) !== undefined ? places['#'] : undefined
  return Object.hasOwn(places, token) ? places[token] : undefined
}

function refusal(tokens: readonly string[], depth: number): string {
  const name = String(tokens[depth])
  const isKeptOfItem = depth === 0 && keptOfItem.includes(name)
  const isKeptOfField = depth === 2 && tokens[0] === 'fields' && keptOfField.includes(name)
  return isKeptOfItem || isKeptOfField
    ? 'is kept by the vault and cannot be changed'
    : 'is not a place of an item'
}
