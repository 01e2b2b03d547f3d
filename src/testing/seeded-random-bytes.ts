/** Randomness that comes out the same every time. Never for real secrets. */

/** A `randomBytes` whose bytes depend on the seed alone (a 32-bit xorshift: Marsaglia, 2003). */
export function seededRandomBytes(seed = 1): (length: number) => Uint8Array {
  let state = seed | 0 || 1
  return (length) =>
    Uint8Array.from({ length }, () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 11) & 255
    })
}
