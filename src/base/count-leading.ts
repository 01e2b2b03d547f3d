/** A binary search. */

/**
 * Returns how many values at the beginning of a list meet a condition that no later value meets.
 */
export function countLeading<Value>(
  values: readonly Value[],
  condition: (value: Value) => boolean,
): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const value = values[middle]
    if (value !== undefined && condition(value)) low = middle + 1
    else high = middle
  }
  return low
}
