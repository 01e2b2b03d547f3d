/** Finds what a name in a reference refers to. */

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
  const withId = elements.filter(({ id }) => id === name)
  if (withId.length > 0) return withId
  const withName = elements.filter((element) => nameOf(element) === name)
  if (withName.length > 0) return withName
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
