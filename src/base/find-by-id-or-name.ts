/** Finds what a user means by an id or a name. */

/**
 * Returns the element with this id. If there is none, returns the elements with exactly this name.
 * @returns An empty array if nothing matches.
 */
export function findByIdOrName<Element extends { readonly id: string }>(
  elements: readonly Element[],
  name: string,
  nameOf: (element: Element) => string | undefined,
): readonly Element[] {
  const withId = elements.filter(({ id }) => id === name)
  return withId.length > 0 ? withId : elements.filter((element) => nameOf(element) === name)
}
