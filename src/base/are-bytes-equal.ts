/** Compares bytes. */

/** Returns true if both arrays have the same bytes. Not in constant time. */
export function areBytesEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
