/** Finds what a name in a reference refers to. */

import { findByIdOrName } from '../base/find-by-id-or-name.js'
import { foldAsciiCase } from '../base/fold-case.js'

/**
 * Returns the element with this id. If there is none, returns the elements with exactly this name.
 * If there are none, returns those whose id or name differs only in the case of ASCII letters.
 * @returns An empty array if nothing matches.
 */
export function findNamed<Element extends { readonly id: string }>(
  elements: readonly Element[],
  name: string,
  nameOf: (element: Element) => string | undefined,
): readonly Element[] {
  const exact = findByIdOrName(elements, name, nameOf)
  if (exact.length > 0) return exact
  const folded = foldAsciiCase(name)
  return elements.filter((element) => {
    const texts = foldedTexts.get(element) ?? [element.id, nameOf(element) ?? ''].map(foldAsciiCase)
    foldedTexts.set(element, texts)
    return folded !== '' && texts.includes(folded)
  })
}

/**
 * The folded id and name of each element. They are cached, because a call may look for 1,000 names
 * in an item.
 */
const foldedTexts = new WeakMap<object, readonly string[]>()
