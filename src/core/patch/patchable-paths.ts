/** The paths of an item that a patch can change: all except those that the vault manages. */

import { suggestName } from '../../base/suggest-name.js'
import { parseIndex, parsePointer } from './json-patch.js'

/**
 * The tokens that can follow a path: `#` for the index of an element, `@` for the id of a field.
 */
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
 * Returns the reference tokens of a path. The item itself has none, and can also be written as `/`.
 * If a patch cannot change the path, returns the reason as a string.
 */
export function parsePatchPath(path: string): readonly string[] | string {
  if (path === '/') return []
  const tokens = parsePointer(path)
  if (tokens === undefined) return 'is not a JSON Pointer, such as /title'
  let tree = attributes
  for (const token of tokens) {
    let next: PathTree | undefined
    if (Object.hasOwn(tree, '@')) next = tree['@']
    else if (Object.hasOwn(tree, '#'))
      next = token === '-' || parseIndex(token) !== undefined ? tree['#'] : undefined
    else if (Object.hasOwn(tree, token)) next = tree[token]
    if (next === undefined) return `is not a patchable path of an item${suggestPath(token, tree)}`
    tree = next
  }
  return tokens
}

/**
 * Names an attribute that is similar to a token, with a slash if it is an attribute of the item.
 */
function suggestPath(token: string, tree: PathTree): string {
  const slash = tree === attributes ? '/' : ''
  const names = Object.keys(tree).filter((name) => name !== '#')
  return suggestName(
    slash + token,
    names.map((name) => slash + name),
  )
}
