/** Splits an array into parts, whose elements are worked on at the same time. */

/** Yields the elements in order, up to `size` at a time; nothing for an empty array. */
export function* batchesOf<Element>(
  elements: readonly Element[],
  size: number,
): Generator<readonly Element[]> {
  for (let start = 0; start < elements.length; start += size)
    yield elements.slice(start, start + size)
}
