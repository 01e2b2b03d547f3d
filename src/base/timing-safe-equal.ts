/** Compares secret bytes. */

/**
 * Returns true if both arrays have the same bytes. For arrays of the same length, the time does not
 * depend on where they differ.
 */
export function timingSafeEqual(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] as number)
  return difference === 0
}
